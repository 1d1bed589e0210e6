// What a call of migrate() asks for.
#pragma once

#include <string_view>

namespace weft::runtime {
inline namespace lbstep {

// What a balancing step is for, beside what the job's configuration says.
struct StepOptions {
  bool balance = true;
  // The folder for a checkpoint. The text lies in the rank's own memory: after the step nothing else of the caller's
  // may be used or freed.
  std::string_view checkpoint;
  bool image = false;  // one for --survive, whatever its interval
};

}  // namespace lbstep
}  // namespace weft::runtime
