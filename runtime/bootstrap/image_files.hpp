// Memory files for the images of a job's ranks. The launcher holds them, so that they outlive the processes that write
// them, and nothing is left of them when it ends, however that happens.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::bootstrap {

// Images go to the files of two in turn, so that a new one never overwrites the last whole one.
constexpr std::uint32_t kImages = 2;

// Of the variable by which the launcher tells the processes what follows.
constexpr const char* kImagesVariable = "WEFT_IMAGES";

struct ImagesAddress {
  // "/proc/PID/fd/3,4,5": a file for each process, then one for the index.
  std::array<std::string, kImages> paths;
  std::optional<std::uint32_t> whole;  // the image that the job goes on from: 0 or 1
  std::uint32_t seconds = 0;           // that the job has run for
};

std::string to_text(const ImagesAddress& images);
// Throws std::runtime_error.
ImagesAddress parse_images_address(std::string_view text);

class ImageFiles {
 public:
  // Empty files. Throws std::runtime_error.
  explicit ImageFiles(std::uint32_t processes);
  ~ImageFiles();
  ImageFiles(const ImageFiles&) = delete;
  ImageFiles& operator=(const ImageFiles&) = delete;

  // As ImagesAddress has it.
  std::array<std::string, kImages> paths() const;

 private:
  std::string path(std::uint32_t which) const;
  void close_all();

  std::uint32_t files_;           // of an image
  std::vector<int> descriptors_;  // of the first image, then of the second
};

}  // namespace weft::bootstrap
