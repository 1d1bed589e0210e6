// Random messages among a few ranks, in all modes and by all ways to receive, against a model of MPI's matching rules:
// walking a rank's receives in the order in which they were posted, each must have got the first message of its source
// that it matches and that no earlier receive has taken.
#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "tests/mpi_shim/mpi_fixture.hpp"

namespace weft::mpi_shim {
namespace {

using FuzzTest = MpiTest;
INSTANTIATE_TEST_SUITE_P(Settings, FuzzTest, kSettings, name_of);

using Random = std::mt19937;

constexpr int kRanks = 4;
constexpr int kTags = 3;
constexpr int kLongest = 6000;   // ints; 4096 are the longest eager message
constexpr int kUntouched = -77;  // in buffers, where no message may write

int below(Random& random, int limit) { return static_cast<int>(random() % static_cast<unsigned>(limit)); }

struct Message {
  int sequence;
  int tag;
  int ints;
};

int word(int source, int dest, const Message& message, int i) {
  return source * 1000003 + dest * 100003 + message.sequence * 10007 + message.tag * 7919 + i;
}

// What a receive asks for.
struct Pattern {
  int source;
  int tag;
  bool matches(int tag_sent) const { return tag == MPI_ANY_TAG || tag == tag_sent; }
  bool operator<(const Pattern& other) const { return std::pair(source, tag) < std::pair(other.source, other.tag); }
};

// Who sends what to whom in one round, and with which patterns a rank receives. A rank's patterns are disjoint, so that
// none takes a message that another one needs.
class Plan {
 public:
  explicit Plan(unsigned seed) : random_(seed) {
    for (auto& row : messages_) {
      for (auto& queue : row) {
        for (int i = below(random_, 6); i > 0; --i) {
          queue.push_back({static_cast<int>(queue.size()), below(random_, kTags), length()});
        }
      }
    }
    for (int rank = 0; rank < kRanks; ++rank) {
      any_tag_.push_back(below(random_, 3) == 0);
      any_source_.push_back(below(random_, 8));
    }
  }

  const std::vector<Message>& between(int from, int to) const { return messages_[index(from)][index(to)]; }

  Pattern pattern(int receiver, int source, int tag) const {
    const int bits = any_source_[index(receiver)];
    if (any_tag_[index(receiver)]) {
      return {(bits & 1) != 0 ? MPI_ANY_SOURCE : source, MPI_ANY_TAG};
    }
    return {(bits >> tag & 1) != 0 ? MPI_ANY_SOURCE : source, tag};
  }

 private:
  static std::size_t index(int rank) { return static_cast<std::size_t>(rank); }
  int length() {
    constexpr int kLengths[] = {0, 1, 2, 15, 300, 4095, 4096, 4097, kLongest};
    return kLengths[below(random_, static_cast<int>(std::size(kLengths)))];
  }

  Random random_;
  std::vector<Message> messages_[kRanks][kRanks];
  std::vector<bool> any_tag_;
  std::vector<int> any_source_;  // bit i: of tag i
};

// Ints one after the other, or every second one.
struct Layout {
  MPI_Datatype type;
  std::size_t stride;
};

// What all parts of a round share.
struct Round {
  const Plan& plan;
  int rank;
  MPI_Comm comm;
  Layout layouts[2];
  Random& random;
  unsigned seed;  // of the plan, for failure messages
};

class Sender {
 public:
  explicit Sender(const Round& round) : round_(round) {
    for (int to = 0; to < kRanks; ++to) {
      order_.insert(order_.end(), round.plan.between(round.rank, to).size(), to);
    }
    std::shuffle(order_.begin(), order_.end(), round.random);
  }
  bool done() const { return order_.empty(); }

