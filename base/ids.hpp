// Strong ids, so that a rank is never taken for a worker.
#pragma once

#include <cstdint>

namespace weft {

enum class RankId : std::uint32_t {};     // a virtual MPI rank's number in the job
enum class WorkerId : std::uint32_t {};   // a thread bound to one core
enum class ProcessId : std::uint32_t {};  // a process of the job, from 0

constexpr std::uint32_t number(RankId id) { return static_cast<std::uint32_t>(id); }
constexpr std::uint32_t number(WorkerId id) { return static_cast<std::uint32_t>(id); }
constexpr std::uint32_t number(ProcessId id) { return static_cast<std::uint32_t>(id); }

}  // namespace weft
