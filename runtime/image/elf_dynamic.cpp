#include "runtime/image/elf_dynamic.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "runtime/image/load_error.hpp"

namespace weft::image {
namespace {

constexpr std::uint64_t kWord = 8;

class DynamicReader {
 public:
  DynamicReader(ElfFile& elf, const Bytes& section) : elf_(elf), bytes_(elf.file->bytes()) {
    for (std::uint64_t at = 0; at + sizeof(Elf64_Dyn) <= section.size(); at += sizeof(Elf64_Dyn)) {
      const auto entry = section.read<Elf64_Dyn>(at, "the dynamic section");
      if (entry.d_tag == DT_NULL) {
        break;
      }
      if (entry.d_tag == DT_NEEDED) {
        needed_.push_back(entry.d_un.d_val);
      } else {
        values_[entry.d_tag] = entry.d_un.d_val;
      }
    }
    strings_ = at_address(value(DT_STRTAB), value(DT_STRSZ), "the string table");
  }

  void refuse_what_cannot_work() const;
  void read_names();
  void read_relocations();
  void read_symbols();
  void read_routines();

 private:
  bool has(std::int64_t tag) const { return values_.contains(tag); }
  std::uint64_t value(std::int64_t tag) const {
    const auto found = values_.find(tag);
    return found == values_.end() ? 0 : found->second;
  }
  Bytes at_address(std::uint64_t address, std::uint64_t size, std::string_view what) const;
  Bytes from_address(std::uint64_t address, std::string_view what) const;
  std::uint64_t symbols_in_hash_tables() const;
  std::uint64_t symbols_in_gnu_hash() const;
  std::unordered_map<unsigned, std::string_view> versions() const;
  void add_relocations(std::int64_t table, std::int64_t bytes, std::string_view what);
  void read_relr();
  std::uint64_t routine(std::int64_t tag) const;
  std::uint64_t count_routines(std::uint64_t array, std::uint64_t bytes) const;

