// Reads an x86-64 shared object: everything that the loader needs. Checks it, and refuses, with a reason, files that
// cannot work.
#pragma once

#include <elf.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/pages.hpp"
#include "runtime/image/library_search.hpp"
#include "runtime/image/mapped_file.hpp"
#include "runtime/image/symbol_table.hpp"

namespace weft::image {

struct Segment {  // one PT_LOAD; addresses count from the file's own zero
  std::uint64_t file_offset, address, file_size, memory_size;
  bool writable, executable;
};

struct ThreadLocal {  // PT_TLS; memory_size 0 if the file has none
  std::uint64_t address = 0, file_size = 0, memory_size = 0, alignment = 1;
};

struct Routines {  // addresses in the file, 0 if absent
  std::uint64_t init = 0, init_array = 0, init_count = 0;
  std::uint64_t fini = 0, fini_array = 0, fini_count = 0;
};

struct NamedFunctions {  // the symbols to describe addresses with: .symtab where it exists, else the dynamic ones
  const std::byte* symbols = nullptr;
  std::size_t count = 0;
  const char* strings = nullptr;
  std::size_t string_bytes = 0;
};

// Constant after read().
struct ElfFile {
  // Throws LoadError: not ELF, wrong machine, fixed-address or static executable, PIE with TLS, text relocations,
  // writable and executable segment, on a file system that is mounted noexec, or damaged.
  static ElfFile read(const std::string& path);

  std::unique_ptr<const MappedFile> file;
  std::string soname;  // empty if none
  RunPaths run_paths;
  std::vector<std::string> needed;
  std::string build_id;  // hexadecimal; a hash of the content where the linker wrote none

  std::vector<Segment> segments;  // ascending, no two share a page
  std::uint64_t alignment = 0;
  ThreadLocal tls;
  std::uint64_t eh_frame_hdr = 0;
  bool symbolic = false;          // prefers its own definitions
  bool executable_stack = false;  // it takes the address of nested functions

  SymbolTable symbols;
  std::vector<Elf64_Rela> relocations;
  std::vector<std::uint64_t> relative_words;  // from DT_RELR
  Routines routines;
  NamedFunctions functions;

  const std::string& path() const { return file->path(); }
  // Bytes of address range, a multiple of the page size.
  std::uint64_t span() const;
  // The segment that holds all of [address, address + size), or null.
  const Segment* segment_at(std::uint64_t address, std::uint64_t size) const;
};

// The functions that an ELF file names. Throws LoadError: not ELF, or damaged.
NamedFunctions read_functions(const MappedFile& file);

constexpr std::uint64_t kPage = base::kPageBytes;
using base::page_down;
using base::page_up;

}  // namespace weft::image
