// What process 0 knows of a balancing step when it begins.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weft::runtime {
inline namespace lbstep {

// Why nothing is saved if StepFacts::spawned. A request by a signal or a command stays pending.
inline constexpr const char* kSpawnedRun = "spawned ranks must end first, and leave no threads or requests behind";

struct StepFacts {
  std::uint64_t step = 0;
  std::uint64_t call = 0;       // of migrate(): the one that is this step
  std::string checkpoint = {};  // a folder that ranks ask for, or empty
  bool image = false;           // ranks ask for one for --survive
  std::string pinned = {};      // a rank that cannot be packed, and why
  bool spawned = false;         // spawned ranks run, which are in no step
  bool balances = false;
  std::uint64_t private_bytes = 0;             // of all processes together
  std::vector<std::uint32_t> evacuating = {};  // processes that the job is to give up (AMPI_Evacuate)
};

}  // namespace lbstep
}  // namespace weft::runtime
