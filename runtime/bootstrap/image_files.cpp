#include "runtime/bootstrap/image_files.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/options.hpp"
#include "runtime/bootstrap/address_words.hpp"

namespace weft::bootstrap {
namespace {

constexpr std::string_view kNone = "-";
constexpr std::string_view kOnDisk = "disk:";

// False unless the whole word is a number.
bool read_number(std::string_view word, std::uint32_t& number) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return error == std::errc{} && end == word.data() + word.size();
}

void cut(std::vector<int>& descriptors, std::size_t length) {
  while (descriptors.size() > length) {
    ::close(descriptors.back());
    descriptors.pop_back();
  }
}

}  // namespace

std::string to_text(const ImagesAddress& images) {
  const std::string whole = images.whole     ? std::to_string(*images.whole)
                            : images.on_disk ? fmt::format("{}{}", kOnDisk, *images.on_disk)
                                             : std::string(kNone);
  const std::string readers =
      images.readers.empty() ? std::string(kNone) : fmt::format("{}", fmt::join(images.readers, ","));
  return fmt::format("{} {} {} {} {} {} {}", images.paths[0], images.paths[1], whole, images.seconds,
                     images.unsaved_seconds, readers, images.refusal);
}

std::vector<std::uint32_t> parse_files(std::string_view text) {
  std::vector<std::uint32_t> files;
  for (const auto word : base::split_words(text, ',')) {
    files.push_back(number_of<std::uint32_t>(word));
  }
  return files;
}

ImagesAddress parse_images_address(std::string_view text) {
  constexpr std::size_t kWords = kImages + 4;  // the refusal, which may have spaces, follows them
  const auto words = base::split_words(text);
  ImagesAddress images;
  std::uint32_t whole = 0;
  const bool is_there = words.size() >= kWords;
  if (is_there && words[2].starts_with(kOnDisk)) {
    images.on_disk = number_of<std::uint64_t>(words[2].substr(kOnDisk.size()));
  }
  const bool is_whole = is_there && words[2] != kNone && !images.on_disk;
  if (!is_there || (is_whole && (!read_number(words[2], whole) || whole >= kImages)) ||
      !read_number(words[3], images.seconds) || !read_number(words[4], images.unsaved_seconds)) {
    throw std::runtime_error(std::string(kImagesVariable) + " is damaged; it is set by weftrun only");
  }
  images.paths = {std::string(words[0]), std::string(words[1])};
  if (words[kWords - 1] != kNone) {
    images.readers = parse_files(words[kWords - 1]);
  }
  if (words.size() > kWords) {
    images.refusal = text.substr(static_cast<std::size_t>(words[kWords].data() - text.data()));
  }
  if (is_whole) {
    images.whole = whole;
  }
  return images;
}

ImageFiles::~ImageFiles() {
  for (std::vector<int>& image : descriptors_) {
    cut(image, 0);
  }
}

void ImageFiles::make_room(std::uint32_t processes) {
  const std::size_t files = std::size_t{processes} + 1;
  const std::size_t before = descriptors_[0].size();
  for (std::size_t i = before; i < files; ++i) {
    for (std::vector<int>& image : descriptors_) {
      const int descriptor = memory_.create("weft-image");
      if (descriptor < 0) {
        const int error = errno;
        for (std::vector<int>& its : descriptors_) {
          cut(its, before);
        }
        throw std::runtime_error(
            fmt::format("--survive: cannot make {} memory files: {}", kImages * files, std::strerror(error)));
      }
      image.push_back(descriptor);
    }
  }
}

void ImageFiles::drop_from(std::uint32_t process) {
  for (std::vector<int>& image : descriptors_) {
    cut(image, std::size_t{process} + 1);
  }
}

void ImageFiles::keep(std::uint32_t image, const std::vector<std::uint32_t>& files) const {
  const std::vector<int>& all = descriptors_.at(image);
  for (std::uint32_t file = 0; file < all.size(); ++file) {
    if (std::ranges::find(files, file) == files.end() && ::ftruncate(all[file], 0) != 0) {
      continue;  // this file keeps its memory until an image is written to it
    }
  }
}

std::array<std::string, kImages> ImageFiles::paths() const {
  const auto path = [](const std::vector<int>& image) {
    return fmt::format("/proc/{}/fd/{}", ::getpid(), fmt::join(image, ","));
  };
  return {path(descriptors_[0]), path(descriptors_[1])};
}

}  // namespace weft::bootstrap
