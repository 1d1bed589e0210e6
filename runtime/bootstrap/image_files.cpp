#include "runtime/bootstrap/image_files.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <span>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/options.hpp"

namespace weft::bootstrap {
namespace {

constexpr std::string_view kNone = "-";

// The whole word.
bool read_number(std::string_view word, std::uint32_t& number) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return error == std::errc{} && end == word.data() + word.size();
}

}  // namespace

std::string to_text(const ImagesAddress& images) {
  const std::string whole = images.whole ? std::to_string(*images.whole) : std::string(kNone);
  return fmt::format("{} {} {} {}", images.paths[0], images.paths[1], whole, images.seconds);
}

ImagesAddress parse_images_address(std::string_view text) {
  const auto words = base::split_words(text);
  ImagesAddress images;
  std::uint32_t whole = 0;
  const bool is_whole = words.size() == kImages + 2 && words[2] != kNone;
  if (words.size() != kImages + 2 || (is_whole && (!read_number(words[2], whole) || whole >= kImages)) ||
      !read_number(words[3], images.seconds)) {
    throw std::runtime_error(std::string(kImagesVariable) + " is damaged; it is set by weftrun only");
  }
  images.paths = {std::string(words[0]), std::string(words[1])};
  if (is_whole) {
    images.whole = whole;
  }
  return images;
}

ImageFiles::ImageFiles(std::uint32_t processes) : files_(processes + 1) {
  for (std::uint32_t i = 0; i < kImages * files_; ++i) {
    const int descriptor = ::memfd_create("weft-image", MFD_CLOEXEC);
    if (descriptor < 0) {
      const int error = errno;
      close_all();
      throw std::runtime_error(
          fmt::format("--survive: cannot make {} memory files: {}", kImages * files_, std::strerror(error)));
    }
    descriptors_.push_back(descriptor);
  }
}

ImageFiles::~ImageFiles() { close_all(); }

void ImageFiles::close_all() {
  for (const int descriptor : descriptors_) {
    ::close(descriptor);
  }
}

std::array<std::string, kImages> ImageFiles::paths() const { return {path(0), path(1)}; }

std::string ImageFiles::path(std::uint32_t which) const {
  const auto its = std::span(descriptors_).subspan(std::size_t{which} * files_, files_);
  return fmt::format("/proc/{}/fd/{}", ::getpid(), fmt::join(its, ","));
}

}  // namespace weft::bootstrap
