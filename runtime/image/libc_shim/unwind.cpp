// Lets unwinders and back traces find the rank's images, which the dynamic linker does not know.
#include <dlfcn.h>
#include <link.h>

#include "runtime/image/libc_shim/rank_state.hpp"

namespace weft::shim {
namespace {

const WeftShimImage* image_at(const void* address) {
  const auto offset = static_cast<uint64_t>(static_cast<const char*>(address) - weft_shim_info.slot);
  for (int i = 0; offset < weft_shim_info.slot_size && i < weft_shim_info.image_count; ++i) {
    const WeftShimImage& image = weft_shim_info.images[i];
    if (offset - image.begin < image.end - image.begin) {
      return &image;
    }
  }
  return nullptr;
}

}  // namespace
}  // namespace weft::shim

WEFT_RANK_EXPORT int _dl_find_object(void* address, dl_find_object* result) noexcept {
  char* const slot = weft_shim_info.slot;
  if (!weft::shim::in_slot(address)) {
    return WEFT_OF_PROCESS(_dl_find_object)(address, result);
  }
  const WeftShimImage* image = weft::shim::image_at(address);
  if (image == nullptr || image->eh_frame_hdr == 0) {
    return -1;
  }
  *result = {};
  result->dlfo_map_start = slot + image->begin;
  result->dlfo_map_end = slot + image->end;
  result->dlfo_eh_frame = slot + image->eh_frame_hdr;
  return 0;
}

// The rank's own images first, then the process's.
WEFT_RANK_EXPORT int dl_iterate_phdr(int (*callback)(dl_phdr_info*, size_t, void*), void* data) {
  for (int i = 0; i < weft_shim_info.image_count; ++i) {
    const WeftShimImage& image = weft_shim_info.images[i];
    const char* begin = weft_shim_info.slot + image.begin;
    const auto* header = reinterpret_cast<const Elf64_Ehdr*>(begin);
    dl_phdr_info info = {};
    info.dlpi_addr = reinterpret_cast<Elf64_Addr>(begin);
    info.dlpi_name = image.path;
    info.dlpi_phdr = reinterpret_cast<const Elf64_Phdr*>(begin + header->e_phoff);
    info.dlpi_phnum = header->e_phnum;
    info.dlpi_adds = static_cast<unsigned long long>(weft_shim_info.image_count);
    if (const int stop = callback(&info, sizeof info, data); stop != 0) {
      return stop;
    }
  }
  return WEFT_OF_PROCESS(dl_iterate_phdr)(callback, data);
}

WEFT_RANK_EXPORT int dladdr(const void* address, Dl_info* info) noexcept {
  const WeftShimImage* image = weft::shim::image_at(address);
  if (image == nullptr) {
    return WEFT_OF_PROCESS(dladdr)(address, info);
  }
  *info = {image->path, weft_shim_info.slot + image->begin, nullptr, nullptr};
  return 1;
}
