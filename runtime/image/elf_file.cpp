#include "runtime/image/elf_file.hpp"

#include <sys/statvfs.h>

#include <algorithm>
#include <bit>
#include <cstdio>

#include "runtime/image/elf_dynamic.hpp"
#include "runtime/image/load_error.hpp"

namespace weft::image {
namespace {

constexpr std::uint64_t kLargestImage = std::uint64_t{1} << 40;

Elf64_Ehdr read_header(const Bytes& bytes, const std::string& path) {
  if (bytes.size() < SELFMAG || std::memcmp(bytes.data(), ELFMAG, SELFMAG) != 0) {
    const bool is_script = bytes.size() >= 2 && std::memcmp(bytes.data(), "#!", 2) == 0;
    throw LoadError(path + (is_script ? ": is a script, not an ELF file; name the program that it starts (libtool's: "
                                        "libtool --mode=execute weftrun ...)"
                                      : ": is not an ELF file; name a program built with the compiler wrapper"));
  }
  const auto header = bytes.read<Elf64_Ehdr>(0, "the header");
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
      header.e_machine != EM_X86_64) {
    throw LoadError(path + ": is built for another machine (ELF machine " + std::to_string(header.e_machine) +
                    "); x86-64 is needed");
  }
  if (header.e_type == ET_EXEC) {
    throw LoadError(path + ": is a fixed-address executable; rebuild it with the compiler wrapper");
  }
  if (header.e_type != ET_DYN) {
    throw LoadError(path + ": is no linked program (ELF type " + std::to_string(header.e_type) +
                    "); link it with the compiler wrapper");
  }
  if (header.e_phentsize != sizeof(Elf64_Phdr)) {
    bytes.damaged("program headers of an unknown size");
  }
  return header;
}

// Checked here, since mapping the text would fail later in each rank.
void check_file_system(const MappedFile& file) {
  struct statvfs its {};
  if (fstatvfs(file.descriptor(), &its) == 0 && (its.f_flag & ST_NOEXEC) != 0) {
    throw LoadError(
        file.path() +
        ": lies on a file system that is mounted noexec, from which nothing may run; copy it to another one, "
        "or mount that one anew (mount -o remount,exec)");
  }
}

void add_segment(ElfFile& elf, const Bytes& bytes, const Elf64_Phdr& header) {
  if (header.p_memsz == 0) {
    return;
  }
  bytes.part(header.p_offset, header.p_filesz, "a segment");
  const bool sane = header.p_filesz <= header.p_memsz && header.p_memsz <= kLargestImage &&
                    header.p_vaddr <= kLargestImage && header.p_offset % kPage == header.p_vaddr % kPage &&
                    (header.p_align == 0 || std::has_single_bit(header.p_align)) && header.p_align <= kLargestImage;
  const bool in_order = elf.segments.empty() || page_up(elf.segments.back().address +
                                                        elf.segments.back().memory_size) <= page_down(header.p_vaddr);
  if (!sane || !in_order) {
    bytes.damaged("segments that overlap or have impossible sizes");
  }
  const bool writable = (header.p_flags & PF_W) != 0;
  const bool executable = (header.p_flags & PF_X) != 0;
  if (writable && executable) {
    throw LoadError(elf.path() + ": has a segment that is writable and executable; link it without -N or -z rwx");
  }
  if (!writable && header.p_filesz != header.p_memsz) {
    bytes.damaged("a read-only segment that is longer than its part of the file");
  }
  elf.segments.push_back({header.p_offset, header.p_vaddr, header.p_filesz, header.p_memsz, writable, executable});
  elf.alignment = std::max({elf.alignment, std::uint64_t{header.p_align}, kPage});
}

std::string hexadecimal(const Bytes& bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", std::to_integer<unsigned>(bytes.data()[i]));
    text += digits;
  }
  return text;
}

// The NT_GNU_BUILD_ID note in one PT_NOTE segment, or nothing.
std::string find_build_id(const Bytes& notes) {
  std::uint64_t at = 0;
  while (at + sizeof(Elf64_Nhdr) <= notes.size()) {
    const auto note = notes.read<Elf64_Nhdr>(at, "a note");
    const std::uint64_t name = at + sizeof note;
    const std::uint64_t content = name + ((std::uint64_t{note.n_namesz} + 3) & ~std::uint64_t{3});
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && notes.text(name, "a note") == "GNU") {
      return hexadecimal(notes.part(content, note.n_descsz, "the build id"));
    }
    at = content + ((std::uint64_t{note.n_descsz} + 3) & ~std::uint64_t{3});
  }
  return {};
}

// 64-bit FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/
std::string content_hash(const Bytes& bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    hash = (hash ^ std::to_integer<std::uint64_t>(bytes.data()[i])) * 0x100000001b3;
  }
  return "content-" + std::to_string(hash);
}

