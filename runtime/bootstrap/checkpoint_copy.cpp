#include "runtime/bootstrap/checkpoint_copy.hpp"

#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "runtime/bootstrap/checkpoint_error.hpp"

namespace weft::bootstrap {
namespace {

constexpr int kNice = 10;  // ranks that compute go before

// What lies in holes nobody reads.
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
      if (::sendfile(to.descriptor, from, &offset, static_cast<std::size_t>(end - offset)) <= 0) {
        refuse_with_errno(to.path, "write");
      }
    }
  }
  if (::fsync(to.descriptor) != 0) {
    refuse_with_errno(to.path, "write to disk");
  }
  ::close(to.descriptor);
}

}  // namespace

void save_files(const ImageFiles& images, std::uint32_t image, const std::vector<std::uint32_t>& files,
                const CheckpointPlace& to) {
  ::setpriority(PRIO_PROCESS, 0, kNice);
  const CheckpointFolder folder(to.folder);
  for (const std::uint32_t file : files) {
    copy_data(images.descriptor(image, file),
              file == 0 ? folder.create_index(to.step) : folder.create_file(to.step, file - 1));
  }
  if (std::ranges::find(files, 0U) != files.end()) {
    folder.publish(to.step);
  }
}

}  // namespace weft::bootstrap
