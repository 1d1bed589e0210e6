#include "runtime/image/rank_shim.hpp"

#include <string>
#include <string_view>

#include "runtime/image/load_error.hpp"

namespace weft::image {

RankShim::RankShim(const Image& image) : at_(find(image)) {}

RankShim::Offsets RankShim::find(const Image& image) {
  const auto need = [&image](std::string_view name) {
    const Elf64_Sym* found = image.elf.symbols.find(name, "");
    if (found == nullptr) {
      throw LoadError(image.elf.path() + ": does not define " + std::string(name) +
                      "; it is not the rank library of this version");
    }
    return image.base + found->st_value;
  };
  return {.info = need("weft_shim_info"),
          .start = need("weft_shim_start"),
          .heap_top = need("weft_shim_heap_top"),
          .heap_end = need("weft_shim_heap_end"),
          .trim = need("weft_shim_trim"),
          .flush = need("weft_shim_flush"),
          .pinned = need("weft_shim_pinned"),
          .save_files = need("weft_shim_save_files"),
          .leave = need("weft_shim_leave"),
          .arrived = need("weft_shim_arrived"),
          .reopen_files = need("weft_shim_reopen_files"),
          .truncate_files = need("weft_shim_truncate_files"),
          .aligned_alloc = need("aligned_alloc"),
          .free = need("free"),
          .at_exit = need("__cxa_atexit"),
          .exit = need("exit"),
          .environment = need("environ")};
}

WeftShimInfo& RankShim::info(Slot slot) const { return *reinterpret_cast<WeftShimInfo*>(slot.data() + at_.info); }

void RankShim::start(Slot slot) const { function_at<void()>(slot, at_.start)(); }

void RankShim::at_exit(Slot slot, void (*run)(void*)) const {
  function_at<int(void (*)(void*), void*, void*)>(slot, at_.at_exit)(run, slot.data(), nullptr);
}

void RankShim::exit(Slot slot, int code) const { function_at<void(int)>(slot, at_.exit)(code); }

char** RankShim::environment(Slot slot) const { return *reinterpret_cast<char***>(slot.data() + at_.environment); }

const char* RankShim::why_pinned(Slot slot, bool several_hosts) const {
  return function_at<const char*(int)>(slot, at_.pinned)(several_hosts ? 1 : 0);
}

void RankShim::save_files(Slot slot) const { function_at<void()>(slot, at_.save_files)(); }

void RankShim::leave(Slot slot) const { function_at<void()>(slot, at_.leave)(); }

void RankShim::arrived(Slot slot) const { function_at<void()>(slot, at_.arrived)(); }

const char* RankShim::reopen_files(Slot slot, bool from_image) const {
  return function_at<const char*(int)>(slot, at_.reopen_files)(from_image ? 1 : 0);
}

const char* RankShim::truncate_files(Slot slot) const { return function_at<const char*()>(slot, at_.truncate_files)(); }

void* RankShim::allocate(Slot slot, std::size_t alignment, std::size_t bytes) const {
  return function_at<void*(std::size_t, std::size_t)>(slot, at_.aligned_alloc)(alignment, bytes);
}

void RankShim::deallocate(Slot slot, void* memory) const { function_at<void(void*)>(slot, at_.free)(memory); }

void RankShim::trim(Slot slot) const { function_at<void()>(slot, at_.trim)(); }

const char* RankShim::heap_top(Slot slot) const { return function_at<char*()>(slot, at_.heap_top)(); }

const char* RankShim::heap_end(Slot slot) const { return function_at<char*()>(slot, at_.heap_end)(); }

void RankShim::flush(Slot slot) const { function_at<void()>(slot, at_.flush)(); }

bool RankShim::threaded(Slot slot) const { return info(slot).threaded != 0; }

bool RankShim::starts_threads(Slot slot) const { return info(slot).starts_threads != 0; }

}  // namespace weft::image
