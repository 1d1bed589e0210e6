#include "mpi_shim/io/transfer.hpp"

#include <numeric>
#include <optional>

#include "mpi_shim/io/allgather_value.hpp"
#include "mpi_shim/request/status.hpp"

namespace weft::mpi_shim::io {

namespace {

Problem check_mode(const File& file, const DataCall& call) {
  if (call.writes && (file.amode & MPI_MODE_RDONLY) != 0) {
    return problem(MPI_ERR_READ_ONLY, "{} is open with MPI_MODE_RDONLY", file.path);
  }
  if (!call.writes && (file.amode & MPI_MODE_WRONLY) != 0) {
    return problem(MPI_ERR_ACCESS, "{} is open with MPI_MODE_WRONLY", file.path);
  }
  if (call.position != FilePosition::at_shared_pointer && (file.amode & MPI_MODE_SEQUENTIAL) != 0) {
    return problem(MPI_ERR_UNSUPPORTED_OPERATION,
                   "{} is open with MPI_MODE_SEQUENTIAL, where data are moved at the shared pointer only", file.path);
  }
  return {};
}

Problem check_buffer(RankState& me, const DataCall& call) {
  const Datatype* const type = find_datatype(me, call.datatype);
  if (call.count < 0) {
    return problem(MPI_ERR_COUNT, "count {} is negative", call.count);
  }
  if (type == nullptr) {
    return problem(MPI_ERR_TYPE, "datatype is MPI_DATATYPE_NULL or not a datatype of this rank");
  }
  if (!type->committed) {
    return problem(MPI_ERR_TYPE, "datatype is not committed: call MPI_Type_commit first");
  }
  if (call.buffer == nullptr && lies_at_null(nullptr, call.count, *type)) {
    return problem(MPI_ERR_BUFFER, "the buffer is a null pointer, with count {}", call.count);
  }
  if (call.buffer == MPI_IN_PLACE && call.count > 0) {
    return problem(MPI_ERR_BUFFER, "the buffer is MPI_IN_PLACE, which has no meaning here");
  }
  return {};
}

Problem failed_conversion(const File& file, int error) {
  return problem(MPI_ERR_CONVERSION, "a function of datarep \"{}\" returned error {}", file.view.representation, error);
}

Problem check_sizes(RankState& me, const File& file, const DataCall& call) {
  const Datatype& type = *find_datatype(me, call.datatype);
  const Representation representation = *find_representation(me, file.view.representation);
  const ElementInFile element = element_in_file(me, representation, type);
  if (element.error != MPI_SUCCESS) {
    return failed_conversion(file, element.error);
  }
  const RegisteredDatarep* const own = representation.own;
  if (own != nullptr && !(call.writes ? own->write : own->read) && element.bytes != type.size()) {
    return problem(MPI_ERR_CONVERSION,
                   "datarep \"{}\" gives {} bytes another size, and has no function to convert them",
                   file.view.representation, type.size());
  }
  const std::uint64_t bytes = static_cast<std::uint64_t>(call.count) * element.bytes;
  if (bytes % file.view.etype_bytes != 0) {
    return problem(MPI_ERR_IO, "{} bytes are not whole etypes of the view, which have {}", bytes,
                   file.view.etype_bytes);
  }
  return {};
}

Problem check(RankState& me, const File& file, const DataCall& call) {
  if (Problem wrong = check_mode(file, call)) {
    return wrong;
  }
  if (Problem wrong = check_buffer(me, call)) {
    return wrong;
  }
  if (call.position == FilePosition::at_offset && call.offset < 0) {
    return problem(MPI_ERR_ARG, "offset {} is negative", call.offset);
  }
  return check_sizes(me, file, call);
}

// A call whose arguments are checked.
class Transfer {
 public:
  Transfer(RankState& me, File& file, const DataCall& call)
      : file_(file),
        position_(call.position),
        writes_(call.writes),
        offset_(call.offset),
        staging_(me, *find_representation(me, file.view.representation),
                 {call.buffer, static_cast<std::size_t>(call.count), *find_datatype(me, call.datatype)}, call.writes) {}
  std::int64_t etypes() const { return static_cast<std::int64_t>(staging_.buffer().bytes / file_.view.etype_bytes); }
  Problem problem() const {
    return staging_.error() == MPI_SUCCESS ? Problem() : failed_conversion(file_, staging_.error());
  }

