#include "runtime/image/program.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "base/check.hpp"
#include "runtime/image/debug_table.h"
#include "runtime/image/host_calls.hpp"
#include "runtime/image/image_set.hpp"
#include "runtime/image/load_error.hpp"
#include "runtime/image/loaded_build_id.hpp"
#include "runtime/image/resolver.hpp"

namespace weft::image {
namespace {

std::atomic<const Program*> published = nullptr;

std::string hexadecimal(const void* address) {
  char text[24];
  std::snprintf(text, sizeof text, "%p", address);
  return text;
}

std::optional<std::uint64_t> definition(const Image& image, std::string_view name) {
  const Elf64_Sym* found = image.elf.symbols.find(name, "");
  const unsigned type = found == nullptr ? 0 : ELF64_ST_TYPE(found->st_info);
  if (found == nullptr || type == STT_TLS || type == STT_GNU_IFUNC || found->st_shndx == SHN_ABS) {
    return std::nullopt;
  }
  return image.base + found->st_value;
}

// The library of another MPI with which the program is linked; empty if there is none.
std::string other_mpi(const ElfFile& program) {
  const auto library = std::ranges::find_if(program.needed, [](const std::string& name) {
    return name.starts_with("libmpi") && !name.starts_with("libmpi_abi") && !name.starts_with("libmpifort_abi");
  });
  return library == program.needed.end() ? "" : *library;
}

// Throws the error that `program`, read from `path`, cannot be loaded.
[[noreturn]] void refuse(const std::string& path, const ElfFile& program, const LoadError& error) {
  if (program.symbols.find("weft_main", "") != nullptr) {
    throw LoadError(error.what());
  }
  const std::string mpi = other_mpi(program);
  const std::string where = program.path() + ": ";
  std::string why = error.what();
  if (!mpi.empty()) {
    why = "it is linked with another MPI, " + mpi;
  } else if (why.starts_with(where)) {
    why.replace(0, where.size(), "it ");
  }
  throw LoadError(path + " was not built with weftcc, weftcxx or weftfort, nor with their flags: " + why);
}

std::vector<Image> collect(const std::string& path, const std::string& shim_path, const ProgramOptions& options) {
  const char* inherited = std::getenv("LD_LIBRARY_PATH");  // NOLINT(concurrency-mt-unsafe): before the workers start
  try {
    return collect_images(path, shim_path, options.shared, options.plugins,
                          options.library_path.value_or(inherited == nullptr ? "" : inherited));
  } catch (const LoadError& error) {
    if (const ElfFile program = ElfFile::read(path); !other_mpi(program).empty()) {
      refuse(path, program, error);
    }
    throw;
  }
}

}  // namespace

// Pairs with publish(): crash handlers and gdb find a complete table, or none.
const Program* published_program() { return published.load(std::memory_order_acquire); }

const Program* program_at(std::uint64_t address) noexcept {
  const Program* const first = published_program();
  const std::uint64_t distance = address - weft_debug.region;
  if (first == nullptr || distance >= weft_debug.region_size) {
    return nullptr;
  }
  const Program* const other = first->region()->program_in(distance / weft_debug.slot_size);
  return other == nullptr ? first : other;
}

std::unique_ptr<Program> Program::load(const std::string& path, const std::string& shim_path,
                                       const ProgramOptions& options) {
  std::unique_ptr<Program> program(new Program);
  program->images_ = collect(path, shim_path, options);
  program->constructor_order_ = dependencies_first(program->images_, !shim_path.empty());
  program->layout_ = lay_out(program->images_, options.layout);
  try {
    program->template_ = relocate(program->images_, Resolver(program->images_, options.overrides, replacement_for),
                                  options.ranks_stay_on_thread);
    if (!shim_path.empty()) {
      program->shim_.emplace(program->images_.at(1));
      program->find_entry();
    }
  } catch (const LoadError& error) {
    refuse(path, program->images_.front().elf, error);
  }
  program->describe_images();
  return program;
}

Program::~Program() {
  if (published_program() == this) {
    weft_debug = {WEFT_DEBUG_VERSION, 0, 0, 0, 0, nullptr, 0, nullptr, 0, nullptr};
    // Pairs with published_program(). Nothing runs in the slots any more.
    published.store(nullptr, std::memory_order_release);
  }
}

void Program::find_entry() {
  const Image& program = images_.front();
  const auto find = [&program](std::string_view name) -> std::uint64_t {
    const Elf64_Sym* found = program.elf.symbols.find(name, "");
    return found == nullptr || found->st_value == 0 ? 0 : program.base + found->st_value;
  };
  main_pointer_ = find("weft_main");
  main_ = find("main");
  if (main_pointer_ == 0 && main_ == 0) {
    throw LoadError(program.elf.path() + ": has no main function that weftrun can call");
  }
}

void Program::describe_images() {
  for (const Image& image : images_) {
    const ThreadLocal& tls = image.elf.tls;
    const std::uint64_t unwind = image.elf.eh_frame_hdr;
    shim_images_.push_back({image.base, image.base + image.elf.span(), unwind == 0 ? 0 : image.base + unwind,
                            image.tls_block, tls.memory_size, tls.file_size,
                            tls.memory_size == 0 ? 0 : image.base + tls.address, image.elf.path().c_str()});
    const WeftShimImage& described = shim_images_.back();
    debug_images_.push_back({described.path, described.begin, described.end - described.begin, described.eh_frame_hdr});
  }
}

void Program::use_region(const Region& region) {
  if (layout_.heap + kSmallestHeap > region.slot_size()) {
    throw LoadError(images_.front().elf.path() + ": needs " + std::to_string((layout_.heap + kSmallestHeap) >> 10) +
                    " KiB per rank, but " + std::to_string(region.rank_count()) + " ranks leave only " +
                    std::to_string(region.slot_size() >> 10) + " KiB of addresses each");
  }
  widen_guard(layout_, region.slot_size());
  region_ = &region;
}

void Program::publish(const Region& region) {
  use_region(region);
  weft_debug.region = reinterpret_cast<std::uint64_t>(region.begin());
  weft_debug.region_size = region.slot_size() * region.rank_count();
  weft_debug.slot_size = region.slot_size();
  weft_debug.images = debug_images_.data();
  weft_debug.image_count = debug_images_.size();
  // Pairs with published_program(): the table is filled before it is found.
  published.store(this, std::memory_order_release);
}

std::span<std::byte> Program::stack(Slot slot) const {
  return slot.subspan(layout_.stack_low, layout_.stack_high - layout_.stack_low);
}

std::span<std::byte> Program::heap(Slot slot) const { return slot.subspan(layout_.heap); }

std::span<std::byte> Program::control(Slot slot) const { return slot.first(layout_.control_bytes); }

std::optional<std::uint64_t> Program::symbol(std::string_view name) const {
  for (const Image& image : images_) {
    if (const auto found = image.local_scope.empty() ? definition(image, name) : std::nullopt) {
      return found;
    }
  }
  return std::nullopt;
}

std::optional<std::uint64_t> Program::symbol(const Image& image, std::string_view name) const {
  for (const std::uint32_t i : with_needed(images_, static_cast<std::uint32_t>(&image - images_.data()))) {
    if (const auto found = definition(images_[i], name)) {
      return found;
    }
  }
  return std::nullopt;
}

bool Program::calls(std::string_view name) const {
  const auto refers = [&](const Image& image) {
    const std::string& soname = image.elf.soname;
    if (soname.starts_with("libmpi") || soname.starts_with("libweft")) {
      return false;
    }
    const SymbolTable& symbols = image.elf.symbols;
    for (std::uint32_t i = 0; i < symbols.size(); ++i) {
      if (symbols.at(i).st_shndx == SHN_UNDEF && symbols.name(i) == name) {
        return true;
      }
    }
    return false;
  };
  return std::any_of(images_.begin(), images_.end(), refers);
}

std::string Program::fingerprint() const {
  std::string text;
  for (const Image& image : images_) {
    text += image.elf.path() + " build " + image.elf.build_id + " at slot offset " + std::to_string(image.base) + "\n";
  }
  text += "the C library build " + loaded_build_id(dlsym(RTLD_DEFAULT, "printf")) + "\n";
  text += "the runtime build " + loaded_build_id(reinterpret_cast<const void*>(&published_program)) + "\n";
  const auto add = [&text](const char* name, const void* address) {
    text += std::string(name) + " at " + hexadecimal(address) + "\n";
  };
  add("the C library's printf", dlsym(RTLD_DEFAULT, "printf"));
  add("the C library's stdout", dlsym(RTLD_DEFAULT, "stdout"));
  add("the unwinder's _Unwind_Resume", dlsym(RTLD_DEFAULT, "_Unwind_Resume"));
  add("the runtime", reinterpret_cast<const void*>(&published_program));
  if (region_ != nullptr) {
    add("the ranks", region_->begin());
    text += "slots of " + std::to_string(region_->slot_size()) + " bytes\n";
  }
  return text + "pages of " + std::to_string(sysconf(_SC_PAGESIZE)) + " bytes\n";
}

}  // namespace weft::image
