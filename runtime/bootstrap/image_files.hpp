// Memory files for the images of a job's ranks. The launcher holds them, so that they outlive the processes that write
// them, and nothing is left of them when it ends, however that happens.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/bootstrap/memory_files.hpp"

namespace weft::bootstrap {

// Images go to the files of two in turn, so that a new one never overwrites the last whole one.
constexpr std::uint32_t kImages = 2;

// Of the variable by which the launcher tells the processes what follows.
constexpr const char* kImagesVariable = "WEFT_IMAGES";

struct ImagesAddress {
  // "/proc/PID/fd/3,4,5": a file for the index, then one for each process, and perhaps more.
  std::array<std::string, kImages> paths;
  std::optional<std::uint32_t> whole;  // the image that the job goes on from: 0 or 1
  // It goes on from this checkpoint of the folder of --checkpoint.
  std::optional<std::uint64_t> on_disk = std::nullopt;
  std::uint32_t seconds = 0;           // that the job has run for
  std::uint32_t unsaved_seconds = 0;   // the same, since an image was last to go to a disk
  std::vector<std::uint32_t> readers;  // by the process that has written a file: the one that reads it now
  std::string refusal;                 // why it has no other number of processes, for which somebody has just asked
};

// "1,2,5". Throws std::runtime_error.
std::vector<std::uint32_t> parse_files(std::string_view text);

std::string to_text(const ImagesAddress& images);
// Throws std::runtime_error.
ImagesAddress parse_images_address(std::string_view text);

class ImageFiles {
 public:
  // Empty files. Throws std::runtime_error.
  explicit ImageFiles(std::uint32_t processes) { make_room(processes); }
  ~ImageFiles();
  ImageFiles(const ImageFiles&) = delete;
  ImageFiles& operator=(const ImageFiles&) = delete;

  // There are files for at least so many processes. Throws std::runtime_error, and nothing has changed.
  void make_room(std::uint32_t processes);
  // There are no files of processes from this one on any more.
  void drop_from(std::uint32_t process);
  // Gives back the memory of all files of the image but these.
  void keep(std::uint32_t image, const std::vector<std::uint32_t>& files) const;

  // As ImagesAddress has it.
  std::array<std::string, kImages> paths() const;
  // Of file 0, the index, or 1 + p, that of process p. Throws std::out_of_range.
  int descriptor(std::uint32_t image, std::uint32_t file) const { return descriptors_.at(image).at(file); }

 private:
  MemoryFiles memory_;
  std::array<std::vector<int>, kImages> descriptors_;  // the index's, then those of processes
};

}  // namespace weft::bootstrap
