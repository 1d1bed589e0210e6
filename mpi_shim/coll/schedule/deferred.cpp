#include "mpi_shim/coll/schedule/deferred.hpp"

#include <algorithm>

#include "mpi_shim/coll/choice.hpp"
#include "mpi_shim/coll/message_algorithms.hpp"
#include "mpi_shim/coll/reduce/in_memory_pieces.hpp"
#include "mpi_shim/coll/traffic_counter.hpp"
#include "runtime/sync/deferred_collective.hpp"

namespace weft::mpi_shim {
inline namespace coll {
namespace {

using runtime::DeferredCollective;

// The last member combines alone. For longer vectors messages are built in, with which members combine in parallel.
constexpr std::size_t kLongestDeferred = 512;

// One member's part of the call. The last member's worker writes `error`, and the result to the program's memory,
// before it completes `over`.
class DeferredOperation final : public Operation {
 public:
  Kind kind() const override { return Kind::deferred; }
  bool collective() const override { return true; }
  const char* call() const override { return name; }
  const char* pinned() const override { return over.done ? nullptr : "a collective operation of its is under way"; }
  void pup(pup::Puper& p, runtime::Rank&) override {
    pup::same_address(p, name);
    p | error;
  }
  bool advance(RankState&) override { return over.done; }
  void add_awaited(std::vector<runtime::Request*>& awaited) override { awaited.push_back(&over); }
  int finish(RankState&, MPI_Status&) override { return error; }

  void join(const Entry& entry, Communicator& on, CallSignature signature, DeferredCollective::Action action);

  const char* name = nullptr;
  int error = MPI_SUCCESS;
  runtime::Request over;
  Reduction reduction;
  std::vector<std::size_t> starts;           // the reduction's
  std::vector<std::max_align_t> aside;       // a copy of the input, if the result would overwrite it
  std::shared_ptr<const Datatype> type;      // the program may free its handle
  std::shared_ptr<const CommShared> shared;  // keeps the team if the program frees the communicator
};

void DeferredOperation::join(const Entry& entry, Communicator& on, CallSignature signature,
                             DeferredCollective::Action action) {
  name = entry.call();
  shared = on.shared;
  DeferredCollective::Contribution mine;
  publish(reduction, mine.words);
  mine.words[4] = this;
  mine.signature = signature.bits();
  DeferredCollective& collective = shared->team->deferred_collectives().at(on.schedules++);
  collective.contribute(*entry.me.rank, static_cast<std::uint32_t>(on.rank), mine, action, over);
}

DeferredOperation& member(const DeferredCollective& deferred, std::uint32_t i) {
  return *static_cast<DeferredOperation*>(const_cast<void*>(deferred.contribution(i).words[4]));
}

// False: the members' signatures differ, and each operation's error is set.
bool signatures_match(const DeferredCollective& deferred) {
  std::uint64_t differs = 0;
  for (std::uint32_t i = 1; i < deferred.size(); ++i) {
    differs |= deferred.contribution(i).signature ^ deferred.contribution(0).signature;
  }
  for (std::uint32_t i = 0; differs != 0 && i < deferred.size(); ++i) {
    member(deferred, i).error = MPI_ERR_ARG;
  }
  return differs == 0;
}

class DeferredMembers {
 public:
  explicit DeferredMembers(const DeferredCollective& deferred) : deferred_(deferred) {}
  std::uint32_t size() const { return deferred_.size(); }
  MemberVectors vectors(std::uint32_t i) const { return vectors_in(deferred_.contribution(i).words); }

 private:
  const DeferredCollective& deferred_;
};

void check_signatures(DeferredCollective& deferred) { signatures_match(deferred); }

void combine(DeferredCollective& deferred) {
  if (!signatures_match(deferred)) {
    return;
  }
  const Reduction& reduction = member(deferred, 0).reduction;
  const std::size_t step = std::max<std::size_t>(kPieceBytes / element_bytes(*reduction.type), 1);
  for (std::size_t first = 0; first < reduction.elements; first += step) {
    combine_piece<KernelCombiner>(DeferredMembers(deferred), reduction,
                                  {first, std::min(step, reduction.elements - first)});
  }
}

// In place, writing a block of the result would overwrite input that has not been read yet.
void copy_input(DeferredOperation& mine) {
  Reduction& reduction = mine.reduction;
  if (reduction.count != 0) {
    void* const copy = scratch_buffer(*reduction.type, reduction.count, mine.aside);
    runtime::transfer(message_buffer(reduction.input, reduction.count, *reduction.type),
                      message_buffer(copy, reduction.count, *reduction.type));
    reduction.input = copy;
  }
}

}  // namespace

std::unique_ptr<Operation> make_deferred() { return std::make_unique<DeferredOperation>(); }

bool is_deferred(const CallWithRequest& request_call, const Communicator& comm, Collective call, std::size_t bytes) {
  if (request_call.persistent() || comm.is_inter() || comm.shared->team == nullptr) {
    return false;
  }
  const Collective choice = base_collective(call);
  const Algorithm built_in = bytes <= kLongestDeferred ? Algorithm::deferred : Algorithm::binomial;
  return choose(comm, {choice, CallForm::with_request, bytes, built_in,
                       algorithms_of(choice, CallForm::with_request)}) == Algorithm::deferred;
}

bool is_deferred(const CallWithRequest& request_call, const CheckedReduction& checked) {
  const Reduction& reduction = checked.reduction;
  return reduction.kernel != nullptr &&
         (reduction.outcome == Outcome::at_all || reduction.outcome == Outcome::scattered) &&
         is_deferred(request_call, *checked.comm, reduction.call, reduction.elements * element_bytes(*reduction.type));
}

int begin_deferred_barrier(const CallWithRequest& request_call, Communicator& comm) {
  count_as_messages(request_call.entry, comm, by_messages::barrier);
  auto mine = std::make_unique<DeferredOperation>();
  mine->join(request_call.entry, comm, CallSignature::of_bytes(Collective::barrier, 0, 0), check_signatures);
  return request_call.finish(comm, std::move(mine));
}

int begin_deferred_reduction(const CallWithRequest& request_call, const CheckedReduction& checked) {
  count_as_messages(request_call.entry, *checked.comm,
                    [&](CollectiveSteps& executor) { run_reduction(executor, checked); });
  auto mine = std::make_unique<DeferredOperation>();
  mine->reduction = checked.reduction;
  mine->starts = checked.starts;
  mine->reduction.starts = mine->starts;
  mine->type = shared(*checked.reduction.type);
  if (checked.in_place && checked.reduction.outcome == Outcome::scattered) {
    copy_input(*mine);
  }
  mine->join(request_call.entry, *checked.comm, signature_of(mine->reduction), combine);
  return request_call.finish(*checked.comm, std::move(mine));
}

}  // namespace coll
}  // namespace weft::mpi_shim
