// Context numbers, and the communicators that are being made by the members of another one.
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

// A new communicator: the two sides of an intercommunicator, or an intracommunicator as side 0.
struct NewComm {
  std::array<std::shared_ptr<const CommShared>, 2> side;
};

// Numbers of the predefined communicators. All ranks share that of MPI_COMM_SELF, since a rank sends only to itself
// there.
inline constexpr std::uint32_t kWorldContext = 0;
inline constexpr std::uint32_t kSelfContext = 1;
// For messages between any ranks of the job, also of different worlds.
inline constexpr std::uint32_t kUniverseContext = 2;

// The context numbers that one process of a job may give out. Thread-safe.
class ContextNumbers {
 public:
  // Returns the first of `n` numbers that are free in the whole job; the others follow at distances of process_count().
  std::uint32_t take(const runtime::Job& job, std::uint32_t n = 1);
  // In a job of one process: the number may be taken again, but only after tens of thousands of others, since a message
  // of a freed communicator may still be under way. In a job of several processes numbers are never used again, since a
  // process cannot know when all members have freed the communicator.
  void give_back(std::uint32_t number);
  // Takes back a number that was given back while a rank that uses it was packed.
  void claim(std::uint32_t number);
  // Returns a number from which on none has been taken; a checkpoint keeps it. A job that goes on from the checkpoint
  // passes it to skip(), after which no number below `first` is taken anew.
  std::uint32_t used(const runtime::Job& job);
  void skip(const runtime::Job& job, std::uint32_t first);

 private:
  std::mutex mutex_;  // guards what follows
  std::uint64_t next_ = kUniverseContext + 1;
  std::deque<std::uint32_t> given_back_;
};

// Reserves a context number while any member has the communicator. Both sides of an intercommunicator share one
// Context.
class Context {
 public:
  explicit Context(std::uint32_t number) : number_(number) {}  // is never given back
  // The number is given back to `numbers`, which may be null.
  Context(std::uint32_t number, std::shared_ptr<ContextNumbers> numbers)
      : number_(number), numbers_(std::move(numbers)) {}
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  std::uint32_t number() const { return number_; }

  // In a job of one process: the communicator that `members` ranks make by call number `sequence` on this communicator.
  // If a call makes several, `part` tells them apart. The first member that comes runs `make`, the others get its
  // result, and the last one clears the entry. No member waits for another one.
  NewComm take(std::uint32_t sequence, int part, int members, const std::function<NewComm()>& make);

 private:
  struct Pending {
    NewComm created;
    int left = 0;  // members that have not come yet
  };
  const std::uint32_t number_;
  const std::shared_ptr<ContextNumbers> numbers_;
  std::mutex mutex_;                                          // guards pending_; held while `make` runs
  std::map<std::pair<std::uint32_t, int>, Pending> pending_;  // by sequence and part
};

}  // namespace comm
}  // namespace weft::mpi_shim
