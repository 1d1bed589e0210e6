#include "runtime/bootstrap/checkpoint_copy.hpp"

#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "base/host_name.hpp"
#include "runtime/bootstrap/checkpoint_error.hpp"

namespace weft::bootstrap {
namespace {

constexpr int kNice = 10;  // ranks that compute have priority

// Holes stay holes: everything that a rank has written is data, so the index refers to no byte of a hole.
void copy_data(int from, const CheckpointFolder::File& to) {
  struct stat its {};
  if (::fstat(from, &its) != 0 || ::ftruncate(to.descriptor, its.st_size) != 0) {
    refuse_with_errno(to.path, "write");
  }
  for (off_t offset = 0; offset < its.st_size;) {
    offset = ::lseek(from, offset, SEEK_DATA);
    if (offset < 0 && errno == ENXIO) {
      break;
    }
    const off_t end = ::lseek(from, offset, SEEK_HOLE);
    if (offset < 0 || end < 0 || ::lseek(to.descriptor, offset, SEEK_SET) < 0) {
      refuse_with_errno(to.path, "write");
    }
    while (offset < end) {
      const ssize_t sent = ::sendfile(to.descriptor, from, &offset, static_cast<std::size_t>(end - offset));
      if (sent == 0) {
        refuse_checkpoint(to.path, "its image has been cut");
      }
      if (sent < 0 && errno != EINTR) {
        refuse_with_errno(to.path, "write");
      }
    }
  }
  if (::fsync(to.descriptor) != 0) {
    refuse_with_errno(to.path, "write to disk");
  }
  ::close(to.descriptor);
}

void require(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    refuse_checkpoint(path,
                      "it is not seen on host " + base::host_name() + ": the hosts of a job must share the folder");
  }
}

}  // namespace

void save_files(const ImageFiles& images, std::uint32_t image, const std::vector<std::uint32_t>& files,
                const CheckpointTarget& to) {
  ::setpriority(PRIO_PROCESS, 0, kNice);
  const CheckpointFolder folder(to.folder, to.attempt);
  for (const std::uint32_t file : files) {
    copy_data(images.descriptor(image, file),
              file == 0 ? folder.create_index(to.step) : folder.create_file(to.step, file - 1));
  }
}

void publish_checkpoint(const CheckpointTarget& target) {
  const CheckpointFolder folder(target.folder, target.attempt);
  const std::string aside = folder.aside(target.step);
  require(checkpoint_index(aside));
  for (std::uint32_t process = 0; process < target.processes; ++process) {
    require(checkpoint_file(aside, process));
  }
  folder.publish(target.step);
}

}  // namespace weft::bootstrap
