#include "runtime/image/relocation.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "runtime/image/load_error.hpp"

namespace weft::image {
namespace {

class Relocator {
 public:
  Relocator(const std::vector<Image>& images, const Resolver& resolver, bool allow_descriptors)
      : images_(images), resolver_(resolver), allow_descriptors_(allow_descriptors) {}
  Template run();

 private:
  void copy_initial_bytes(const Image& image);
  void relocate(const Image& image);
  void apply(const Image& image, const Elf64_Rela& r);
  void bind(const Image& image, const Elf64_Rela& r, std::int64_t addend);
  void bind_indirect(const Image& image, std::uint64_t word, const Image& holder, std::uint64_t function,
                     std::int64_t addend);
  void apply_thread_local(const Image& image, const Elf64_Rela& r, std::uint64_t type);
  std::uint64_t descriptor_resolver(const Image& image, std::uint32_t symbol) const;
  const Definition& definition(const Image& image, std::uint32_t symbol);
  std::byte* word(const Image& image, std::uint64_t address);
  void store(const Image& image, std::uint64_t address, std::uint64_t value);
  void store_slot_relative(const Image& image, std::uint64_t address, std::uint64_t slot_offset);
  [[noreturn]] void refuse(const Image& image, std::uint64_t type, std::string_view symbol) const;

