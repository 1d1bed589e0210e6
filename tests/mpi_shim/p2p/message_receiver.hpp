// A rank's receives of a random schedule, with all receive calls, compared with the model at the end.
#pragma once

#include <deque>
#include <vector>

#include <gtest/gtest.h>

#include "tests/mpi_shim/p2p/message_plan.hpp"

namespace weft::mpi_shim {

class Receiver {
 public:
  explicit Receiver(const FuzzContext& context) : context_(context) {
    for (int comm = 0; comm < kFuzzComms; ++comm) {
      missing_[comm] = context.plan.sent_to(comm, context.rank);
    }
  }

  // For an ordered plan: posts a receive for every message.
  void post_all() {
    for (int comm = 0; comm < kFuzzComms; ++comm) {
      for (int from = 0; from < kFuzzRanks; ++from) {
        for (const Message& message : context_.plan.between(comm, from, context_.rank)) {
          post(context_.plan.pattern(comm, context_.rank, from, message.tag));
        }
      }
    }
  }

  // One non-blocking action: posts a receive, receives an arrived message, tests or cancels.
  void do_something() {
    const Pattern wanted = any_pattern();
    switch (below(context_.random, 8)) {
      case 0:
        receive_probed(wanted);
        break;
      case 1:
        receive_matched(wanted);
        break;
      case 2:
        post(wanted);
        cancel(posted_.back());
        break;
      case 3:
        test_some();
        break;
      case 4:
        if (!posted_.empty()) {
          Posted& one = posted_[static_cast<std::size_t>(below(context_.random, static_cast<int>(posted_.size())))];
          one_in(context_.random, 4) ? cancel(one) : test(one);
        }
        break;
      default:
        if (open(wanted.comm) < 6) {
          post(wanted);
        }
    }
  }

  // Waits for all messages; cancels the receives that match none of them.
  void finish() {
    if (context_.plan.ordered()) {
      wait_for_all();
    }
    for (int comm = 0; comm < kFuzzComms; ++comm) {
      // One more than those that the open receives may take must come.
      while (missing_[comm] > open(comm) && !one_in(context_.random, 4)) {
        receive_blocking(comm);
      }
    }
    if (one_in(context_.random, 2)) {
      test_some();
    }
    for (Posted& receive : posted_) {
      cancel(receive);
    }
    for (int comm = 0; comm < kFuzzComms; ++comm) {
      while (missing_[comm] > 0) {
        receive_blocking(comm);
      }
    }
    compare();
  }

 private:
  // A receive in the order of posting.
  struct Posted {
    Pattern pattern;
    int layout;
    std::vector<int> data;
    MPI_Request request = MPI_REQUEST_NULL;
    bool open = false;  // its request may still be matched
    bool got = false;
    MPI_Status status = {};
  };

  Pattern any_pattern() {
    const int comm = below(context_.random, kFuzzComms);
    const int source = one_in(context_.random, 3) ? MPI_ANY_SOURCE : below(context_.random, kFuzzRanks);
    return {comm, source, one_in(context_.random, 3) ? MPI_ANY_TAG : below(context_.random, kFuzzTags)};
  }

  int open(int comm) const {
    return static_cast<int>(std::count_if(posted_.begin(), posted_.end(),
                                          [&](const Posted& p) { return p.open && p.pattern.comm == comm; }));
  }

  Posted& add(const Pattern& pattern) {
    const int layout = below(context_.random, kFuzzLayouts);
    const auto room = static_cast<std::size_t>(context_.plan.longest()) * stride_of(layout);
    return posted_.emplace_back(Posted{pattern, layout, std::vector<int>(room, kUntouched)});
  }

  MPI_Comm comm_of(const Posted& receive) const { return context_.comms[receive.pattern.comm]; }
  MPI_Datatype type_of(const Posted& receive) const { return context_.layouts[receive.layout]; }
  static int source_of(const Posted& receive) { return rank_in(receive.pattern.comm, receive.pattern.source); }

  void post(const Pattern& pattern) {
    Posted& receive = add(pattern);
    receive.open = true;
    if (one_in(context_.random, 4)) {
      MPI_Recv_init(receive.data.data(), context_.plan.longest(), type_of(receive), source_of(receive), pattern.tag,
                    comm_of(receive), &receive.request);
      MPI_Start(&receive.request);
    } else {
      MPI_Irecv(receive.data.data(), context_.plan.longest(), type_of(receive), source_of(receive), pattern.tag,
                comm_of(receive), &receive.request);
    }
  }

  void completed(Posted& receive) {
    receive.open = false;
    int cancelled = 0;
    MPI_Test_cancelled(&receive.status, &cancelled);
    if (cancelled == 0) {
      arrived(receive);
    }
    if (receive.request != MPI_REQUEST_NULL) {  // persistent
      MPI_Request_free(&receive.request);
    }
  }

  void arrived(Posted& receive) {
    receive.got = true;
    --missing_[receive.pattern.comm];
  }

  void cancel(Posted& receive) {
    if (receive.open) {
      MPI_Cancel(&receive.request);
      MPI_Wait(&receive.request, &receive.status);
      completed(receive);
    }
  }

  void test(Posted& receive) {
    int flag = 0;
    if (receive.open && MPI_Test(&receive.request, &flag, &receive.status) == MPI_SUCCESS && flag != 0) {
      completed(receive);
    }
  }

  std::vector<Posted*> open_ones() {
    std::vector<Posted*> ones;
    for (Posted& receive : posted_) {
      if (receive.open) {
        ones.push_back(&receive);
      }
    }
    return ones;
  }

