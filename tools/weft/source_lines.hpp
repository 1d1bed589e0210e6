// Finds the source lines of many addresses, by the tool addr2line.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace weft::tools::weft_tool {

// Addresses by file, as in the file.
using AddressesOfFiles = std::map<std::string, std::set<std::uint64_t>>;
using LinesOfFiles = std::map<std::string, std::map<std::uint64_t, std::string>>;

// A line such as "/home/me/solver.c:12" for each address for which it is known. Runs addr2line once for each file and
// 2000 addresses. Returns nothing if addr2line is not in PATH.
LinesOfFiles source_lines(const AddressesOfFiles& wanted);

}  // namespace weft::tools::weft_tool
