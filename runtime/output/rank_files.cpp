#include "runtime/output/rank_files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <system_error>

namespace weft::runtime {
inline namespace output {
namespace {

int write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno != EINTR) {
      return -1;
    }
    text.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(written, 0)));
  }
  return 0;
}

constexpr mode_t kMode = 0666;  // the umask takes the rest away

}  // namespace

std::string RankFiles::folder_of(std::uint32_t rank) const {
  const std::size_t digits = std::to_string(std::max(ranks_, std::uint32_t{1}) - 1).size();
  const std::string number = std::to_string(rank);
  return folder_ + "/1/rank." + std::string(digits - std::min(digits, number.size()), '0') + number;
}

void RankFiles::make(std::uint32_t rank, bool keep) const {
  std::error_code error;
  std::filesystem::create_directories(folder_of(rank), error);
  for (const char* const name : {"/stdout", "/stderr"}) {
    const std::string path = folder_of(rank) + name;
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | (keep ? 0 : O_TRUNC) | O_CLOEXEC, kMode);
    if (file < 0) {
      throw std::runtime_error("--output-filename: cannot write the file " + path + ": " + std::strerror(errno));
    }
    ::close(file);
  }
}

int RankFiles::append(std::uint32_t rank, int fd, std::string_view first, std::string_view second) const {
  const std::string path = folder_of(rank) + (fd == 2 ? "/stderr" : "/stdout");
  int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, kMode);
  if (file < 0 && errno == ENOENT) {  // a rank that has been spawned, or has come to another host
    std::error_code error;
    std::filesystem::create_directories(folder_of(rank), error);
    file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, kMode);
  }
  if (file < 0) {
    return -1;
  }
  const int result = write_all(file, first) == 0 ? write_all(file, second) : -1;
  const int why = errno;
  ::close(file);
  errno = why;
  return result;
}

}  // namespace output
}  // namespace weft::runtime
