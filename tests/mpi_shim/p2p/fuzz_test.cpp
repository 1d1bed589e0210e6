// Random messages among a few ranks, in all modes and by all ways to receive, in several communicators and across
// moves, against a model of MPI's matching rules (message_plan.hpp).
#include <cstdio>
#include <memory>
#include <vector>

#include "tests/mpi_shim/mpi_fixture.hpp"
#include "tests/mpi_shim/p2p/fuzz_settings.hpp"
#include "tests/mpi_shim/p2p/message_receiver.hpp"
#include "tests/mpi_shim/p2p/message_sender.hpp"

namespace weft::mpi_shim {
namespace {

using FuzzTest = MpiTest;
INSTANTIATE_TEST_SUITE_P(Settings, FuzzTest, kSettings, name_of);

constexpr std::uint32_t kSchedulesOfAJob = 100;
// Two schedules may overlap, each with communicators of its own.
constexpr int kUnderWay = 2;

void run_schedule(const FuzzContext& context) {
  Sender sender(context);
  Receiver receiver(context);
  if (context.plan.ordered()) {
    receiver.post_all();
    MPI_Barrier(MPI_COMM_WORLD);
  }
  int moves = context.plan.moves();
  while (!sender.done() || moves > 0) {
    if (moves > 0 && (sender.done() || one_in(context.random, 20))) {
      --moves;
      MPI_Migrate();
    } else if (context.plan.ordered() || one_in(context.random, 2)) {
      sender.send_one();
    } else {
      receiver.do_something();
    }
  }
  receiver.finish();
  sender.finish();
}

// A rank's state over all schedules of a job.
class Bench {
 public:
  explicit Bench(int rank) : room_(std::size_t{8} << 20) {
    MPI_Buffer_attach(room_.data(), static_cast<int>(room_.size()));
    MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &sparse_);
    MPI_Type_commit(&sparse_);
    for (auto& set : comms_) {
      for (MPI_Comm& comm : set) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
      }
      MPI_Comm_free(&set[kFuzzComms - 1]);
      MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &set[kFuzzComms - 1]);
    }
  }
  ~Bench() {
    for (auto& set : comms_) {
      for (MPI_Comm& comm : set) {
        MPI_Comm_free(&comm);
      }
    }
    MPI_Type_free(&sparse_);
    void* detached = nullptr;
    int size = 0;
    MPI_Buffer_detach(&detached, &size);
  }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  const MPI_Comm* comms(std::uint32_t schedule) const { return comms_[schedule % kUnderWay]; }
  MPI_Datatype sparse() const { return sparse_; }

 private:
  std::vector<std::byte> room_;
  MPI_Datatype sparse_ = MPI_DATATYPE_NULL;
  MPI_Comm comms_[kUnderWay][kFuzzComms] = {};
};

TEST_P(FuzzTest, MessagesMatchAsTheStandardSays) {
  const FuzzSettings fuzz = fuzz_settings(kSanitized ? 60 : 100);
  for (std::uint32_t first = 0; first < fuzz.count && !HasFailure(); first += kSchedulesOfAJob) {
    const std::uint32_t end = std::min(fuzz.count, first + kSchedulesOfAJob);
    run(kFuzzRanks, [&](int rank, int) {
      const Bench bench(rank);
      for (std::uint32_t i = first; i < end; ++i) {
        const std::uint32_t seed = fuzz.seed + i;
        if (fuzz.show && rank == 0) {
          std::fprintf(stderr, "schedule %u\n", seed);
        }
        const auto plan = std::make_unique<Plan>(seed);
        Random random(seed * 16 + static_cast<std::uint32_t>(rank));
        run_schedule({*plan, rank, bench.comms(i), {MPI_INT, bench.sparse()}, random});
        if (i % kUnderWay == kUnderWay - 1) {
          MPI_Barrier(MPI_COMM_WORLD);
        }
      }
    });
  }
}

}  // namespace
}  // namespace weft::mpi_shim
