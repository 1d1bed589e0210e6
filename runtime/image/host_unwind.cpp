// Replaces the dynamic linker's two functions that find loaded code, so that backtrace() and exceptions of the host see
// rank frames. Takes effect if its object is linked before the C library; see CMakeLists.txt.
#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include "runtime/image/debug_table.h"
#include "runtime/image/program.hpp"
#include "runtime/image/unwind.hpp"

namespace {

using FindObject = int(void*, dl_find_object*);
using PhdrCallback = int(dl_phdr_info*, std::size_t, void*);
using IteratePhdr = int(PhdrCallback*, void*);

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

FindObject* const next_find_object = next<FindObject>("_dl_find_object");
IteratePhdr* const next_iterate_phdr = next<IteratePhdr>("dl_iterate_phdr");

}  // namespace

extern "C" [[gnu::visibility("default")]] int _dl_find_object(void* address, dl_find_object* result) noexcept {
  if (const auto found = weft::image::find_image(reinterpret_cast<std::uint64_t>(address))) {
    if (found->eh_frame_hdr == 0) {
      return -1;
    }
    result->dlfo_flags = 0;
    result->dlfo_map_start = reinterpret_cast<void*>(found->begin);
    result->dlfo_map_end = reinterpret_cast<void*>(found->end);
    result->dlfo_link_map = nullptr;
    result->dlfo_eh_frame = reinterpret_cast<void*>(found->eh_frame_hdr);
    return 0;
  }
  // An exception in another file's constructor may need this before this file's variables are initialised.
  FindObject* const host = next_find_object != nullptr ? next_find_object : next<FindObject>("_dl_find_object");
  return host == nullptr ? -1 : host(address, result);
}

// The host's objects; on a rank's stack that rank's images come first.
extern "C" [[gnu::visibility("default")]] int dl_iterate_phdr(PhdrCallback* callback, void* data) {
  const auto here = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0));
  const std::uint64_t distance = here - weft_debug.region;
  if (distance < weft_debug.region_size) {
    const std::uint64_t slot = here - distance % weft_debug.slot_size;
    const weft::image::Program* const program = weft::image::program_at(here);
    for (const WeftDebugImage& image :
         program == nullptr ? std::span<const WeftDebugImage>() : program->debug_images()) {
      const std::uint64_t base = slot + image.offset;
      const auto* header = reinterpret_cast<const Elf64_Ehdr*>(base);
      dl_phdr_info info = {};
      info.dlpi_addr = base;
      info.dlpi_name = image.path;
      info.dlpi_phdr = reinterpret_cast<const Elf64_Phdr*>(base + header->e_phoff);
      info.dlpi_phnum = header->e_phnum;
      info.dlpi_adds = 1;
      if (const int result = callback(&info, sizeof info, data)) {
        return result;
      }
    }
  }
  IteratePhdr* const host = next_iterate_phdr != nullptr ? next_iterate_phdr : next<IteratePhdr>("dl_iterate_phdr");
  return host == nullptr ? 0 : host(callback, data);
}
