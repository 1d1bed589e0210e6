// MPI_Publish_name, MPI_Lookup_name, MPI_Unpublish_name. Process 0 is the name server; the other processes query it.
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

// The first word of messages to and from the name server; messages of windows have the window's number there.
inline constexpr std::uint32_t kNameMessageId = UINT32_MAX;

// MpiLayer::on_active_message() calls it for messages whose first word is kNameMessageId.
void serve_names(runtime::Job& job, ProcessId from, std::span<const std::byte> bytes);
// With --survive api: called when a process has died. If it is the name server, fails the queries that it has not
// answered.
void fail_queries(runtime::Job& job, ProcessId dead);

}  // namespace dynamic
}  // namespace weft::mpi_shim