  ElfFile& elf_;
  Bytes bytes_;
  std::map<std::int64_t, std::uint64_t> values_;
  std::vector<std::uint64_t> needed_;
  Bytes strings_;
};

// The part of the file that lies at this address, up to the end of its segment.
Bytes DynamicReader::from_address(std::uint64_t address, std::string_view what) const {
  const Segment* segment = elf_.segment_at(address, 1);
  if (segment == nullptr || address - segment->address > segment->file_size) {
    bytes_.damaged(std::string(what) + " lies outside its segments");
  }
  const std::uint64_t skip = address - segment->address;
  return bytes_.part(segment->file_offset + skip, segment->file_size - skip, what);
}

Bytes DynamicReader::at_address(std::uint64_t address, std::uint64_t size, std::string_view what) const {
  return size == 0 ? bytes_.part(0, 0, what) : from_address(address, what).part(0, size, what);
}

void DynamicReader::refuse_what_cannot_work() const {
  if (has(DT_TEXTREL) || (value(DT_FLAGS) & DF_TEXTREL) != 0) {
    throw LoadError(elf_.path() + ": has text relocations; its objects were not compiled with -fPIC");
  }
  if ((value(DT_FLAGS_1) & DF_1_PIE) != 0 && elf_.tls.memory_size != 0) {
    throw LoadError(elf_.path() + ": is a PIE with thread-local variables; rebuild it with the compiler wrapper");
  }
}

void DynamicReader::read_names() {
  for (const std::uint64_t offset : needed_) {
    elf_.needed.emplace_back(strings_.text(offset, "the name of a needed library"));
  }
  if (has(DT_SONAME)) {
    elf_.soname = strings_.text(value(DT_SONAME), "the library's name");
  }
  if (has(DT_RUNPATH)) {
    elf_.run_paths.after = strings_.text(value(DT_RUNPATH), "the run path");
  } else if (has(DT_RPATH)) {
    elf_.run_paths.before = strings_.text(value(DT_RPATH), "the run path");
  }
  elf_.symbolic = has(DT_SYMBOLIC) || (value(DT_FLAGS) & DF_SYMBOLIC) != 0;
}

void DynamicReader::add_relocations(std::int64_t table, std::int64_t bytes, std::string_view what) {
  const Bytes entries = at_address(value(table), value(bytes), what);
  for (std::uint64_t at = 0; at < entries.size(); at += sizeof(Elf64_Rela)) {
    elf_.relocations.push_back(entries.read<Elf64_Rela>(at, what));
  }
}

void DynamicReader::read_relr() {
  constexpr std::string_view kWhat = "the table of relative relocations";
  const Bytes entries = at_address(value(DT_RELR), value(DT_RELRSZ), kWhat);
  std::uint64_t next = 0;
  for (std::uint64_t at = 0; at < entries.size(); at += kWord) {
    auto entry = entries.read<std::uint64_t>(at, kWhat);
    if ((entry & 1) == 0) {
      elf_.relative_words.push_back(entry);
      next = entry + kWord;
      continue;
    }
    for (std::uint64_t i = 0; (entry >>= 1) != 0; ++i) {
      if ((entry & 1) != 0) {
        elf_.relative_words.push_back(next + i * kWord);
      }
    }
    next += 63 * kWord;
  }
}

void DynamicReader::read_relocations() {
  if (has(DT_REL) || (has(DT_PLTREL) && value(DT_PLTREL) != DT_RELA)) {
    bytes_.damaged("relocations without addends, which x86-64 does not have");
  }
  add_relocations(DT_RELA, DT_RELASZ, "the relocation table");
  add_relocations(DT_JMPREL, DT_PLTRELSZ, "the table of calls to other libraries");
  read_relr();
}

std::uint64_t DynamicReader::symbols_in_gnu_hash() const {
  constexpr std::string_view kWhat = "the symbol hash table";
  const Bytes table = from_address(value(DT_GNU_HASH), kWhat);
  const auto buckets = table.read<std::uint32_t>(0, kWhat);
  const auto first = table.read<std::uint32_t>(4, kWhat);
  const auto bloom_words = table.read<std::uint32_t>(8, kWhat);
  const std::uint64_t bucket_at = 16 + std::uint64_t{bloom_words} * kWord;
  std::uint64_t last = 0;
  for (std::uint64_t i = 0; i < buckets; ++i) {
    last = std::max<std::uint64_t>(last, table.read<std::uint32_t>(bucket_at + i * 4, kWhat));
  }
  if (last < first) {
    return first;
  }
  const std::uint64_t chain_at = bucket_at + std::uint64_t{buckets} * 4;
  while ((table.read<std::uint32_t>(chain_at + (last - first) * 4, kWhat) & 1) == 0) {
    ++last;
  }
  return last + 1;
}

std::uint64_t DynamicReader::symbols_in_hash_tables() const {
  std::uint64_t count = 0;
  if (has(DT_HASH)) {
    count = from_address(value(DT_HASH), "the symbol hash table").read<std::uint32_t>(4, "the symbol hash table");
  }
  return has(DT_GNU_HASH) ? std::max(count, symbols_in_gnu_hash()) : count;
}

std::unordered_map<unsigned, std::string_view> DynamicReader::versions() const {
  std::unordered_map<unsigned, std::string_view> names;
  constexpr std::string_view kWhat = "the symbol versions";
  if (has(DT_VERDEF)) {
    Bytes at = from_address(value(DT_VERDEF), kWhat);
    for (std::uint64_t i = 0; i < value(DT_VERDEFNUM); ++i) {
      const auto entry = at.read<Elf64_Verdef>(0, kWhat);
      names[entry.vd_ndx & 0x7fff] =
          strings_.text(at.read<Elf64_Verdaux>(entry.vd_aux, kWhat).vda_name, "the name of a version");
      if (entry.vd_next == 0) {
        break;
      }
      at = at.from(entry.vd_next, kWhat);
    }
  }
  if (has(DT_VERNEED)) {
    Bytes at = from_address(value(DT_VERNEED), kWhat);
    for (std::uint64_t i = 0; i < value(DT_VERNEEDNUM); ++i) {
      const auto entry = at.read<Elf64_Verneed>(0, kWhat);
      std::uint64_t aux_at = entry.vn_aux;
      for (unsigned k = 0; k < entry.vn_cnt; ++k) {
        const auto aux = at.read<Elf64_Vernaux>(aux_at, kWhat);
        names[aux.vna_other & 0x7fff] = strings_.text(aux.vna_name, "the name of a version");
        aux_at += aux.vna_next;
      }
      if (entry.vn_next == 0) {
        break;
      }
      at = at.from(entry.vn_next, kWhat);
    }
  }
  return names;
}

void DynamicReader::read_symbols() {
  // The dynamic section has no count of symbols. A GNU hash table lists only defined ones; relocations may refer to
  // more.
  std::uint64_t count = symbols_in_hash_tables();
  for (const Elf64_Rela& r : elf_.relocations) {
    count = std::max<std::uint64_t>(count, ELF64_R_SYM(r.r_info) + 1);
  }
  SymbolTable::Parts parts;
  parts.strings = strings_;
  if (has(DT_SYMTAB)) {
    const Bytes table =
        from_address(value(DT_SYMTAB), "the symbol table").part(0, count * sizeof(Elf64_Sym), "a symbol");
    for (std::uint64_t i = 0; i < count; ++i) {
      parts.symbols.push_back(table.read<Elf64_Sym>(i * sizeof(Elf64_Sym), "a symbol"));
    }
  }
  if (has(DT_VERSYM)) {
    const Bytes table = from_address(value(DT_VERSYM), "the symbol versions");
    for (std::uint64_t i = 0; i < parts.symbols.size(); ++i) {
      parts.version_of.push_back(table.read<Elf64_Half>(i * sizeof(Elf64_Half), "the symbol versions"));
    }
    parts.versions = versions();
  }
  elf_.symbols = SymbolTable(std::move(parts));
}

std::uint64_t DynamicReader::routine(std::int64_t tag) const {
  const std::uint64_t address = value(tag);
  if (address != 0) {
    const Segment* segment = elf_.segment_at(address, 1);
    if (segment == nullptr || !segment->executable) {
      bytes_.damaged("an initialiser outside its code");
    }
  }
  return address;
}

std::uint64_t DynamicReader::count_routines(std::uint64_t array, std::uint64_t bytes) const {
  if (bytes != 0 && (array % kWord != 0 || elf_.segment_at(array, bytes) == nullptr)) {
    bytes_.damaged("a list of initialisers outside its segments");
  }
  return bytes / kWord;
}

void DynamicReader::read_routines() {
  Routines& r = elf_.routines;
  r.init = routine(DT_INIT);
  r.fini = routine(DT_FINI);
  r.init_array = value(DT_INIT_ARRAY);
  r.fini_array = value(DT_FINI_ARRAY);
  r.init_count = count_routines(r.init_array, value(DT_INIT_ARRAYSZ));
  r.fini_count = count_routines(r.fini_array, value(DT_FINI_ARRAYSZ));
}

}  // namespace

void read_dynamic(ElfFile& elf, const Bytes& section) {
  DynamicReader reader(elf, section);
  reader.refuse_what_cannot_work();
  reader.read_names();
  reader.read_relocations();
  reader.read_symbols();
  reader.read_routines();
  const ThreadLocal& tls = elf.tls;
  if (tls.file_size != 0) {
    const Segment* holder = elf.segment_at(tls.address, tls.file_size);
    if (holder == nullptr || tls.address - holder->address + tls.file_size > holder->file_size) {
      elf.file->bytes().damaged("initial values of thread-local variables outside its segments");
    }
  }
}

}  // namespace weft::image
