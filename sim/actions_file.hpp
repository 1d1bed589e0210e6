// Workloads as files (name.actions).
//
//   bytes 0-7      "WEFTACTS"
//   bytes 8-11     version, a little-endian number as all others: kActionsVersion
//   bytes 12-15    number of sections
//   then for each section { u32 number, u32 size of an element, u64 elements }, and their contents, each padded with
//   zeros to a multiple of 8; the last 8 bytes are the FNV-1a sum of all 8-byte words before them.
// A section holds one vector of Workload as it lies in memory. The names of phases are one text, a line for each.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>

#include "sim/actions.hpp"

namespace weft::sim {

inline constexpr std::uint32_t kActionsVersion = 1;

// Throws std::runtime_error, one line that begins with the file's name, if the file cannot be written.
void write_actions(const Workload& workload, const std::string& file);
// Throws WorkloadError, one line that begins with the file's name, unless the file is complete and valid.
Workload read_actions(const std::string& file);

// The same with streams; `name` appears in error messages.
void write_actions(const Workload& workload, std::ostream& out);
Workload read_actions(std::istream& in, const std::string& name);

}  // namespace weft::sim
