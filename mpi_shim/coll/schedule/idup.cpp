// MPI_Comm_idup in a job of several processes: the context number that member 0 takes travels behind the request.
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

// The copy is no communicator of the rank's before all is known of it.
class Duplication final : public Operation {
 public:
  Kind kind() const override { return Kind::duplication; }
  bool collective() const override { return true; }
  const char* call() const override { return "MPI_Comm_idup"; }
  // Carried only once it is over.
  const char* pinned() const override { return steps == nullptr ? nullptr : "it copies a communicator"; }
  void pup(pup::Puper& p, runtime::Rank&) override { p | error; }
  void add_awaited(std::vector<runtime::Request*>& awaited) override { steps->add_awaited(awaited); }
  void add_open(std::vector<runtime::Request*>& open) override { steps->add_open(open); }
  int finish(RankState&, MPI_Status&) override { return error; }
  bool advance(RankState& me) override {
    if (!steps->advance(me)) {
      return false;
    }
    MPI_Status nothing{};
    if (const int failed = steps->finish(me, nothing); error == MPI_SUCCESS && failed != MPI_SUCCESS) {
      error = failed;
      twin.reset();
    }
    if (error == MPI_SUCCESS) {
      twin->shared = make_comm_by_number(me.rank->job, {*context, of->group, of->remote, of->topology, of->side});
      *newcomm = enlist(me, std::move(twin)).handle;
    }
    steps.reset();
    return true;
  }

  std::unique_ptr<Schedule> steps;
  const std::uint32_t* context = nullptr;  // in the steps' memory
  std::shared_ptr<const CommShared> of;
  std::unique_ptr<Communicator> twin;
  MPI_Comm* newcomm = nullptr;
  int error = MPI_SUCCESS;
};

// Collective over `comm`, in a job of several processes; waits for nobody. The request, behind which `twin`, which has
// all but the shared part, becomes a communicator of the rank's and its handle goes to `newcomm`; or which ends with
// `error`.
MPI_Request duplicate_later(const Entry& entry, Communicator& comm, std::unique_ptr<Communicator> twin, int error,
                            MPI_Comm* newcomm) {
  runtime::Job& job = entry.me.rank->job;
  ScheduleBuilder recorder(entry.me, comm);
  auto* const context = reinterpret_cast<std::uint32_t*>(recorder.scratch(sizeof(std::uint32_t)));
  const bool gives = comm.rank == 0 && comm.shared->side == 0;
  if (gives) {
    *context = process_comms(job).numbers()->take(job, 1);
  }
  if (comm.is_inter() && (gives || comm.shared->side == 1)) {
    by_messages::inter_bcast(recorder, {context, sizeof *context}, gives ? MPI_ROOT : 0);
  }
  if (comm.shared->side == 0) {
    by_messages::bcast(recorder, {context, sizeof *context}, 0);
  }
  auto duplication = std::make_unique<Duplication>();
  duplication->steps = recorder.take(entry.call());
  duplication->context = context;
  duplication->of = comm.shared;
  duplication->twin = std::move(twin);
  duplication->newcomm = newcomm;
  duplication->error = error;
  return add_operation(entry.me, comm.handle, std::move(duplication));
}

// In a job of one process nothing has to be waited for, so the request is complete from the start.
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
  std::unique_ptr<Communicator> twin = heir_of(me, *parent);
  twin->neighbourhood = parent->neighbourhood;
  twin->hints = hints != nullptr ? hints->pairs : twin->hints;
  const int error = copy_attributes(me, handle_value(comm), parent->attributes, twin->attributes);
  if (error != MPI_SUCCESS) {  // reported at the end, for the others need this rank until then
    delete_attributes(me, handle_value(MPI_COMM_NULL), twin->attributes);
    release_errhandler(me, twin->errhandler);
    twin.reset();
  }
  *request = duplicate_later(entry, *parent, std::move(twin), error, newcomm);
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