  void test_some() {
    const std::vector<Posted*> ones = open_ones();
    std::vector<MPI_Request> requests;
    for (const Posted* one : ones) {
      requests.push_back(one->request);
    }
    std::vector<int> indices(ones.size());
    std::vector<MPI_Status> statuses(ones.size());
    int done = 0;
    MPI_Testsome(static_cast<int>(ones.size()), requests.data(), &done, indices.data(), statuses.data());
    for (int i = 0; i < done; ++i) {
      const auto place = static_cast<std::size_t>(indices[static_cast<std::size_t>(i)]);
      ones[place]->request = requests[place];
      ones[place]->status = statuses[static_cast<std::size_t>(i)];
      completed(*ones[place]);
    }
  }

  void wait_for_all() {
    const std::vector<Posted*> ones = open_ones();
    std::vector<MPI_Request> requests;
    for (const Posted* one : ones) {
      requests.push_back(one->request);
    }
    std::vector<MPI_Status> statuses(ones.size());
    MPI_Waitall(static_cast<int>(ones.size()), requests.data(), statuses.data());
    for (std::size_t i = 0; i < ones.size(); ++i) {
      ones[i]->request = requests[i];
      ones[i]->status = statuses[i];
      completed(*ones[i]);
    }
  }

  void receive(Posted& receive, int source, int tag) {
    MPI_Recv(receive.data.data(), context_.plan.longest(), type_of(receive), source, tag, comm_of(receive),
             &receive.status);
    arrived(receive);
  }

  void receive(Posted& receive, MPI_Message& message) {
    if (one_in(context_.random, 2)) {
      MPI_Mrecv(receive.data.data(), context_.plan.longest(), type_of(receive), &message, &receive.status);
    } else {
      MPI_Imrecv(receive.data.data(), context_.plan.longest(), type_of(receive), &message, &receive.request);
      MPI_Wait(&receive.request, &receive.status);
    }
    EXPECT_EQ(message, MPI_MESSAGE_NULL);
    arrived(receive);
  }

  void receive_probed(const Pattern& pattern) {
    int flag = 0;
    MPI_Status probed;
    MPI_Iprobe(rank_in(pattern.comm, pattern.source), pattern.tag, context_.comms[pattern.comm], &flag, &probed);
    if (flag != 0) {
      Posted& one = add(pattern);
      receive(one, probed.MPI_SOURCE, probed.MPI_TAG);
      expect_same(probed, one.status);
    }
  }

  void receive_matched(const Pattern& pattern) {
    int flag = 0;
    MPI_Status probed;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Improbe(rank_in(pattern.comm, pattern.source), pattern.tag, context_.comms[pattern.comm], &flag, &message,
                &probed);
    if (flag != 0) {
      Posted& one = add(pattern);
      receive(one, message);
      expect_same(probed, one.status);
    }
  }

  // Whatever comes next in a communicator.
  void receive_blocking(int comm) {
    Posted& one = add({comm, MPI_ANY_SOURCE, MPI_ANY_TAG});
    MPI_Status probed;
    switch (below(context_.random, 3)) {
      case 0: {
        MPI_Message message = MPI_MESSAGE_NULL;
        MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, context_.comms[comm], &message, &probed);
        receive(one, message);
        return expect_same(probed, one.status);
      }
      case 1:
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, context_.comms[comm], &probed);
        receive(one, probed.MPI_SOURCE, probed.MPI_TAG);
        return expect_same(probed, one.status);
      default:
        receive(one, MPI_ANY_SOURCE, MPI_ANY_TAG);
    }
  }

  void expect_same(const MPI_Status& probed, const MPI_Status& received) const {
    int announced = -1;
    int count = -2;
    MPI_Get_count(&probed, MPI_INT, &announced);
    MPI_Get_count(&received, MPI_INT, &count);
    EXPECT_EQ(announced, count) << "seed " << context_.plan.seed();
    EXPECT_EQ(probed.MPI_SOURCE, received.MPI_SOURCE) << "seed " << context_.plan.seed();
    EXPECT_EQ(probed.MPI_TAG, received.MPI_TAG) << "seed " << context_.plan.seed();
  }

  void compare() const {
    MatchingModel model(context_.plan, context_.rank);
    for (const Posted& receive : posted_) {
      if (receive.got) {
        check(receive, model);
      } else {
        EXPECT_EQ(std::count(receive.data.begin(), receive.data.end(), kUntouched),
                  static_cast<std::ptrdiff_t>(receive.data.size()))
            << "seed " << context_.plan.seed();
      }
    }
    EXPECT_TRUE(model.all_taken()) << "seed " << context_.plan.seed();
  }

  void check(const Posted& receive, MatchingModel& model) const {
    const int source = rank_in(receive.pattern.comm, receive.status.MPI_SOURCE);
    ASSERT_TRUE(source >= 0 && source < kFuzzRanks) << "seed " << context_.plan.seed();
    Message message{};
    ASSERT_TRUE(model.take(receive.pattern, source, message)) << "seed " << context_.plan.seed();
    int count = -1;
    MPI_Get_count(&receive.status, MPI_INT, &count);
    EXPECT_EQ(receive.status.MPI_TAG, message.tag) << "seed " << context_.plan.seed();
    ASSERT_EQ(count, message.ints) << "seed " << context_.plan.seed();
    std::vector<int> expected(receive.data.size(), kUntouched);
    for (int i = 0; i < count; ++i) {
      expected[static_cast<std::size_t>(i) * stride_of(receive.layout)] =
          context_.plan.word(receive.pattern.comm, source, context_.rank, message, i);
    }
    EXPECT_TRUE(receive.data == expected)
        << "seed " << context_.plan.seed() << ", source " << source << ", message " << message.sequence;
  }

  const FuzzContext& context_;
  std::deque<Posted> posted_;  // in this order; probed messages where their receive was called
  int missing_[kFuzzComms] = {};
};

}  // namespace weft::mpi_shim
