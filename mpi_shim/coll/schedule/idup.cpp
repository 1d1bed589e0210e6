// MPI_Comm_idup. In a job of several processes member 0 takes a context number, which the request's schedule
// broadcasts.
#include "mpi_shim/coll/schedule/idup.hpp"

#include "mpi_shim/attribute/attribute_callbacks.hpp"
#include "mpi_shim/coll/message_algorithms.hpp"
#include "mpi_shim/coll/schedule/schedule_builder.hpp"
#include "mpi_shim/comm/comm_dup.hpp"
#include "mpi_shim/comm/membership.hpp"
#include "mpi_shim/comm/process_comms.hpp"
#include "mpi_shim/entry/entry.hpp"
#include "mpi_shim/error/errhandler.hpp"
#include "mpi_shim/request/progress.hpp"

namespace weft::mpi_shim {
inline namespace coll {
namespace {

// Drops a copy that has not become a communicator; it may be null.
void discard(RankState& me, std::unique_ptr<Communicator>& copy) {
  if (copy != nullptr) {
    delete_attributes(me, handle_value(MPI_COMM_NULL), copy->attributes);
    release_errhandler(me, copy->errhandler);
    copy.reset();
  }
}

// Owns the copy until its context number is known; then the copy becomes one of the rank's communicators.
class Duplication final : public Operation {
 public:
  Kind kind() const override { return Kind::duplication; }
  bool collective() const override { return true; }
  const char* call() const override { return "MPI_Comm_idup"; }
  // Packed only once it is complete.
  const char* pinned() const override { return steps == nullptr ? nullptr : "it copies a communicator"; }
  void pup(pup::Puper& p, runtime::Rank&) override { p | error; }
  void add_awaited(std::vector<runtime::Request*>& awaited) override { steps->add_awaited(awaited); }
  void add_open(std::vector<runtime::Request*>& open) override { steps->add_open(open); }
  int finish(RankState&, MPI_Status&) override { return error; }
  // Not in advance(): the delete functions of attributes may run in the call that completes the request only.
  int free(RankState& me) override {
    discard(me, copy);
    return MPI_SUCCESS;
  }
  bool advance(RankState& me) override {
    if (!steps->advance(me)) {
      return false;
    }
    MPI_Status nothing{};
    if (const int failed = steps->finish(me, nothing); failed == MPI_SUCCESS) {
      make(me);
    } else if (error == MPI_SUCCESS) {
      error = failed;
    }
    steps.reset();
    return true;
  }
  // A member whose attributes could not be copied makes the communicator, too: the process keeps it until all of its
  // members have called make_comm_by_number().
  void make(RankState& me) {
    auto shared = make_comm_by_number(me.rank->job, {*context, of->group, of->remote, of->topology, of->side});
    if (error == MPI_SUCCESS) {
      copy->shared = std::move(shared);
      *newcomm = register_comm(me, std::move(copy)).handle;
    }
  }

  std::unique_ptr<Schedule> steps;
  const std::uint32_t* context = nullptr;  // in the steps' memory
  std::shared_ptr<const CommShared> of;
  std::unique_ptr<Communicator> copy;
  MPI_Comm* newcomm = nullptr;
  int error = MPI_SUCCESS;
};

// Collective over `comm`, in a job of several processes; does not wait. Returns the request. Once it is complete,
// `copy`, which lacks only its shared part, is a communicator of the rank and `newcomm` has its handle; or the request
// ends with `error`.
MPI_Request duplicate_later(const Entry& entry, Communicator& comm, std::unique_ptr<Communicator> copy, int error,
                            MPI_Comm* newcomm) {
  runtime::Job& job = entry.me.rank->job;
  ScheduleBuilder builder(entry.me, comm);
  auto* const context = reinterpret_cast<std::uint32_t*>(builder.scratch(sizeof(std::uint32_t)));
  const bool gives = comm.rank == 0 && comm.shared->side == 0;
  if (gives) {
    *context = process_comms(job).numbers()->take(job, 1);
  }
  if (comm.is_inter() && (gives || comm.shared->side == 1)) {
    by_messages::inter_bcast(builder, {context, sizeof *context}, gives ? MPI_ROOT : 0);
  }
  if (comm.shared->side == 0) {
    by_messages::bcast(builder, {context, sizeof *context}, 0);
  }
  auto duplication = std::make_unique<Duplication>();
  duplication->steps = builder.take(entry.call());
  duplication->context = context;
  duplication->of = comm.shared;
  duplication->copy = std::move(copy);
  duplication->newcomm = newcomm;
  duplication->error = error;
  return add_operation(entry.me, comm.handle, std::move(duplication));
}

// In a job of one process the copy is made at once, and the request is complete from the start.
int idup(const Entry& entry, MPI_Comm comm, const Info* hints, MPI_Comm* newcomm, MPI_Request* request) {
  RankState& me = entry.me;
  Communicator* const parent = find_comm(me, comm);
  if (parent != nullptr && request == nullptr) {
    return entry.null_argument(comm, "request");
  }
  if (parent == nullptr || newcomm == nullptr || !me.rank->job.spans_processes()) {
    const int error = duplicate_with_hints(entry, comm, hints, newcomm);
    if (error == MPI_SUCCESS) {
      *request = me.requests.completed_send().handle;
    }
    return error;
  }
  *newcomm = MPI_COMM_NULL;
  std::unique_ptr<Communicator> copy = new_comm_view(me, *parent);
  copy->neighbourhood = parent->neighbourhood;
  copy->hints = hints != nullptr ? hints->pairs : copy->hints;
  const int error = copy_attributes(me, handle_value(comm), parent->attributes, copy->attributes);
  if (error != MPI_SUCCESS) {  // the request reports it at its end: the others need this rank until then
    discard(me, copy);
  }
  *request = duplicate_later(entry, *parent, std::move(copy), error, newcomm);
  return MPI_SUCCESS;
}

int comm_idup_with_info(const Entry& entry, MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm, MPI_Request* request) {
  const Info* hints = nullptr;
  const int error = find_hints(entry, comm, info, hints);
  return error != MPI_SUCCESS ? error : idup(entry, comm, hints, newcomm, request);
}

}  // namespace

std::unique_ptr<Operation> make_duplication() { return std::make_unique<Duplication>(); }

}  // namespace coll
}  // namespace weft::mpi_shim

using namespace weft::mpi_shim;

#include "mpi_shim/generated/coll/schedule/idup.inc"