  const std::vector<Image>& images_;
  const Resolver& resolver_;
  const bool allow_descriptors_;
  Template out_;
  std::size_t first_piece_ = 0;          // of the image being relocated
  std::vector<Definition> definitions_;  // of the image being relocated, by symbol
  std::vector<bool> known_;
  std::string undefined_;
};

void Relocator::copy_initial_bytes(const Image& image) {
  for (const Segment& s : image.elf.segments) {
    if (s.writable) {
      const Bytes bytes = image.elf.file->bytes().part(s.file_offset, s.file_size, "a segment");
      out_.pieces.push_back({image.base + s.address, {bytes.data(), bytes.data() + bytes.size()}});
    }
  }
}

std::byte* Relocator::word(const Image& image, std::uint64_t address) {
  for (std::size_t i = first_piece_; i < out_.pieces.size(); ++i) {
    Template::Piece& piece = out_.pieces[i];
    const std::uint64_t at = image.base + address - piece.slot_offset;
    if (at < piece.bytes.size() && piece.bytes.size() - at >= sizeof(std::uint64_t)) {
      return &piece.bytes[at];
    }
  }
  image.elf.file->bytes().damaged("a relocation outside its writable data");
}

void Relocator::store(const Image& image, std::uint64_t address, std::uint64_t value) {
  std::memcpy(word(image, address), &value, sizeof value);
}

void Relocator::store_slot_relative(const Image& image, std::uint64_t address, std::uint64_t slot_offset) {
  store(image, address, slot_offset);
  out_.add_slot.push_back(image.base + address);
}

// Each symbol of an image is looked up once, and reported once if nothing defines it.
const Definition& Relocator::definition(const Image& image, std::uint32_t symbol) {
  if (symbol >= known_.size()) {
    image.elf.file->bytes().damaged("a relocation against a symbol that it does not have");
  }
  if (!known_[symbol]) {
    known_[symbol] = true;
    definitions_[symbol] = resolver_.find(image, symbol);
    if (definitions_[symbol].kind == Definition::Kind::undefined) {
      const std::string name(image.elf.symbols.name(symbol));
      if (ELF64_ST_TYPE(image.elf.symbols.at(symbol).st_info) == STT_TLS) {
        throw LoadError(image.elf.path() + ": thread-local symbol '" + name +
                        "' lives in a shared library or nowhere; ranks can only have thread-local variables of "
                        "private libraries");
      }
      undefined_ += (undefined_.empty() ? "" : ", ") + name + " (in " + image.elf.path() + ")";
    }
  }
  return definitions_[symbol];
}

void Relocator::bind_indirect(const Image& image, std::uint64_t address, const Image& holder, std::uint64_t function,
                              std::int64_t addend) {
  const Segment* code = holder.elf.segment_at(function, 1);
  if (code == nullptr || !code->executable) {
    holder.elf.file->bytes().damaged("an indirect function outside its code");
  }
  store(image, address, 0);
  out_.indirect.push_back({image.base + address, holder.base + function, addend});
}

void Relocator::bind(const Image& image, const Elf64_Rela& r, std::int64_t addend) {
  const Definition& d = definition(image, static_cast<std::uint32_t>(ELF64_R_SYM(r.r_info)));
  if (d.kind == Definition::Kind::undefined) {
    return;
  }
  const auto offset = static_cast<std::uint64_t>(addend);
  if (d.kind == Definition::Kind::in_host) {
    store(image, r.r_offset, d.address + offset);
  } else if (d.symbol->st_shndx == SHN_ABS) {
    store(image, r.r_offset, d.symbol->st_value + offset);
  } else if (ELF64_ST_TYPE(d.symbol->st_info) == STT_GNU_IFUNC) {
    bind_indirect(image, r.r_offset, *d.image, d.symbol->st_value, addend);
  } else {
    store_slot_relative(image, r.r_offset, d.image->base + d.symbol->st_value + offset);
  }
}

void Relocator::apply_thread_local(const Image& image, const Elf64_Rela& r, std::uint64_t type) {
  const auto index = static_cast<std::uint32_t>(ELF64_R_SYM(r.r_info));
  const Image* holder = &image;
  std::uint64_t offset = static_cast<std::uint64_t>(r.r_addend);
  if (index != 0) {
    const Definition& d = definition(image, index);
    if (d.kind != Definition::Kind::in_image) {
      throw LoadError(image.elf.path() + ": thread-local symbol '" + std::string(image.elf.symbols.name(index)) +
                      "' has no definition in a private library");
    }
    holder = d.image;
    offset += d.symbol->st_value;
  }
  if (type == R_X86_64_DTPMOD64) {
    store_slot_relative(image, r.r_offset, holder->tls_block);
  } else if (type == R_X86_64_DTPOFF64) {
    store(image, r.r_offset, offset);
  } else {
    store_slot_relative(image, r.r_offset, descriptor_resolver(image, index));
    store_slot_relative(image, r.r_offset + sizeof(std::uint64_t), holder->tls_block + offset);
  }
}

// A descriptor's result is relative to the thread pointer, and compilers keep it over calls. A rank that wakes on
// another thread would then use a wrong address.
std::uint64_t Relocator::descriptor_resolver(const Image& image, std::uint32_t symbol) const {
  if (!allow_descriptors_) {
    throw LoadError(image.elf.path() + ": uses TLS descriptors (symbol '" +
                    std::string(symbol == 0 ? "" : image.elf.symbols.name(symbol)) +
                    "'), which fail when a rank changes threads; rebuild it with -mtls-dialect=gnu");
  }
  for (const Image& other : images_) {
    if (const Elf64_Sym* resolver = other.elf.symbols.find("weft_tlsdesc", "")) {
      return other.base + resolver->st_value;
    }
  }
  throw LoadError(image.elf.path() + ": uses TLS descriptors, which need the rank library");
}

void Relocator::refuse(const Image& image, std::uint64_t type, std::string_view symbol) const {
  const std::string file = image.elf.path();
  const std::string name(symbol);
  switch (type) {
    case R_X86_64_TPOFF64:
    case R_X86_64_TPOFF32:
      throw LoadError(file + ": uses initial-exec TLS (symbol '" + name +
                      "'); rebuild it with -ftls-model=global-dynamic, or share it between the ranks");
    case R_X86_64_COPY:
      throw LoadError(file + ": has a copy relocation for '" + name + "'; rebuild it with weftcc, weftcxx or weftfort");
    case R_X86_64_32:
    case R_X86_64_32S:
    case R_X86_64_PC32:
    case R_X86_64_PC64:
    case R_X86_64_PLT32:
      throw LoadError(file + ": refers to '" + name + "' from code that was not compiled with -fPIC");
    default:
      throw LoadError(file + ": has a relocation of type " + std::to_string(type) + " (symbol '" + name +
                      "'), which the loader does not know; rebuild it with the compiler wrapper");
  }
}

void Relocator::apply(const Image& image, const Elf64_Rela& r) {
  const std::uint64_t type = ELF64_R_TYPE(r.r_info);
  const auto symbol = static_cast<std::uint32_t>(ELF64_R_SYM(r.r_info));
  const auto addend = static_cast<std::uint64_t>(r.r_addend);
  switch (type) {
    case R_X86_64_NONE:
      break;
    case R_X86_64_RELATIVE:
      store_slot_relative(image, r.r_offset, image.base + addend);
      break;
    case R_X86_64_IRELATIVE:
      bind_indirect(image, r.r_offset, image, addend, 0);
      break;
    case R_X86_64_64:
      bind(image, r, r.r_addend);
      break;
    case R_X86_64_GLOB_DAT:
    case R_X86_64_JUMP_SLOT:
      bind(image, r, 0);
      break;
    case R_X86_64_DTPMOD64:
    case R_X86_64_DTPOFF64:
    case R_X86_64_TLSDESC:
      apply_thread_local(image, r, type);
      break;
    default:
      refuse(image, type, symbol == 0 ? "" : image.elf.symbols.name(symbol));
  }
}

void Relocator::relocate(const Image& image) {
  first_piece_ = out_.pieces.size();
  copy_initial_bytes(image);
  definitions_.assign(image.elf.symbols.size(), {});
  known_.assign(image.elf.symbols.size(), false);
  for (const std::uint64_t address : image.elf.relative_words) {
    std::uint64_t value = 0;
    std::memcpy(&value, word(image, address), sizeof value);
    store_slot_relative(image, address, value + image.base);
  }
  for (const Elf64_Rela& r : image.elf.relocations) {
    apply(image, r);
  }
}

Template Relocator::run() {
  for (const Image& image : images_) {
    relocate(image);
  }
  if (!undefined_.empty()) {
    throw LoadError("undefined symbols: " + undefined_ + "; link the libraries that define them");
  }
  std::ranges::sort(out_.add_slot);
  const auto repeated = std::ranges::unique(out_.add_slot);
  out_.add_slot.erase(repeated.begin(), repeated.end());
  return std::move(out_);
}

}  // namespace

Template relocate(const std::vector<Image>& images, const Resolver& resolver, bool ranks_stay_on_thread) {
  return Relocator(images, resolver, ranks_stay_on_thread).run();
}

}  // namespace weft::image