void set_thread_local(ElfFile& elf, const Bytes& bytes, const Elf64_Phdr& header) {
  const std::uint64_t alignment = std::max<std::uint64_t>(header.p_align, 1);
  if (header.p_filesz > header.p_memsz || header.p_memsz > kLargestImage || !std::has_single_bit(alignment) ||
      alignment > kPage) {
    bytes.damaged("a thread-local segment of an impossible size or alignment");
  }
  elf.tls = {header.p_vaddr, header.p_filesz, header.p_memsz, alignment};
}

// Symbols for crash reports. If a table is absent or damaged, there are just fewer names.
NamedFunctions find_functions(const Bytes& bytes, const Elf64_Ehdr& header) {
  NamedFunctions found;
  const auto inside = [&bytes](const Elf64_Shdr& s) {
    return s.sh_offset <= bytes.size() && s.sh_size <= bytes.size() - s.sh_offset;
  };
  const std::uint64_t table_bytes = std::uint64_t{header.e_shnum} * sizeof(Elf64_Shdr);
  if (header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shoff > bytes.size() ||
      table_bytes > bytes.size() - header.e_shoff) {
    return found;
  }
  const auto section = [&](std::uint32_t i) {
    return bytes.read<Elf64_Shdr>(header.e_shoff + i * sizeof(Elf64_Shdr), "a section header");
  };
  for (std::uint32_t i = 0; i < header.e_shnum; ++i) {
    const Elf64_Shdr symbols = section(i);
    const bool wanted = symbols.sh_type == SHT_SYMTAB || (symbols.sh_type == SHT_DYNSYM && found.count == 0);
    if (!wanted || symbols.sh_link >= header.e_shnum || !inside(symbols)) {
      continue;
    }
    const Elf64_Shdr strings = section(symbols.sh_link);
    if (!inside(strings) || strings.sh_size == 0 ||
        bytes.data()[strings.sh_offset + strings.sh_size - 1] != std::byte{0}) {
      continue;
    }
    found = {bytes.data() + symbols.sh_offset, symbols.sh_size / sizeof(Elf64_Sym),
             reinterpret_cast<const char*>(bytes.data() + strings.sh_offset), strings.sh_size};
  }
  return found;
}

}  // namespace

NamedFunctions read_functions(const MappedFile& file) {
  return find_functions(file.bytes(), read_header(file.bytes(), file.path()));
}

std::uint64_t ElfFile::span() const { return page_up(segments.back().address + segments.back().memory_size); }

const Segment* ElfFile::segment_at(std::uint64_t address, std::uint64_t size) const {
  for (const Segment& s : segments) {
    if (address >= s.address && address - s.address <= s.memory_size && size <= s.memory_size - (address - s.address)) {
      return &s;
    }
  }
  return nullptr;
}

ElfFile ElfFile::read(const std::string& path) {
  ElfFile elf;
  elf.file = std::make_unique<const MappedFile>(path);
  const Bytes bytes = elf.file->bytes();
  const Elf64_Ehdr header = read_header(bytes, path);
  check_file_system(*elf.file);
  Elf64_Phdr dynamic = {};
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    const auto part = bytes.read<Elf64_Phdr>(header.e_phoff + i * sizeof(Elf64_Phdr), "the program headers");
    switch (part.p_type) {
      case PT_LOAD:
        add_segment(elf, bytes, part);
        break;
      case PT_DYNAMIC:
        dynamic = part;
        break;
      case PT_TLS:
        set_thread_local(elf, bytes, part);
        break;
      case PT_GNU_EH_FRAME:
        elf.eh_frame_hdr = part.p_vaddr;
        break;
      case PT_GNU_STACK:
        elf.executable_stack = (part.p_flags & PF_X) != 0;
        break;
      case PT_NOTE:
        if (elf.build_id.empty()) {
          elf.build_id = find_build_id(bytes.part(part.p_offset, part.p_filesz, "a note"));
        }
        break;
      default:
        break;
    }
  }
  if (dynamic.p_filesz == 0) {
    throw LoadError(path + ": is statically linked; rebuild it with the compiler wrapper");
  }
  if (elf.segments.empty() || elf.segments.front().address >= kPage) {
    bytes.damaged("no segment at its beginning");
  }
  if (elf.eh_frame_hdr != 0 && elf.segment_at(elf.eh_frame_hdr, 8) == nullptr) {
    bytes.damaged("unwinding tables outside its segments");
  }
  if (elf.build_id.empty()) {
    elf.build_id = content_hash(bytes);
  }
  read_dynamic(elf, bytes.part(dynamic.p_offset, dynamic.p_filesz, "the dynamic section"));
  elf.functions = find_functions(bytes, header);
  return elf;
}

}  // namespace weft::image
