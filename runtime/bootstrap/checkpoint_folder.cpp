#include "runtime/bootstrap/checkpoint_folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "base/options.hpp"
#include "runtime/bootstrap/address_words.hpp"
#include "runtime/bootstrap/checkpoint_error.hpp"

namespace weft::bootstrap {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "checkpoint-";
constexpr const char* kAside = ".part";
constexpr const char* kSpare = "spare";
// A rank's memory may contain keys or private data: only its user may read it.
constexpr mode_t kMode = 0600;

// Opens a file for writing. Does not follow a link that somebody else has put there. Makes the file accessible to the
// user alone, even if it existed before.
int create(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, kMode);
  struct stat its {};
  if (descriptor < 0) {
    refuse_with_errno(path, "create");
  }
  const bool regular = ::fstat(descriptor, &its) == 0 && S_ISREG(its.st_mode);
  if (!regular || ::fchmod(descriptor, kMode) != 0) {
    const int error = errno;
    ::close(descriptor);
    errno = error;
    if (!regular) {
      refuse_checkpoint(path, "it is no regular file");
    }
    refuse_with_errno(path, "take its rights from others");
  }
  return descriptor;
}

// The number of a whole checkpoint's folder. The path may end in a slash, as a shell completes it.
bool read_step(const fs::path& path, std::uint64_t& steps) {
  const std::string name = (path.has_filename() ? path : path.parent_path()).filename().string();
  if (!name.starts_with(kPrefix)) {
    return false;
  }
  const char* const end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data() + kPrefix.size(), end, steps);
  return error == std::errc{} && stop == end;
}

// Whether `path` is the folder of one complete checkpoint, judged by its name and its index.
bool is_one_checkpoint(const std::string& path) {
  std::uint64_t steps = 0;
  std::error_code error;
  return read_step(path, steps) && fs::exists(checkpoint_index(path), error);
}

void sync_folder(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor >= 0) {
    ::fsync(descriptor);
    ::close(descriptor);
  }
}

}  // namespace

std::string to_text(const CheckpointTarget& target) {
  return fmt::format("{} {} {} {}", target.step, target.attempt, target.processes, target.folder);
}

CheckpointTarget parse_checkpoint_target(std::string_view text) {
  constexpr std::size_t kNumbers = 3;  // and the folder, which may have spaces
  const auto words = base::split_words(text);
  if (words.size() <= kNumbers) {
    throw std::runtime_error("a message about a checkpoint is damaged: use one version of Weft on all hosts");
  }
  return {.folder = std::string(text.substr(static_cast<std::size_t>(words[kNumbers].data() - text.data()))),
          .step = number_of<std::uint64_t>(words[0]),
          .attempt = number_of<std::uint64_t>(words[1]),
          .processes = number_of<std::uint32_t>(words[2])};
}

std::string checkpoint_index(const std::string& checkpoint) { return (fs::path(checkpoint) / "index").string(); }

std::string checkpoint_file(const std::string& checkpoint, std::uint32_t process) {
  return (fs::path(checkpoint) / fmt::format("process-{}", process)).string();
}

std::string folder_of_checkpoints(const std::string& path) {
  return is_one_checkpoint(path) ? (fs::path(path) / "..").string() : path;
}

std::string CheckpointFolder::newest() const {
  if (is_one_checkpoint(path_)) {
    return path_;
  }
  std::string found;
  std::uint64_t steps = 0;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(path_, error)) {
    std::uint64_t its = 0;
    if (read_step(entry.path(), its) && (found.empty() || its > steps)) {
      found = entry.path().string();
      steps = its;
    }
  }
  return found;
}

std::string CheckpointFolder::aside(std::uint64_t steps) const {
  const std::string attempt = attempt_ == 0 ? std::string() : fmt::format(".{}", attempt_);
  return (fs::path(path_) / fmt::format("{}{}{}{}", kPrefix, steps, attempt, kAside)).string();
}

std::string CheckpointFolder::of(std::uint64_t steps) const {
  return (fs::path(path_) / fmt::format("{}{}", kPrefix, steps)).string();
}

std::string CheckpointFolder::spare() const { return (fs::path(path_) / kSpare).string(); }

void CheckpointFolder::begin(std::uint64_t steps) const {
  std::error_code error;
  fs::create_directories(aside(steps), error);
  if (error) {
    refuse_checkpoint(aside(steps), "cannot make the folder: " + error.message());
  }
}

CheckpointFolder::File CheckpointFolder::create_file(std::uint64_t steps, std::uint32_t process) const {
  File file{.path = checkpoint_file(aside(steps), process)};
  std::error_code error;
  fs::rename(checkpoint_file(spare(), process), file.path, error);  // if there is one
  file.is_spare = !error;
  file.descriptor = create(file.path);
  return file;
}

CheckpointFolder::File CheckpointFolder::create_index(std::uint64_t steps) const {
  File file{.path = checkpoint_index(aside(steps))};
  file.descriptor = create(file.path);
  return file;
}

void CheckpointFolder::publish(std::uint64_t steps) const {
  const std::string whole = of(steps);
  sync_folder(aside(steps));
  std::error_code error;
  // A checkpoint of the same number from an earlier attempt stays until this one replaces it. Not all file systems can
  // exchange names: on the others no checkpoint has this number for a moment.
  if (::renameat2(AT_FDCWD, aside(steps).c_str(), AT_FDCWD, whole.c_str(), RENAME_EXCHANGE) == 0) {
    make_spare(aside(steps));
  } else {
    if (fs::exists(whole, error)) {
      make_spare(whole);
    }
    fs::rename(aside(steps), whole, error);
    if (error) {
      refuse_checkpoint(whole, "cannot take its place: " + error.message());
    }
  }
  sync_folder(path_);
  for (const auto& entry : fs::directory_iterator(path_, error)) {
    std::uint64_t its = 0;
    if (read_step(entry.path(), its) && its != steps) {
      make_spare(entry.path().string());
    }
  }
}

void CheckpointFolder::make_spare(const std::string& checkpoint) const {
  std::error_code error;
  fs::remove_all(spare(), error);
  fs::rename(checkpoint, spare(), error);
}

void CheckpointFolder::discard(std::uint64_t steps) const {
  std::error_code error;
  fs::remove_all(aside(steps), error);
}

void CheckpointFolder::remove_spare() const {
  std::error_code error;
  fs::remove_all(spare(), error);
}

void CheckpointFolder::remove_unfinished() const {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(path_, error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(kPrefix) && name.ends_with(kAside)) {
      fs::remove_all(entry.path(), error);
    }
  }
}

}  // namespace weft::bootstrap