  // Sets the offset in the file. Moves the shared pointer, unless `ordered` is the member's position in an ordered
  // call.
  Problem place(const std::int64_t* ordered) {
    if (position_ == FilePosition::at_pointer) {
      offset_ = file_.position;
    } else if (ordered != nullptr) {
      offset_ = *ordered;
    } else if (position_ == FilePosition::at_shared_pointer) {
      return system_problem(file_.shared_pointer().add(etypes(), offset_), file_.pointer_path);
    }
    return {};
  }

  Access access(PosixFile* posix, int error) const {
    Access access{posix,
                  file_.view.map,
                  file_.hints,
                  file_.atomic,
                  writes_,
                  staging_.buffer(),
                  static_cast<std::uint64_t>(offset_) * file_.view.etype_bytes,
                  error};
    if (file_.view.map.tile_bytes() == 0) {  // a view that shows nothing
      access.memory.bytes = 0;
    }
    return access;
  }

  // The bytes in memory.
  std::uint64_t finish(const AccessResult& moved) {
    const std::uint64_t etype = file_.view.etype_bytes;
    if (position_ == FilePosition::at_pointer) {
      file_.position = offset_ + static_cast<std::int64_t>((moved.bytes + etype - 1) / etype);
    }
    return staging_.finish(moved.bytes);
  }