  void send_one() {
    const int to = order_.back();
    order_.pop_back();
    const Message& message = round_.plan.between(round_.rank, to)[sent_[static_cast<std::size_t>(to)]++];
    const Layout& layout = round_.layouts[below(round_.random, 2)];
    buffers_.emplace_back(static_cast<std::size_t>(kLongest) * layout.stride);
    int* const data = buffers_.back().data();
    for (int i = 0; i < message.ints; ++i) {
      data[static_cast<std::size_t>(i) * layout.stride] = word(round_.rank, to, message, i);
    }
    start(data, message, layout.type, to);
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
  void start(const int* data, const Message& message, MPI_Datatype type, int to) {
    const int count = message.ints;
    const int tag = message.tag;
    MPI_Request request = MPI_REQUEST_NULL;
    switch (below(round_.random, 5)) {
      case 0:
        MPI_Issend(data, count, type, to, tag, round_.comm, &request);
        break;
      case 1:
        MPI_Ibsend(data, count, type, to, tag, round_.comm, &request);
        break;
      case 2:
        MPI_Bsend(data, count, type, to, tag, round_.comm);
        break;
      case 3:
        MPI_Send_init(data, count, type, to, tag, round_.comm, &request);
        MPI_Start(&request);
        break;
      default:
        MPI_Isend(data, count, type, to, tag, round_.comm, &request);
    }
    requests_.push_back(request);
  }

  const Round& round_;
  std::vector<int> order_;  // receivers, the next one last
  std::size_t sent_[kRanks] = {};
  std::deque<std::vector<int>> buffers_;
  std::vector<MPI_Request> requests_;
};

// A receive that has a message or will get one.
struct Posted {
  Pattern pattern;
  Layout layout;
  std::vector<int> data;
  MPI_Status status;
};

class Receiver {
 public:
  explicit Receiver(const Round& round) : round_(round) {
    for (int from = 0; from < kRanks; ++from) {
      for (const Message& message : round.plan.between(from, round.rank)) {
        ++open_[round.plan.pattern(round.rank, from, message.tag)];
      }
    }
  }
  bool done() const { return open_.empty(); }

  // Posts a receive or, where there is a message, takes it; there may be none.
  void try_one() {
    auto place = std::next(open_.begin(), below(round_.random, static_cast<int>(open_.size())));
    if (one_of(place->first) && --place->second == 0) {
      open_.erase(place);
    }
  }

  // Waits, then compares with the model.
  void finish() {
    std::vector<MPI_Status> statuses(requests_.size());
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), statuses.data());
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      posted_[waiting_[i]].status = statuses[i];
    }
    std::deque<Message> left[kRanks];
    for (int from = 0; from < kRanks; ++from) {
      const std::vector<Message>& sent = round_.plan.between(from, round_.rank);
      left[from].assign(sent.begin(), sent.end());
    }
    for (const Posted& receive : posted_) {
      check(receive, left[receive.status.MPI_SOURCE]);
    }
    for (const auto& queue : left) {
      EXPECT_TRUE(queue.empty()) << "seed " << round_.seed;
    }
  }

 private:
  // Whether a message now has its receive.
  bool one_of(const Pattern& pattern) {
    switch (below(round_.random, 5)) {
      case 0:
        return receive_probed(pattern);
      case 1:
        return receive_matched(pattern);
      case 2:
        return receive_unless_cancelled(pattern);
      default:
        Posted& receive = add(pattern);
        waiting_.push_back(posted_.size() - 1);
        MPI_Irecv(receive.data.data(), kLongest, receive.layout.type, pattern.source, pattern.tag, round_.comm,
                  &requests_.emplace_back());
        return true;
    }
  }

  bool receive_probed(const Pattern& pattern) {
    int flag = 0;
    MPI_Status probed;
    MPI_Iprobe(pattern.source, pattern.tag, round_.comm, &flag, &probed);
    if (flag != 0) {
      Posted& receive = add(pattern);
      MPI_Recv(receive.data.data(), kLongest, receive.layout.type, probed.MPI_SOURCE, probed.MPI_TAG, round_.comm,
               &receive.status);
      expect_same(probed, receive.status);
    }
    return flag != 0;
  }

  bool receive_matched(const Pattern& pattern) {
    int flag = 0;
    MPI_Status probed;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Improbe(pattern.source, pattern.tag, round_.comm, &flag, &message, &probed);
    if (flag != 0) {
      Posted& receive = add(pattern);
      MPI_Mrecv(receive.data.data(), kLongest, receive.layout.type, &message, &receive.status);
      expect_same(probed, receive.status);
    }
    return flag != 0;
  }

