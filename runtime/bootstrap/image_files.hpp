// Memory files for the images of a job's ranks. The launcher holds them, so they outlive the processes that write them.
// Nothing is left of them when the launcher ends, however that happens.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/bootstrap/memory_files.hpp"

namespace weft::bootstrap {

// Images use two sets of files alternately, so that a new image never overwrites the last complete one.
constexpr std::uint32_t kImages = 2;

// The environment variable that passes an ImagesAddress to the processes.
constexpr const char* kImagesVariable = "WEFT_IMAGES";

struct ImagesAddress {
  // "/proc/PID/fd/3,4,5": a file for the index, then one for each process, and perhaps more.
  std::array<std::string, kImages> paths;
  std::optional<std::uint32_t> whole;  // the image from which the job continues: 0 or 1
  // If set, the job continues from this checkpoint in the folder of --checkpoint.
  std::optional<std::uint64_t> on_disk = std::nullopt;
  std::uint32_t seconds = 0;           // how long the job has run
  std::uint32_t unsaved_seconds = 0;   // time since the last copy to a disk began, or since the job's start
  std::vector<std::uint32_t> readers;  // by the process that has written a file: the process that reads it now
  std::string refusal;                 // why the job does not get another number of processes that was just requested
};

// "1,2,5". Throws std::runtime_error.
std::vector<std::uint32_t> parse_files(std::string_view text);

std::string to_text(const ImagesAddress& images);
// Throws std::runtime_error.
ImagesAddress parse_images_address(std::string_view text);

class ImageFiles {
 public:
  // Creates empty files. Throws std::runtime_error.
  explicit ImageFiles(std::uint32_t processes) { make_room(processes); }
  ~ImageFiles();
  ImageFiles(const ImageFiles&) = delete;
  ImageFiles& operator=(const ImageFiles&) = delete;

  // Creates files for at least so many processes. Throws std::runtime_error, and nothing has changed.
  void make_room(std::uint32_t processes);
  // Closes the files of this process and all higher ones.
  void drop_from(std::uint32_t process);
  // Frees the memory of all files of the image except these.
  void keep(std::uint32_t image, const std::vector<std::uint32_t>& files) const;

  // In the format of ImagesAddress.
  std::array<std::string, kImages> paths() const;
  // The descriptor of file 0, the index, or of 1 + p, the file of process p. Throws std::out_of_range.
  int descriptor(std::uint32_t image, std::uint32_t file) const { return descriptors_.at(image).at(file); }

 private:
  MemoryFiles memory_;
  std::array<std::vector<int>, kImages> descriptors_;  // the index's, then those of processes
};

}  // namespace weft::bootstrap