 private:
  File& file_;
  const FilePosition position_;
  const bool writes_;
  std::int64_t offset_;
  Staging staging_;
};

// Ordered access at the shared pointer: `before` is the position of this member's data, which follow those of lower
// ranks. Moves the pointer to the end of all members' data.
Problem fetch_ordered_offset(const Entry& entry, const Communicator& comm, const File& file, std::int64_t etypes,
                             std::int64_t& before) {
  struct Base {
    std::int64_t pointer;
    int error;
  } base{};
  const std::vector<std::int64_t> all = allgather_value(entry, comm, etypes);
  const auto own = all.begin() + comm.rank;
  if (comm.rank == 0) {
    base.error = file.shared_pointer().add(std::accumulate(all.begin(), all.end(), std::int64_t{0}), base.pointer);
  }
  base = allgather_value(entry, comm, base)[0];
  before = std::accumulate(all.begin(), own, base.pointer);
  return system_problem(base.error, file.pointer_path);
}

void set_status(MPI_Status* status, std::uint64_t bytes) {
  if (status != MPI_STATUS_IGNORE) {
    fill_status(*status, MPI_ANY_SOURCE, MPI_ANY_TAG, bytes);
  }
}

}  // namespace

int transfer_independent(const Entry& entry, const DataCall& call, std::uint64_t& bytes) {
  int error = MPI_SUCCESS;
  bytes = 0;
  File* const file = checked_file(entry, call.file, error);
  if (file == nullptr) {
    return error;
  }
  if (const Problem wrong = check(entry.me, *file, call)) {
    return raise(entry, file, wrong);
  }
  Transfer transfer(entry.me, *file, call);
  Problem wrong = transfer.problem();
  if (wrong = wrong ? wrong : transfer.place(nullptr); wrong) {
    return raise(entry, file, wrong);
  }
  int no_file = 0;
  PosixFile* const posix = descriptor(entry.me, *file, no_file);
  const AccessResult moved = access_independently(transfer.access(posix, no_file));
  bytes = transfer.finish(moved);
  wrong = moved.error == 0 ? transfer.problem() : system_problem(moved.error, file->path);
  return wrong ? raise(entry, file, wrong) : MPI_SUCCESS;
}

int transfer_collective(const Entry& entry, const DataCall& call, std::uint64_t& bytes) {
  int error = MPI_SUCCESS;
  bytes = 0;
  File* const file = checked_file(entry, call.file, error);
  if (file == nullptr) {
    return error;
  }
  const Communicator& comm = *find_comm(entry.me, file->comm);
  Problem wrong = check(entry.me, *file, call);
  // A member with a problem still takes part with no data, since the others wait for it.
  const DataCall nothing{call.writes, FilePosition::at_offset, call.file, 0, nullptr, 0, MPI_BYTE};
  Transfer transfer(entry.me, *file, wrong ? nothing : call);
  std::int64_t ordered = 0;
  if (call.position == FilePosition::at_shared_pointer) {
    const Problem lost = fetch_ordered_offset(entry, comm, *file, transfer.etypes(), ordered);
    wrong = wrong ? wrong : lost;
  }
  transfer.place(call.position == FilePosition::at_shared_pointer ? &ordered : nullptr);
  int no_file = 0;
  PosixFile* const posix = descriptor(entry.me, *file, no_file);
  Access access = transfer.access(posix, no_file);
  if (wrong) {
    access.memory.bytes = 0;
  }
  const AccessResult moved = access_collectively(entry, comm, access);
  bytes = transfer.finish(moved);
  wrong = wrong ? wrong : moved.error == 0 ? transfer.problem() : system_problem(moved.error, file->path);
  return wrong ? raise(entry, file, wrong) : MPI_SUCCESS;
}

int transfer_blocking(const Entry& entry, const DataCall& call, MPI_Status* status) {
  std::uint64_t bytes = 0;
  const int error = transfer_independent(entry, call, bytes);
  set_status(status, bytes);
  return error;
}

int transfer_collective_blocking(const Entry& entry, const DataCall& call, MPI_Status* status) {
  std::uint64_t bytes = 0;
  const int error = transfer_collective(entry, call, bytes);
  set_status(status, bytes);
  return error;
}

int start_transfer(const Entry& entry, const DataCall& call, MPI_Request* request) {
  std::uint64_t bytes = 0;
  const int error = transfer_independent(entry, call, bytes);
  if (error != MPI_SUCCESS) {
    return error;
  }
  // MPI_Wait and its like see a complete receive.
  PendingRequest& finished = entry.me.requests.acquire();
  finished.message.reset(*entry.me.rank, runtime::Request::Kind::receive, {0, MPI_ANY_SOURCE, MPI_ANY_TAG}, {});
  finished.message.bytes = bytes;
  finished.message.done = true;
  *request = finished.handle;
  return MPI_SUCCESS;
}

int begin_split(const Entry& entry, Split kind, const DataCall& call) {
  int error = MPI_SUCCESS;
  File* const file = checked_file(entry, call.file, error);
  if (file == nullptr) {
    return error;
  }
  if (file->split != Split::none) {
    return raise(entry, file, problem(MPI_ERR_IO, "another split collective call is pending on {}", file->path));
  }
  std::uint64_t bytes = 0;
  error = transfer_collective(entry, call, bytes);
  if (error == MPI_SUCCESS) {
    file->split = kind;
    file->split_bytes = bytes;
  }
  return error;
}

int end_split(const Entry& entry, Split kind, MPI_File handle, MPI_Status* status) {
  int error = MPI_SUCCESS;
  File* const file = checked_file(entry, handle, error);
  if (file == nullptr) {
    return error;
  }
  if (file->split != kind) {
    return raise(entry, file,
                 problem(MPI_ERR_IO, "no split collective call of this kind is pending on {}", file->path));
  }
  file->split = Split::none;
  set_status(status, file->split_bytes);
  return MPI_SUCCESS;
}

}  // namespace weft::mpi_shim::io
