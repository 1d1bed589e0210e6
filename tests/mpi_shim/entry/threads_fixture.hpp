// Threads of ranks, for tests.
#pragma once

#include <array>
#include <chrono>
#include <deque>
#include <thread>

#include "runtime/sched/thread_calls.hpp"
#include "tests/mpi_shim/mpi_fixture.hpp"

namespace weft::mpi_shim {

inline constexpr int kThreads = 3;
inline constexpr int kRounds = 20;

// A thread of the rank that makes it.
class RankThread {
 public:
  template <typename Body>
  explicit RankThread(Body body) {
    runtime::Rank& rank = *runtime::current_rank();
    rank.has_threads = true;
    thread_ = std::thread([&rank, body] {
      runtime::set_thread_owner(rank);
      body();
    });
  }
  ~RankThread() { thread_.join(); }
  RankThread(const RankThread&) = delete;
  RankThread& operator=(const RankThread&) = delete;

 private:
  std::thread thread_;
};

// On a rank's own fibre: returns while a thread of it waits in a call.
inline void until_a_thread_waits() {
  for (bool waits = false; !waits;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    runtime::resume_call();
    waits = runtime::current_rank()->thread_calls_under_way != 0;
    runtime::leave_call();
  }
}

// As many threads of the calling rank, each with its number; returns when they have ended.
template <typename Body>
void in_threads(int count, const Body& body) {
  std::deque<RankThread> threads;
  for (int t = 0; t < count; ++t) {
    threads.emplace_back([&body, t] { body(t); });
  }
}

// A communicator of all ranks for each thread.
class CommOfEach {
 public:
  CommOfEach() {
    for (MPI_Comm& comm : comms_) {
      MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    }
  }
  ~CommOfEach() {
    for (MPI_Comm& comm : comms_) {
      MPI_Comm_free(&comm);
    }
  }
  CommOfEach(const CommOfEach&) = delete;
  CommOfEach& operator=(const CommOfEach&) = delete;
  MPI_Comm operator[](int thread) const { return comms_[static_cast<std::size_t>(thread)]; }

 private:
  std::array<MPI_Comm, kThreads> comms_{};
};

class ThreadsTest : public MpiTest {
 protected:
  void run_with_threads(int ranks, const Body& body) {
    const int code = run_bare(ranks, [&](int rank, int size) {
      int provided = -1;
      MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided);
      EXPECT_EQ(provided, MPI_THREAD_MULTIPLE);
      MPI_Migrate();
      MPI_Migrate();
      body(rank, size);
      MPI_Migrate();
      MPI_Finalize();
    });
    EXPECT_EQ(code, 0);
  }
};

}  // namespace weft::mpi_shim