  bool receive_unless_cancelled(const Pattern& pattern) {
    Posted& receive = add(pattern);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(receive.data.data(), kLongest, receive.layout.type, pattern.source, pattern.tag, round_.comm, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &receive.status);
    int cancelled = 0;
    MPI_Test_cancelled(&receive.status, &cancelled);
    if (cancelled != 0) {
      EXPECT_EQ(std::count(receive.data.begin(), receive.data.end(), kUntouched),
                static_cast<std::ptrdiff_t>(receive.data.size()))
          << "seed " << round_.seed;
      posted_.pop_back();
    }
    return cancelled == 0;
  }

  Posted& add(const Pattern& pattern) {
    const Layout layout = round_.layouts[below(round_.random, 2)];
    return posted_.emplace_back(
        Posted{pattern, layout, std::vector<int>(static_cast<std::size_t>(kLongest) * layout.stride, kUntouched), {}});
  }

  void expect_same(const MPI_Status& probed, const MPI_Status& received) const {
    int announced = -1;
    int count = -2;
    MPI_Get_count(&probed, MPI_INT, &announced);
    MPI_Get_count(&received, MPI_INT, &count);
    EXPECT_EQ(announced, count) << "seed " << round_.seed;
    EXPECT_EQ(probed.MPI_SOURCE, received.MPI_SOURCE) << "seed " << round_.seed;
    EXPECT_EQ(probed.MPI_TAG, received.MPI_TAG) << "seed " << round_.seed;
  }

  void check(const Posted& receive, std::deque<Message>& left) const {
    const auto first = std::find_if(left.begin(), left.end(),
                                    [&](const Message& message) { return receive.pattern.matches(message.tag); });
    ASSERT_NE(first, left.end()) << "seed " << round_.seed;
    int count = -1;
    MPI_Get_count(&receive.status, MPI_INT, &count);
    EXPECT_EQ(receive.status.MPI_TAG, first->tag) << "seed " << round_.seed;
    ASSERT_EQ(count, first->ints) << "seed " << round_.seed;
    std::vector<int> expected(receive.data.size(), kUntouched);
    for (int i = 0; i < count; ++i) {
      expected[static_cast<std::size_t>(i) * receive.layout.stride] =
          word(receive.status.MPI_SOURCE, round_.rank, *first, i);
    }
    EXPECT_TRUE(receive.data == expected)
        << "seed " << round_.seed << ", source " << receive.status.MPI_SOURCE << ", message " << first->sequence;
    left.erase(first);
  }

  const Round& round_;
  std::map<Pattern, int> open_;  // receives that are still to be posted
  std::deque<Posted> posted_;    // in this order
  std::vector<MPI_Request> requests_;
  std::vector<std::size_t> waiting_;  // whose they are
};

void play(const Round& round) {
  Sender sender(round);
  Receiver receiver(round);
  while (!sender.done() || !receiver.done()) {
    if (receiver.done() || (!sender.done() && below(round.random, 2) == 0)) {
      sender.send_one();
    } else {
      receiver.try_one();
    }
  }
  receiver.finish();
  sender.finish();
}

TEST_P(FuzzTest, MessagesMatchAsTheStandardSays) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    run(kRanks, [&](int rank, int) {
      std::vector<std::byte> room(std::size_t{8} << 20);
      MPI_Buffer_attach(room.data(), static_cast<int>(room.size()));
      MPI_Datatype sparse = MPI_DATATYPE_NULL;
      MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &sparse);
      MPI_Type_commit(&sparse);
      MPI_Comm comms[2];
      for (MPI_Comm& comm : comms) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
      }
      Random random(seed * 100 + static_cast<unsigned>(rank));
      for (unsigned i = 0; i < 6; ++i) {  // two rounds may be under way at a time
        const unsigned plan_seed = seed * 1000 + i;
        const Plan plan(plan_seed);
        play({plan, rank, comms[i % 2], {{MPI_INT, 1}, {sparse, 2}}, random, plan_seed});
        if (i % 2 == 1) {
          MPI_Barrier(MPI_COMM_WORLD);
        }
      }
      for (MPI_Comm& comm : comms) {
        MPI_Comm_free(&comm);
      }
      MPI_Type_free(&sparse);
      void* detached = nullptr;
      int size = 0;
      MPI_Buffer_detach(&detached, &size);
    });
  }
}

}  // namespace
}  // namespace weft::mpi_shim
