#include "mpi_shim/coll/schedule/deferred.hpp"

#include <algorithm>

#include "mpi_shim/coll/choice.hpp"
#include "mpi_shim/coll/message_algorithms.hpp"
#include "mpi_shim/coll/reduce/pieces.hpp"
#include "mpi_shim/coll/traffic_counter.hpp"
#include "runtime/sync/deferred_collective.hpp"

namespace weft::mpi_shim {
namespace {

using runtime::DeferredCollective;

// Who comes last combines alone; members that send each other longer vectors combine side by side.
constexpr std::size_t kLongestAppointed = 512;

// One member's part. Others' workers write its error, and its result into the program's memory, before `over`.
class Appointed final : public Operation {
 public:
  Kind kind() const override { return Kind::appointed; }
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

  void come(const Entry& entry, Communicator& on, CallSignature mark, DeferredCollective::Action action);

  const char* name = nullptr;
  int error = MPI_SUCCESS;
  runtime::Request over;
  Reduction reduction;
  std::vector<std::size_t> starts;           // the reduction's
  std::vector<std::max_align_t> aside;       // the input, where the result would overwrite it
  std::shared_ptr<const Datatype> type;      // the program may free its handle
  std::shared_ptr<const CommShared> shared;  // and the communicator's: the team stays
};

void Appointed::come(const Entry& entry, Communicator& on, CallSignature mark, DeferredCollective::Action action) {
  name = entry.call();
  shared = on.shared;
  DeferredCollective::ExchangeSlot cell;
  show(reduction, cell.words);
  cell.words[4] = this;
  cell.mark = mark.bits();
  shared->team->appointments().come(*entry.me.rank, static_cast<std::uint32_t>(on.rank), on.schedules++, cell, action,
                                    over);
}

Appointed& member(const DeferredCollective& appointment, std::uint32_t i) {
  return *static_cast<Appointed*>(const_cast<void*>(appointment.cell(i).words[4]));
}

// False when the members disagree, and then they have been told.
bool agree(const DeferredCollective& appointment) {
  std::uint64_t differs = 0;
  for (std::uint32_t i = 1; i < appointment.size(); ++i) {
    differs |= appointment.cell(i).mark ^ appointment.cell(0).mark;
  }
  for (std::uint32_t i = 0; differs != 0 && i < appointment.size(); ++i) {
    member(appointment, i).error = MPI_ERR_ARG;
  }
  return differs == 0;
}

class AtAppointment {
 public:
  explicit AtAppointment(const DeferredCollective& appointment) : appointment_(appointment) {}
  std::uint32_t size() const { return appointment_.size(); }
  Shown shown(std::uint32_t i) const { return shown_in(appointment_.cell(i).words); }

 private:
  const DeferredCollective& appointment_;
};

void only_meet(DeferredCollective& appointment) { agree(appointment); }

void combine(DeferredCollective& appointment) {
  if (!agree(appointment)) {
    return;
  }
  const Reduction& reduction = member(appointment, 0).reduction;
  const std::size_t step = std::max<std::size_t>(kPieceBytes / element_bytes(*reduction.type), 1);
  for (std::size_t first = 0; first < reduction.elements; first += step) {
    combine_piece<KernelCombiner>(AtAppointment(appointment), reduction,
                                  {first, std::min(step, reduction.elements - first)});
  }
}

// In place, a block of the result lies where input begins that is still to be read.
void keep_input(Appointed& mine) {
  Reduction& reduction = mine.reduction;
  if (reduction.count != 0) {
    void* const copy = room_for(*reduction.type, reduction.count, mine.aside);
    runtime::transfer(message_buffer(reduction.input, reduction.count, *reduction.type),
                      message_buffer(copy, reduction.count, *reduction.type));
    reduction.input = copy;
  }
}

}  // namespace

std::unique_ptr<Operation> make_appointed() { return std::make_unique<Appointed>(); }

bool goes_by_appointment(const Begin& begin, const Communicator& comm, Collective call, std::size_t bytes) {
  if (begin.persistent() || comm.is_inter() || comm.shared->team == nullptr) {
    return false;
  }
  const Collective choice = choice_of(call);
  const Algorithm built_in = bytes <= kLongestAppointed ? Algorithm::deferred : Algorithm::binomial;
  return choose(comm, {choice, Site::request, bytes, built_in, algorithms_of(choice, Site::request)}) ==
         Algorithm::deferred;
}

bool goes_by_appointment(const Begin& begin, const CheckedReduction& checked) {
  const Reduction& reduction = checked.reduction;
  return reduction.kernel != nullptr &&
         (reduction.outcome == Outcome::at_all || reduction.outcome == Outcome::spread) &&
         goes_by_appointment(begin, *checked.comm, reduction.call, reduction.elements * element_bytes(*reduction.type));
}

int meet_by_appointment(const Begin& begin, Communicator& comm) {
  count_meeting(begin.entry, comm, by_messages::barrier);
  auto mine = std::make_unique<Appointed>();
  mine->come(begin.entry, comm, CallSignature::of_bytes(Collective::barrier, 0, 0), only_meet);
  return begin.finish(comm, std::move(mine));
}

int reduce_by_appointment(const Begin& begin, const CheckedReduction& checked) {
  count_meeting(begin.entry, *checked.comm, [&](CollectiveSteps& executor) { run_reduction(executor, checked); });
  auto mine = std::make_unique<Appointed>();
  mine->reduction = checked.reduction;
  mine->starts = checked.starts;
  mine->reduction.starts = mine->starts;
  mine->type = shared(*checked.reduction.type);
  if (checked.in_place && checked.reduction.outcome == Outcome::spread) {
    keep_input(*mine);
  }
  mine->come(begin.entry, *checked.comm, mark_of(mine->reduction), combine);
  return begin.finish(*checked.comm, std::move(mine));
}

}  // namespace weft::mpi_shim
