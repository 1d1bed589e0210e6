// MPI_Publish_name, MPI_Lookup_name, MPI_Unpublish_name: process 0 keeps the names, and the others ask it.
#pragma once

#include <cstdint>
#include <span>

#include "base/ids.hpp"

namespace weft::runtime {
inline namespace job {
class Job;
}  // namespace job
}  // namespace weft::runtime

namespace weft::mpi_shim {
inline namespace dynamic {

// The first word of messages about names, where those about windows have the window's number.
inline constexpr std::uint32_t kNamesWord = UINT32_MAX;

// MpiLayer::active() for such messages.
void serve_names(runtime::Job& job, ProcessId from, std::span<const std::byte> text);
// With --survive api: a process has died. What it was asked has no answer.
void end_questions(runtime::Job& job, ProcessId dead);

}  // namespace dynamic
}  // namespace weft::mpi_shim
