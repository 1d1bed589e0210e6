// Sends and receives messages over MPI: in order between two ranks, without blocking. Messages of a rank to itself do
// not use MPI.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <deque>
#include <list>
#include <stdexcept>
#include <vector>

#include "iterations/message.hpp"

namespace weft::iterations {

// An MPI call returned an error.
struct MpiError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// An MPI call failed because a process has died.
struct ProcessFailed : MpiError {
  using MpiError::MpiError;
};

// Throws MpiError or ProcessFailed unless the code is MPI_SUCCESS.
void check_mpi(int code);

// Which role of the receiving rank a message is for; the MPI tag.
enum class Role : int { worker = 1, leader = 2, root = 3 };

struct Arrived {
  int from = 0;
  Role role = Role::worker;
  Message message;
};

class Channels {
 public:
  // Borrows the communicator.
  explicit Channels(MPI_Comm comm);
  Channels(const Channels&) = delete;
  Channels& operator=(const Channels&) = delete;
  // Waits as flush() does, but ignores errors.
  ~Channels();

  void send(int to, Role role, const Message& message);
  // Stores the next message that has arrived; false if there is none.
  bool receive(Arrived& arrived);
  // Waits until all sends are complete.
  void flush();

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] std::int64_t messages() const { return messages_; }
  [[nodiscard]] std::int64_t bytes() const { return bytes_; }

 private:
  struct Sent {
    std::vector<std::int64_t> words;
    MPI_Request request = MPI_REQUEST_NULL;
  };

  MPI_Comm comm_;
  int rank_ = 0;
  std::deque<Arrived> local_;
  std::list<Sent> sent_;
  std::int64_t messages_ = 0, bytes_ = 0;
};

}  // namespace weft::iterations
