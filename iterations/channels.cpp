#include "iterations/channels.hpp"

#include "iterations/survival.hpp"

namespace weft::iterations {

void check_mpi(int code) {
  if (code != MPI_SUCCESS) {
    if (is_failure(code)) {
      throw ProcessFailed("a process has died");
    }
    throw MpiError("MPI");
  }
}

Channels::Channels(MPI_Comm comm) : comm_(comm) { check_mpi(MPI_Comm_rank(comm, &rank_)); }

Channels::~Channels() {
  for (Sent& sent : sent_) {
    MPI_Wait(&sent.request, MPI_STATUS_IGNORE);
  }
}

void Channels::send(int to, Role role, const Message& message) {
  if (to == rank_) {
    local_.push_back({rank_, role, message});
    return;
  }
  std::erase_if(sent_, [](Sent& sent) {
    int done = 0;
    check_mpi(MPI_Test(&sent.request, &done, MPI_STATUS_IGNORE));
    return done != 0;
  });
  Sent& sent = sent_.emplace_back();
  sent.words = pack(message);
  check_mpi(MPI_Isend(sent.words.data(), static_cast<int>(sent.words.size()), MPI_INT64_T, to, static_cast<int>(role),
                      comm_, &sent.request));
  ++messages_;
  bytes_ += static_cast<std::int64_t>(sent.words.size() * sizeof(std::int64_t));
}

bool Channels::receive(Arrived& arrived) {
  if (!local_.empty()) {
    arrived = std::move(local_.front());
    local_.pop_front();
    return true;
  }
  int flag = 0;
  MPI_Status status;
  check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &flag, &status));
  if (flag == 0) {
    return false;
  }
  int count = 0;
  check_mpi(MPI_Get_count(&status, MPI_INT64_T, &count));
  std::vector<std::int64_t> words(static_cast<std::size_t>(count));
  check_mpi(MPI_Recv(words.data(), count, MPI_INT64_T, status.MPI_SOURCE, status.MPI_TAG, comm_, MPI_STATUS_IGNORE));
  arrived.from = status.MPI_SOURCE;
  arrived.role = static_cast<Role>(status.MPI_TAG);
  if (!unpack(words, arrived.message)) {
    throw MpiError("message");
  }
  return true;
}

void Channels::flush() {
  for (Sent& sent : sent_) {
    check_mpi(MPI_Wait(&sent.request, MPI_STATUS_IGNORE));
  }
  sent_.clear();
}

}  // namespace weft::iterations
