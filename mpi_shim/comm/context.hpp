// Context numbers, and the communicators that are being made from a communicator.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "runtime/job/job.hpp"

namespace weft::mpi_shim {
inline namespace comm {

struct CommShared;

// The two sides of a new intercommunicator; an intracommunicator is side 0.
struct Birth {
  std::array<std::shared_ptr<const CommShared>, 2> side;
};

// Numbers of the predefined communicators. MPI_COMM_SELF needs but one for all: only its rank sends to itself there.
inline constexpr std::uint32_t kWorldContext = 0;
inline constexpr std::uint32_t kSelfContext = 1;
// Between any ranks of the job, also of different worlds.
inline constexpr std::uint32_t kUniverseContext = 2;

// The context numbers that one process of a job may give out. Thread-safe.
class ContextNumbers {
 public:
  // The first of `n` numbers that nobody in the whole job has; the others follow at distances of process_count().
  std::uint32_t take(const runtime::Job& job, std::uint32_t n = 1);
  // In a job of one process: the number may be taken again, but only after tens of thousands of others, because a
  // message of a freed communicator may still be on its way. Processes cannot know when all members have freed theirs,
  // so in a job of several numbers are never used again.
  void give_back(std::uint32_t number);
  // A number that was given back is in use after all: a rank that holds it was packed meanwhile.
  void claim(std::uint32_t number);
  // Numbers from here on were never taken; and none below will be.
  std::uint32_t used(const runtime::Job& job);
  void skip(const runtime::Job& job, std::uint32_t first);

 private:
  std::mutex mutex_;  // guards what follows
  std::uint64_t next_ = kUniverseContext + 1;
  std::deque<std::uint32_t> given_back_;
};

// Holds a context number while any member names the communicator; both sides of an intercommunicator hold one Context.
class Context {
 public:
  explicit Context(std::uint32_t number) : number_(number) {}  // of a predefined communicator
  // `giver` is notified of the end; may be null.
  Context(std::uint32_t number, std::shared_ptr<ContextNumbers> giver) : number_(number), giver_(std::move(giver)) {}
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  std::uint32_t number() const { return number_; }

  // In a job of one process: what `takers` members make by their call number `sequence` on this communicator; where one
  // call makes several communicators, `part` tells them apart. The first member that comes runs `make`, the others take
  // its result, and the last that comes clears the entry. No member waits for another one.
  Birth take(std::uint32_t sequence, int part, int takers, const std::function<Birth()>& make);

 private:
  struct Pending {
    Birth birth;
    int left = 0;
  };
  const std::uint32_t number_;
  const std::shared_ptr<ContextNumbers> giver_;
  std::mutex mutex_;                                          // guards pending_
  std::map<std::pair<std::uint32_t, int>, Pending> pending_;  // by sequence and part
};

}  // namespace comm
}  // namespace weft::mpi_shim
