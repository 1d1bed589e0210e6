#include "runtime/image/loaded_build_id.hpp"

#include <elf.h>
#include <link.h>

#include <cstdint>
#include <cstring>

namespace weft::image {
namespace {

struct Search {
  std::uint64_t address;
  std::string found;
};

std::uint64_t padded(std::uint32_t bytes) { return (std::uint64_t{bytes} + 3) & ~std::uint64_t{3}; }

// The build id among the notes of a segment, or nothing.
std::string build_id_in(const unsigned char* notes, std::uint64_t size) {
  std::string text;
  for (std::uint64_t at = 0; at + sizeof(Elf64_Nhdr) <= size && text.empty();) {
    Elf64_Nhdr note;
    std::memcpy(&note, notes + at, sizeof note);
    const std::uint64_t name = at + sizeof note;
    const std::uint64_t content = name + padded(note.n_namesz);
    at = content + padded(note.n_descsz);
    if (at <= size && note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
        std::memcmp(notes + name, "GNU", 4) == 0) {
      for (std::uint64_t i = 0; i < note.n_descsz; ++i) {
        constexpr const char* kDigits = "0123456789abcdef";
        text += kDigits[notes[content + i] >> 4];
        text += kDigits[notes[content + i] & 15];
      }
    }
  }
  return text;
}

bool holds(const dl_phdr_info& object, std::uint64_t address) {
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const auto& part = object.dlpi_phdr[i];
    if (part.p_type == PT_LOAD && address - object.dlpi_addr - part.p_vaddr < part.p_memsz) {
      return true;
    }
  }
  return false;
}

// A callback of dl_iterate_phdr: ends the iteration, by returning 1, at the object with the address.
int look(dl_phdr_info* object, std::size_t /*size*/, void* data) {
  auto& search = *static_cast<Search*>(data);
  if (!holds(*object, search.address)) {
    return 0;
  }
  for (int i = 0; i < object->dlpi_phnum && search.found.empty(); ++i) {
    const auto& part = object->dlpi_phdr[i];
    if (part.p_type == PT_NOTE) {
      search.found =
          build_id_in(reinterpret_cast<const unsigned char*>(object->dlpi_addr + part.p_vaddr), part.p_memsz);
    }
  }
  return 1;
}

}  // namespace

std::string loaded_build_id(const void* address) {
  Search search{reinterpret_cast<std::uintptr_t>(address), {}};
  ::dl_iterate_phdr(look, &search);
  return search.found.empty() ? "unknown" : search.found;
}

}  // namespace weft::image
