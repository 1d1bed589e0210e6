// Context numbers, and the communicators that are being made from a communicator.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace weft::mpi_shim {

struct CommShared;

// The two sides of a new intercommunicator; an intracommunicator is side 0.
struct Birth {
  std::shared_ptr<const CommShared> side[2];
};

// Holds a context number while any member names the communicator; both sides of an intercommunicator hold one Context.
// A number that was given back is used again only after tens of thousands of others, because a message of a freed
// communicator may still be on its way.
class Context {
 public:
  explicit Context(std::uint32_t number) : number_(number) {}  // number is the caller's: of a predefined communicator
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  static std::shared_ptr<Context> fresh();
  std::uint32_t number() const { return number_; }

  // What `takers` members make by their call number `sequence` on this communicator; where one call makes several
  // communicators, `part` tells them apart. The first member that comes runs `make`, the others take its result, and
  // the last that comes clears the place. Nobody waits for a member that has not come yet.
  Birth take(std::uint32_t sequence, int part, int takers, const std::function<Birth()>& make);

 private:
  struct Pending {
    Birth birth;
    int left = 0;
  };
  const std::uint32_t number_;
  std::mutex mutex_;                                          // guards pending_
  std::map<std::pair<std::uint32_t, int>, Pending> pending_;  // by sequence and part
};

// Numbers of the predefined communicators. MPI_COMM_SELF needs but one for all: only its rank sends to itself there.
inline constexpr std::uint32_t kWorldContext = 0;
inline constexpr std::uint32_t kSelfContext = 1;

}  // namespace weft::mpi_shim
