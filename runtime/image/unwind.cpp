#include "runtime/image/unwind.hpp"

#include "runtime/image/debug_table.h"
#include "runtime/image/program.hpp"

namespace weft::image {

std::optional<FoundImage> find_image(std::uint64_t address) noexcept {
  const std::uint64_t distance = address - weft_debug.region;
  if (distance >= weft_debug.region_size) {
    return std::nullopt;
  }
  const std::uint64_t rank = distance / weft_debug.slot_size;
  const std::uint64_t slot = weft_debug.region + rank * weft_debug.slot_size;
  const std::uint64_t offset = address - slot;
  const Program* const program = program_at(address);
  const std::span<const WeftDebugImage> images =
      program == nullptr ? std::span<const WeftDebugImage>() : program->debug_images();
  for (std::size_t i = 0; i < images.size(); ++i) {
    const WeftDebugImage& image = images[i];
    if (offset - image.offset < image.span) {
      const std::uint64_t begin = slot + image.offset;
      return FoundImage{static_cast<std::uint32_t>(i),
                        static_cast<std::uint32_t>(rank),
                        slot,
                        begin,
                        begin + image.span,
                        image.eh_frame_hdr == 0 ? 0 : slot + image.eh_frame_hdr};
    }
  }
  return std::nullopt;
}

bool is_in_stack_guard(std::uint64_t address) noexcept {
  const Program* program = program_at(address);
  const std::uint64_t distance = address - weft_debug.region;
  if (program == nullptr || distance >= weft_debug.region_size) {
    return false;
  }
  const std::uint64_t offset = distance % weft_debug.slot_size;
  return offset >= program->layout().guard && offset < program->layout().stack_low;
}

}  // namespace weft::image
