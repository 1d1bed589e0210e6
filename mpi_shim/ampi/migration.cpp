#include "mpi_shim/ampi/migration.hpp"

#include <fmt/format.h>

#include "mpi_shim/ampi/puper.hpp"
#include "mpi_shim/entry/entry.hpp"
#include "runtime/sched/worker.hpp"

namespace weft::mpi_shim {
inline namespace ampi {
namespace {

// While it lives, MPI calls end the job, since abort_inactive() finds the rank inactive.
class MoveCallbackScope {
 public:
  explicit MoveCallbackScope(RankState& me) : me_(me), active_(me.active) {
    me_.in_move_callback = true;
    me_.active = false;
  }
  ~MoveCallbackScope() {
    me_.in_move_callback = false;
    me_.active = active_;
  }
  MoveCallbackScope(const MoveCallbackScope&) = delete;
  MoveCallbackScope& operator=(const MoveCallbackScope&) = delete;

 private:
  RankState& me_;
  const bool active_;
};

void call_all(const std::vector<MPI_MigrateFn>& functions) {
  for (const MPI_MigrateFn function : functions) {
    function();
  }
}

void run(const Migration::PupFunction& pup, Puper& puper) { pup.function(&puper, pup.data); }

void pack(Migration::PupFunction& pup) {
  Puper sizer{.mode = Puper::kSizing | Puper::kMigration};
  run(pup, sizer);
  pup.packed.resize(sizer.size);
  Puper packer{.mode = Puper::kPacking | Puper::kDeleting | Puper::kMigration,
               .at = pup.packed.data(),
               .bytes_left = pup.packed.size()};
  run(pup, packer);
}

void unpack(const RankState& me, Migration::PupFunction& pup) {
  Puper unpacker{
      .mode = Puper::kUnpacking | Puper::kMigration, .at = pup.packed.data(), .bytes_left = pup.packed.size()};
  run(pup, unpacker);
  if (unpacker.bytes_left != 0) {
    me.rank->job.abort(1,
                       fmt::format("rank {}: a pup function leaves {} of {} packed bytes when unpacking: it does not "
                                   "name the same objects when sizing, packing and unpacking",
                                   me.world.rank, unpacker.bytes_left, pup.packed.size()));
  }
  pup.packed = {};
}

}  // namespace

void Migration::PupFunction::pup(pup::Puper& p) {
  pup::same_address(p, data);
  auto address = reinterpret_cast<std::uintptr_t>(function);
  p | address | packed;
  function = reinterpret_cast<MPI_PupFn>(address);
}

void Migration::pup(pup::Puper& p, RankState& /*me*/) {
  p | pup_functions;
  for (std::vector<MPI_MigrateFn>* const functions : {&before, &after}) {
    std::uint64_t count = functions->size();
    p | count;
    functions->resize(count);
    for (MPI_MigrateFn& function : *functions) {
      auto address = reinterpret_cast<std::uintptr_t>(function);
      p | address;
      function = reinterpret_cast<MPI_MigrateFn>(address);
    }
  }
  p | moves | home_worker;
}

void about_to_move(RankState& me, bool leaves_process) {
  const MoveCallbackScope calling(me);
  call_all(me.part<Migration>().before);
  if (leaves_process) {
    for (Migration::PupFunction& pup : me.part<Migration>().pup_functions) {
      pack(pup);
    }
  }
}

void just_moved(RankState& me, bool new_process) {
  ++me.part<Migration>().moves;
  const MoveCallbackScope calling(me);
  if (new_process) {
    for (Migration::PupFunction& pup : me.part<Migration>().pup_functions) {
      unpack(me, pup);
    }
  }
  call_all(me.part<Migration>().after);
}

int refuse_in_callback(const Entry& entry) {
  return entry.raise(MPI_COMM_NULL, MPI_ERR_OTHER,
                     "called by a function that MPI is calling (of an attribute or a generalized request): a rank "
                     "cannot move from there");
}

int* location_attribute(RankState& me, int number) {
  const runtime::Rank& rank = *me.rank;
  const runtime::Job& job = rank.job;
  Migration& place = me.part<Migration>();
  switch (number) {
    case AMPI_MY_WTH:
      place.worker = static_cast<int>(job.global_number(*rank.worker.load(std::memory_order_relaxed)));
      return &place.worker;
    case AMPI_NUM_WTHS:
      place.worker_count = static_cast<int>(job.total_workers());
      return &place.worker_count;
    case AMPI_MY_PROCESS:
      place.process = static_cast<int>(weft::number(job.process()));
      return &place.process;
    case AMPI_NUM_PROCESSES:
      place.process_count = static_cast<int>(job.process_count());
      return &place.process_count;
    case AMPI_MY_HOME_WTH:
      return &place.home_worker;
    default:
      return nullptr;
  }
}

}  // namespace ampi
}  // namespace weft::mpi_shim
