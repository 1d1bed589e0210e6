#include "runtime/image/symbol_table.hpp"

#include <string>
#include <utility>

namespace weft::image {
namespace {

constexpr Elf64_Half kHidden = 0x8000;

}  // namespace

SymbolTable::SymbolTable(Parts parts) : parts_(std::move(parts)) {
  for (std::uint32_t i = 1; i < size(); ++i) {
    const Elf64_Sym& symbol = parts_.symbols[i];
    const unsigned visibility = ELF64_ST_VISIBILITY(symbol.st_other);
    if (symbol.st_shndx != SHN_UNDEF && ELF64_ST_BIND(symbol.st_info) != STB_LOCAL && visibility != STV_HIDDEN &&
        visibility != STV_INTERNAL) {
      defined_.emplace(name(i), i);
    }
  }
}

const Elf64_Sym& SymbolTable::at(std::uint32_t index) const {
  if (index >= size()) {
    parts_.strings.damaged("symbol " + std::to_string(index) + " of " + std::to_string(size()));
  }
  return parts_.symbols[index];
}

std::string_view SymbolTable::name(std::uint32_t index) const {
  return parts_.strings.text(at(index).st_name, "the name of a symbol");
}

std::string_view SymbolTable::version(std::uint32_t index) const {
  if (index >= parts_.version_of.size()) {
    return {};
  }
  const auto found = parts_.versions.find(parts_.version_of[index] & ~kHidden);
  return found == parts_.versions.end() ? std::string_view() : found->second;
}

bool SymbolTable::matches(std::uint32_t index, std::string_view version_wanted) const {
  if (index >= parts_.version_of.size()) {
    return true;
  }
  const unsigned number = parts_.version_of[index] & ~kHidden;
  return number <= VER_NDX_GLOBAL || version(index) == version_wanted;
}

const Elf64_Sym* SymbolTable::find(std::string_view wanted, std::string_view version_wanted) const {
  const Elf64_Sym* hidden = nullptr;
  for (auto [it, end] = defined_.equal_range(wanted); it != end; ++it) {
    const std::uint32_t index = it->second;
    if (!version_wanted.empty()) {
      if (matches(index, version_wanted)) {
        return &parts_.symbols[index];
      }
    } else if (index >= parts_.version_of.size() || (parts_.version_of[index] & kHidden) == 0) {
      return &parts_.symbols[index];
    } else {
      hidden = &parts_.symbols[index];
    }
  }
  return hidden;
}

}  // namespace weft::image
