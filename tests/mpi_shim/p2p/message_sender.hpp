// A rank's sends of a random schedule, in all modes.
#pragma once

#include <algorithm>
#include <deque>
#include <utility>
#include <vector>

#include "tests/mpi_shim/p2p/message_plan.hpp"

namespace weft::mpi_shim {

class Sender {
 public:
  explicit Sender(const CollectiveSteps& steps) : course_(steps) {
    for (int comm = 0; comm < kFuzzComms; ++comm) {
      for (int to = 0; to < kFuzzRanks; ++to) {
        order_.insert(order_.end(), steps.plan.between(comm, steps.rank, to).size(), {comm, to});
      }
    }
    std::shuffle(order_.begin(), order_.end(), steps.random);
  }
  bool done() const { return order_.empty(); }

  void send_one() {
    const auto [comm, to] = order_.back();
    order_.pop_back();
    const Message& message = course_.plan.between(comm, course_.rank, to)[sent_[comm][to]++];
    const int layout = below(course_.random, kFuzzLayouts);
    buffers_.emplace_back(static_cast<std::size_t>(message.ints) * stride_of(layout) + 1);
    int* const data = buffers_.back().data();
    for (int i = 0; i < message.ints; ++i) {
      data[static_cast<std::size_t>(i) * stride_of(layout)] = course_.plan.word(comm, course_.rank, to, message, i);
    }
    const MPI_Datatype type = course_.layouts[layout];
    const Outgoing out{data, message.ints, type, rank_in(comm, to), message.tag, course_.comms[comm]};
    MPI_Request request = MPI_REQUEST_NULL;
    if (course_.plan.ordered() && one_in(course_.random, 2)) {
      send_to_posted(out, request);
    } else {
      start(out, request);
    }
    if (request != MPI_REQUEST_NULL) {
      requests_.push_back(request);
    }
  }

  void finish() {
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
    for (MPI_Request& request : requests_) {
      if (request != MPI_REQUEST_NULL) {  // persistent
        MPI_Request_free(&request);
      }
    }
  }

 private:
  struct Outgoing {
    const int* data;
    int count;
    MPI_Datatype type;
    int to;
    int tag;
    MPI_Comm comm;
  };

  // Returns before the message is received.
  void start(const Outgoing& out, MPI_Request& request) {
    const auto& [data, count, type, to, tag, comm] = out;
    MPI_Status status;
    switch (below(course_.random, 10)) {
      case 0:
        MPI_Issend(data, count, type, to, tag, comm, &request);
        break;
      case 1:
        MPI_Ibsend(data, count, type, to, tag, comm, &request);
        break;
      case 2:
        MPI_Bsend(data, count, type, to, tag, comm);
        break;
      case 3:
        MPI_Send_init(data, count, type, to, tag, comm, &request);
        MPI_Start(&request);
        break;
      case 4:
        MPI_Ssend_init(data, count, type, to, tag, comm, &request);
        MPI_Startall(1, &request);
        break;
      case 5:
        MPI_Bsend_init(data, count, type, to, tag, comm, &request);
        MPI_Start(&request);
        break;
      case 6:
        MPI_Isendrecv(data, count, type, to, tag, nullptr, 0, MPI_INT, MPI_PROC_NULL, 0, comm, &request);
        break;
      case 7:  // what is this short is stored at the receiver
        if (count <= 40) {
          MPI_Send(data, count, type, to, tag, comm);
          break;
        }
        [[fallthrough]];
      case 8:
        if (count <= 40) {
          MPI_Sendrecv(data, count, type, to, tag, nullptr, 0, MPI_INT, MPI_PROC_NULL, 0, comm, &status);
          break;
        }
        [[fallthrough]];
      default:
        MPI_Isend(data, count, type, to, tag, comm, &request);
    }
  }

  // The receive is there already.
  void send_to_posted(const Outgoing& out, MPI_Request& request) {
    const auto& [data, count, type, to, tag, comm] = out;
    switch (below(course_.random, 5)) {
      case 0:
        MPI_Rsend(data, count, type, to, tag, comm);
        break;
      case 1:
        MPI_Irsend(data, count, type, to, tag, comm, &request);
        break;
      case 2:
        MPI_Rsend_init(data, count, type, to, tag, comm, &request);
        MPI_Start(&request);
        break;
      case 3:
        MPI_Ssend(data, count, type, to, tag, comm);
        break;
      default:
        MPI_Send(data, count, type, to, tag, comm);
    }
  }

  const CollectiveSteps& course_;
  std::vector<std::pair<int, int>> order_;  // communicators and receivers, the next one last
  std::size_t sent_[kFuzzComms][kFuzzRanks] = {};
  std::deque<std::vector<int>> buffers_;
  std::vector<MPI_Request> requests_;
};

}  // namespace weft::mpi_shim
