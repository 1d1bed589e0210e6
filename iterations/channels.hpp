// Messages over MPI: ordered between two ranks, never blocking; those of a rank to itself do not use MPI.
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

// Since a process has died.
struct ProcessFailed : MpiError {
  using MpiError::MpiError;
};

// Throws one of these.
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
  // Waits likewise, whatever becomes of the messages.
  ~Channels();

  void send(int to, Role role, const Message& message);
  // The next message that is here, if there is one.
  bool receive(Arrived& arrived);
  // Waits until all that was sent has left.
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
