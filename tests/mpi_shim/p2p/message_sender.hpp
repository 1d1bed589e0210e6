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
  explicit Sender(const FuzzContext& context) : context_(context) {
    for (int comm = 0; comm < kFuzzComms; ++comm) {
      for (int to = 0; to < kFuzzRanks; ++to) {
        order_.insert(order_.end(), context.plan.between(comm, context.rank, to).size(), {comm, to});
      }
    }
    std::shuffle(order_.begin(), order_.end(), context.random);
  }
  bool done() const { return order_.empty(); }

  void send_one() {
    const auto [comm, to] = order_.back();
    order_.pop_back();
    const Message& message = context_.plan.between(comm, context_.rank, to)[sent_[comm][to]++];
    const int layout = below(context_.random, kFuzzLayouts);
    buffers_.emplace_back(static_cast<std::size_t>(message.ints) * stride_of(layout) + 1);
    int* const data = buffers_.back().data();
    for (int i = 0; i < message.ints; ++i) {
      data[static_cast<std::size_t>(i) * stride_of(layout)] = context_.plan.word(comm, context_.rank, to, message, i);
    }
    const MPI_Datatype type = context_.layouts[layout];
    const Outgoing out{data, message.ints, type, rank_in(comm, to), message.tag, context_.comms[comm]};
    MPI_Request request = MPI_REQUEST_NULL;
    if (context_.plan.ordered() && one_in(context_.random, 2)) {
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
    switch (below(context_.random, 10)) {
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
      case 7:  // so short a message is stored at the receiver
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

  // REQUIRES: the receive is posted.
  void send_to_posted(const Outgoing& out, MPI_Request& request) {
    const auto& [data, count, type, to, tag, comm] = out;
    switch (below(context_.random, 5)) {
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

  const FuzzContext& context_;
  std::vector<std::pair<int, int>> order_;  // communicators and receivers, the next one last
  std::size_t sent_[kFuzzComms][kFuzzRanks] = {};
  std::deque<std::vector<int>> buffers_;
  std::vector<MPI_Request> requests_;
};

}  // namespace weft::mpi_shim
