// The dynamic symbols of one ELF file, with their versions, found by name.
#pragma once

#include <elf.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "runtime/image/mapped_file.hpp"

namespace weft::image {

// Constant after construction. Names view the mapped file.
class SymbolTable {
 public:
  // Parts of the dynamic section that describe symbols; `versions` maps a version index to its name.
  struct Parts {
    std::vector<Elf64_Sym> symbols;
    Bytes strings;
    std::vector<Elf64_Half> version_of;  // per symbol; empty if the file has no versions
    std::unordered_map<unsigned, std::string_view> versions;
  };

  SymbolTable() = default;
  explicit SymbolTable(Parts parts);

  std::size_t size() const { return parts_.symbols.size(); }
  // Throw LoadError when index is out of range.
  const Elf64_Sym& at(std::uint32_t index) const;
  std::string_view name(std::uint32_t index) const;
  // The version a symbol carries or asks for; empty if none.
  std::string_view version(std::uint32_t index) const;

  // The definition of `name` to which a reference with this version (empty: none) binds; null if there is none.
  const Elf64_Sym* find(std::string_view name, std::string_view version) const;

 private:
  bool matches(std::uint32_t index, std::string_view version) const;

  Parts parts_;
  std::unordered_multimap<std::string_view, std::uint32_t> defined_;
};

}  // namespace weft::image
