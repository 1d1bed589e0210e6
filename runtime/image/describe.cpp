#include "runtime/image/describe.hpp"

#include <dlfcn.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>

#include "runtime/image/load_error.hpp"
#include "runtime/image/program.hpp"
#include "runtime/image/readable_name.hpp"
#include "runtime/image/unwind.hpp"

namespace weft::image {
namespace {

struct FunctionOffset {
  const char* function = nullptr;
  std::uint64_t distance = 0;
};

// The function that holds the file's address; a global name before a local alias.
FunctionOffset find_function(const NamedFunctions& functions, std::uint64_t address) noexcept {
  FunctionOffset place;
  for (std::size_t i = 0; i < functions.count; ++i) {
    Elf64_Sym symbol;
    std::memcpy(&symbol, functions.symbols + i * sizeof symbol, sizeof symbol);
    const unsigned type = ELF64_ST_TYPE(symbol.st_info);
    const bool code = type == STT_FUNC || type == STT_GNU_IFUNC;
    if (code && symbol.st_shndx != SHN_UNDEF && address - symbol.st_value < symbol.st_size &&
        symbol.st_name < functions.string_bytes) {
      place = {functions.strings + symbol.st_name, address - symbol.st_value};
      if (ELF64_ST_BIND(symbol.st_info) != STB_LOCAL) {
        break;
      }
    }
  }
  return place;
}

// The file of this library and its address in memory; constant once the first rank starts.
struct OwnFile {
  std::uint64_t begin = 0;
  std::unique_ptr<const MappedFile> file;
  NamedFunctions functions;
};
std::unique_ptr<const OwnFile> own_file;

const char* file_name(const char* path) noexcept {
  const char* slash = std::strrchr(path, '/');
  return slash == nullptr ? path : slash + 1;
}

void write(char* text, std::size_t size, const char* function, std::uint64_t distance, const char* file) noexcept {
  if (function != nullptr) {
    std::array<char, 400> name{};
    std::snprintf(text, size, "%s+%#llx (%s)", readable_name(function, name.data(), name.size()),
                  static_cast<unsigned long long>(distance), file_name(file));
  } else {
    std::snprintf(text, size, "%s+%#llx", file_name(file), static_cast<unsigned long long>(distance));
  }
}

}  // namespace

const char* describe(const void* address, char* text, std::size_t size) noexcept {
  const auto value = reinterpret_cast<std::uint64_t>(address);
  const Program* program = program_at(value);
  const auto found = find_image(value);
  const FunctionOffset own =
      own_file == nullptr ? FunctionOffset{} : find_function(own_file->functions, value - own_file->begin);
  Dl_info host = {};
  if (program != nullptr && found) {
    const ElfFile& elf = program->images()[found->index].elf;
    const FunctionOffset place = find_function(elf.functions, value - found->begin);
    write(text, size, place.function, place.function == nullptr ? value - found->begin : place.distance,
          elf.file->path().c_str());
  } else if (own.function != nullptr) {
    write(text, size, own.function, own.distance, own_file->file->path().c_str());
  } else if (dladdr(address, &host) != 0 && host.dli_fname != nullptr) {
    const void* from = host.dli_sname == nullptr ? host.dli_fbase : host.dli_saddr;
    write(text, size, host.dli_sname, value - reinterpret_cast<std::uint64_t>(from), host.dli_fname);
  } else {
    std::snprintf(text, size, "%p", address);
  }
  return text;
}

void read_own_names() {
  Dl_info here = {};
  if (own_file != nullptr || dladdr(reinterpret_cast<const void*>(&read_own_names), &here) == 0) {
    return;
  }
  try {
    auto file = std::make_unique<const MappedFile>(here.dli_fname);
    const NamedFunctions functions = read_functions(*file);
    own_file = std::make_unique<const OwnFile>(
        OwnFile{reinterpret_cast<std::uint64_t>(here.dli_fbase), std::move(file), functions});
  } catch (const LoadError&) {
    own_file = nullptr;  // describes this library's addresses without names
  }
}

}  // namespace weft::image
