// Source lines of many addresses, by the tool addr2line.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace weft::tools::weft_tool {

// By file: addresses, counted from the file's own zero.
using AddressesOfFiles = std::map<std::string, std::set<std::uint64_t>>;
using LinesOfFiles = std::map<std::string, std::map<std::uint64_t, std::string>>;

// "/home/me/solver.c:12" for each of them that is known. One process for each file and few thousand addresses; nothing
// without addr2line in PATH.
LinesOfFiles source_lines(const AddressesOfFiles& wanted);

}  // namespace weft::tools::weft_tool
