#include "runtime/lbstep/checkpoint.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "base/checksum.hpp"
#include "runtime/bootstrap/checkpoint_error.hpp"
#include "runtime/bootstrap/checkpoint_folder.hpp"
#include "runtime/lbstep/checkpoint_input.hpp"
#include "runtime/lbstep/memory_pieces.hpp"

namespace weft::runtime {
inline namespace lbstep {
namespace {

using bootstrap::CheckpointFolder;
using bootstrap::refuse_checkpoint;
using bootstrap::refuse_with_errno;

constexpr std::array<char, 8> kMagic{'W', 'E', 'F', 'T', 'C', 'K', 'P', 'A'};

// Precedes the contents of an index file.
struct IndexHead {
  std::array<char, 8> magic = kMagic;
  std::uint64_t bytes = 0;
  std::uint32_t checksum = 0;
  std::uint32_t unused = 0;
};

[[noreturn]] void refuse_altered(const std::string& path, std::uint32_t rank) {
  refuse_checkpoint(path, fmt::format("rank {} has been altered: its checksum does not hold", rank));
}

// Opens a memory file, which belongs to another process, for writing.
int open_in_memory(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0) {
    refuse_with_errno(path, "open");
  }
  return descriptor;
}

void write_all(int descriptor, const std::string& path, std::span<const std::byte> bytes, std::uint64_t offset) {
  while (!bytes.empty()) {
    const ssize_t put = ::pwrite(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (put < 0 && errno != EINTR) {
      refuse_with_errno(path, "write");
    }
    bytes = bytes.subspan(static_cast<std::size_t>(std::max<ssize_t>(put, 0)));
    offset += static_cast<std::uint64_t>(std::max<ssize_t>(put, 0));
  }
}

struct ClosedAtEnd {
  ~ClosedAtEnd() { ::close(descriptor); }
  int descriptor;
};

// Closes the descriptor, also when it throws. Returns once the index is on the disk: the checkpoint is published next.
void write_index(int descriptor, const std::string& path, CheckpointIndex& index) {
  const ClosedAtEnd file{descriptor};
  const std::vector<std::byte> text = pup::pack(index);
  IndexHead head;
  head.bytes = text.size();
  head.checksum = base::checksum(text);
  if (::ftruncate(descriptor, 0) != 0) {
    refuse_with_errno(path, "empty");
  }
  write_all(descriptor, path, std::as_bytes(std::span(&head, 1)), 0);
  write_all(descriptor, path, text, sizeof head);
  if (::fsync(descriptor) != 0) {
    refuse_with_errno(path, "write to disk");
  }
}

std::uint64_t address_of(std::span<const std::byte> range) { return reinterpret_cast<std::uint64_t>(range.data()); }

// The size of this memory in a file.
std::uint64_t bytes_in_file(std::span<const std::span<std::byte>> memory) {
  std::uint64_t end = 0;
  for (const std::span<std::byte> range : memory) {
    end = place_after(end, address_of(range)) + range.size();
  }
  return end;
}

CheckpointFiles newest_files(const std::string& path) {
  CheckpointFiles files(CheckpointFiles::are_in_memory(path) ? path : CheckpointFolder(path).newest());
  if (files.path().empty()) {
    refuse_checkpoint(path, "there is no whole checkpoint");
  }
  return files;
}

}  // namespace

CheckpointWriter::CheckpointWriter(const std::string& folder, std::uint64_t steps, std::uint32_t process,
                                   RamFiles& ram_files, ImageContents* images)
    : process_(process), ram_files_(ram_files) {
  if (images != nullptr) {
    path_ = CheckpointFiles(folder).of_process(process);
    descriptor_ = open_in_memory(path_);
    written_over_ = true;
    mapped_ = ram_files.mapped(descriptor_);
    contents_ = &images->of(descriptor_);
    struct stat its {};
    contents_->begin(::fstat(descriptor_, &its) == 0 ? static_cast<std::uint64_t>(its.st_size) : 0);
    return;
  }
  const CheckpointFolder disk(folder);
  disk.begin(steps);
  const auto file = disk.create_file(steps, process);
  path_ = file.path;
  descriptor_ = file.descriptor;
  written_over_ = file.is_spare;
  mapped_ = ram_files.mapped(descriptor_);
}

CheckpointWriter::~CheckpointWriter() {
  if (descriptor_ >= 0) {
    ::close(descriptor_);
  }
}

void CheckpointWriter::add(std::uint32_t rank, std::vector<std::byte> image,
                           std::span<const std::span<std::byte>> memory) {
  RankArea& area = contents_->place(rank, bytes_in_file(memory));
  std::vector<WrittenRange> ranges;
  CheckpointEntry entry{.rank = rank, .file = process_, .memory_offset = area.offset};
  base::Checksum of_sums;
  UnchangedSums unchanged(area);
  std::uint64_t offset = area.offset;
  for (const std::span<std::byte> range : memory) {
    offset = place_after(offset, address_of(range));
    ranges.push_back(put_range(unchanged, range, offset));
    of_sums.add(std::as_bytes(std::span(ranges.back().sums)));
    offset += range.size();
    entry.memory_bytes += range.size();
  }
  area.ranges = std::move(ranges);
  area.changed.clear();
  entry.memory_checksum = of_sums.value();
  entries_.push_back(entry);
  states_.push_back(std::move(image));
}

WrittenRange CheckpointWriter::put_range(UnchangedSums& unchanged, std::span<const std::byte> range,
                                         std::uint64_t offset) {
  const std::uint64_t begin = address_of(range);
  WrittenRange written{.addresses = {begin, begin + range.size()}, .offset = offset, .sums = {}};
  std::span<const std::byte> changed;  // parts of pages one after the other
  const auto copy_changed = [&] { copy(changed, offset + (address_of(changed) - begin), written.sums); };
  for_each_page(range, [&](std::span<const std::byte> part) {
    const std::uint64_t at = address_of(part);
    const std::uint32_t* const sum = unchanged.find({at, at + part.size()}, offset + (at - begin));
    if (sum == nullptr) {
      changed = changed.empty() ? part : std::span(changed.data(), changed.size() + part.size());
    } else {
      copy_changed();
      changed = {};
      written.sums.push_back(*sum);
    }
  });
  copy_changed();
  return written;
}

void CheckpointWriter::copy(std::span<const std::byte> memory, std::uint64_t offset, std::vector<std::uint32_t>& sums) {
  copied_ += memory.size();
  while (!memory.empty()) {
    const auto piece = next_piece(memory);
    const bool is_mapped = offset + piece.size() <= mapped_.size();
    for_each_page(piece, [&](std::span<const std::byte> part) {
      base::Checksum sum;
      if (is_mapped) {
        sum.add_and_copy(part, mapped_.data() + offset + (part.data() - piece.data()));
      } else {
        sum.add(part);
      }
      sums.push_back(sum.value());
    });
    if (is_mapped) {
      base::Checksum::copies_are_done();
    } else {
      write_all(descriptor_, path_, piece, offset);
    }
    offset += piece.size();
    memory = memory.subspan(piece.size());
  }
}

void CheckpointWriter::put(std::span<const std::byte> bytes, std::uint64_t offset) {
  if (offset + bytes.size() <= mapped_.size()) {
    std::ranges::copy(bytes, mapped_.begin() + static_cast<std::ptrdiff_t>(offset));
  } else {
    write_all(descriptor_, path_, bytes, offset);
  }
}

std::vector<CheckpointEntry> CheckpointWriter::close() {
  std::uint64_t end = contents_->areas_end();
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    entries_[i].image_offset = end;
    entries_[i].image_bytes = states_[i].size();
    entries_[i].image_checksum = base::checksum(states_[i]);
    put(states_[i], end);
    end += states_[i].size();
  }
  if (::ftruncate(descriptor_, static_cast<off_t>(end)) != 0 || ::fsync(descriptor_) != 0) {
    refuse_with_errno(path_, "write to disk");
  }
  contents_->end(end);
  if (written_over_) {  // and will be overwritten again: a mapping pays
    ram_files_.keep(descriptor_);
  }
  ::close(std::exchange(descriptor_, -1));
  return std::move(entries_);
}

void CheckpointWriter::publish(const std::string& folder, CheckpointIndex& index) {
  if (CheckpointFiles::are_in_memory(folder)) {
    const std::string path = CheckpointFiles(folder).index();
    write_index(open_in_memory(path), path, index);
    return;
  }
  const CheckpointFolder disk(folder);
  const auto file = disk.create_index(index.steps);
  write_index(file.descriptor, file.path, index);
  disk.publish(index.steps);
}

void CheckpointWriter::discard(const std::string& folder, std::uint64_t steps) {
  if (CheckpointFiles::are_in_memory(folder)) {
    CheckpointFiles(folder).empty_memory();
    return;
  }
  CheckpointFolder(folder).discard(steps);
}

CheckpointReader::CheckpointReader(const std::string& folder) : files_(newest_files(folder)) {
  const std::string path = files_.index();
  const CheckpointInput file(path, false);
  IndexHead head;
  file.read(std::as_writable_bytes(std::span(&head, 1)), 0);
  if (head.magic != kMagic) {
    refuse_checkpoint(path, "it is not an index of this version of Weft");
  }
  if (file.size() != sizeof head + head.bytes) {
    refuse_checkpoint(path, "it is cut short");
  }
  std::vector<std::byte> text(head.bytes);
  file.read(text, sizeof head);
  if (base::checksum(text) != head.checksum) {
    refuse_checkpoint(path, "it has been altered: its checksum does not hold");
  }
  pup::unpack(text, index_);
}

const CheckpointEntry& CheckpointReader::entry(std::uint32_t rank) const {
  const auto found = std::find_if(index_.entries.begin(), index_.entries.end(),
                                  [&](const CheckpointEntry& entry) { return entry.rank == rank; });
  if (found == index_.entries.end()) {
    refuse_checkpoint(files_.path(), fmt::format("rank {} is missing", rank));
  }
  return *found;
}

std::vector<std::byte> CheckpointReader::image(const CheckpointEntry& entry) const {
  const std::string path = files_.of_process(entry.file);
  const CheckpointInput file(path, false);
  std::vector<std::byte> image(entry.image_bytes);
  file.read(image, entry.image_offset);
  if (base::checksum(image) != entry.image_checksum) {
    refuse_altered(path, entry.rank);
  }
  return image;
}

void CheckpointReader::memory(const CheckpointEntry& entry, std::span<const std::span<std::byte>> memory) const {
  const std::string path = files_.of_process(entry.file);
  const CheckpointInput file(path, CheckpointFiles::are_in_memory(files_.path()));
  base::Checksum of_sums;
  std::uint64_t offset = entry.memory_offset;
  for (const std::span<std::byte> range : memory) {
    offset = place_after(offset, address_of(range));
    std::vector<std::uint32_t> sums;
    file.read(range, offset, sums);
    of_sums.add(std::as_bytes(std::span(sums)));
    offset += range.size();
  }
  if (of_sums.value() != entry.memory_checksum) {
    refuse_altered(path, entry.rank);
  }
}

}  // namespace lbstep
}  // namespace weft::runtime
