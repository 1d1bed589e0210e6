// Finds the image that contains an address of a rank, for unwinders and crash reports.
#pragma once

#include <cstdint>
#include <optional>

namespace weft::image {

struct FoundImage {
  std::uint32_t index;  // into Program::images()
  std::uint32_t rank;
  std::uint64_t slot;          // address of the rank's slot
  std::uint64_t begin, end;    // addresses of the image in that slot
  std::uint64_t eh_frame_hdr;  // address of the image's PT_GNU_EH_FRAME, 0 if none
};

// Reads weft_debug only: no lock, no allocation; safe in signal handlers.
std::optional<FoundImage> find_image(std::uint64_t address) noexcept;

// Whether the address lies in the guard of a rank's stack. Safe in signal handlers.
bool is_in_stack_guard(std::uint64_t address) noexcept;

}  // namespace weft::image
