// Runs the steps of a collective algorithm for all members of a group in one thread. Every member's steps are recorded
// first, as no algorithm may depend on received data; then the members run in some order, one step each.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <utility>
#include <vector>

namespace weft::mpi_shim::steps::test {

struct Members {
  int number;
  int count;
  int first = 0;  // member 0's number in the simulation
  int size() const { return count; }
  int rank() const { return number; }
};

struct Memory {
  void* base = nullptr;
  std::size_t bytes = 0;
  const void* layout = nullptr;  // not null: every second byte from `base` on

  std::byte& at(std::size_t i) const { return static_cast<std::byte*>(base)[layout != nullptr ? 2 * i : i]; }
};

inline void transfer(const Memory& from, const Memory& to) {
  ASSERT_EQ(from.bytes, to.bytes);
  if (from.layout == nullptr && to.layout == nullptr && from.bytes != 0) {
    std::memmove(to.base, from.base, from.bytes);
    return;
  }
  for (std::size_t i = 0; i < from.bytes; ++i) {
    to.at(i) = from.at(i);
  }
}

struct Step {
  enum class Kind : std::uint8_t { send, receive, wait, action };
  Kind kind = Kind::action;
  int peer = 0;
  std::size_t ticket = 0;
  Memory memory;
  std::function<void()> action;
};

// Records one member's steps.
class Recording {
 public:
  using Members = test::Members;
  using Memory = test::Memory;

  std::size_t start_send(const Members& members, int to, const Memory& memory) {
    steps.push_back({Step::Kind::send, members.first + to, tickets, memory, {}});
    return tickets++;
  }
  std::size_t start_receive(const Members& members, int from, const Memory& memory) {
    steps.push_back({Step::Kind::receive, members.first + from, tickets, memory, {}});
    return tickets++;
  }
  void wait(std::size_t ticket) { steps.push_back({Step::Kind::wait, 0, ticket, {}, {}}); }
  void wait_all(std::vector<std::size_t>& all) {
    for (const std::size_t ticket : all) {
      wait(ticket);
    }
    all.clear();
  }
  void send(const Members& members, int to, const Memory& memory) { wait(start_send(members, to, memory)); }
  void receive(const Members& members, int from, const Memory& memory) { wait(start_receive(members, from, memory)); }
  void copy(const Memory& from, const Memory& to) {
    act([from, to] { transfer(from, to); });
  }
  void act(std::function<void()> action) { steps.push_back({Step::Kind::action, 0, 0, {}, std::move(action)}); }
  std::byte* scratch(std::size_t bytes) { return memory_.emplace_back(new std::byte[bytes + 1]()).get(); }

  std::vector<Step> steps;
  std::size_t tickets = 0;

 private:
  std::vector<std::unique_ptr<std::byte[]>> memory_;
};

// Sends are synchronous, the hardest case: a message is copied, and its send complete, only once the receive is posted.
// So an algorithm that needs buffering, or overwrites data of a pending send, fails here.
class Simulation {
 public:
  explicit Simulation(int size) : members_(static_cast<std::size_t>(size)) {}

  int size() const { return static_cast<int>(members_.size()); }
  Recording& recording(int member) { return at(member).recording; }

  // Runs the members in an order given by `seed`; member `last`, unless negative, runs only when no other can.
  void run(unsigned seed, int last = -1) {
    std::mt19937 random(seed);
    for (Member& member : members_) {
      member.complete.resize(member.recording.tickets);
    }
    while (unfinished() != 0) {
      std::vector<int> ready;
      for (int i = 0; i < size(); ++i) {
        if (can_go_on(i)) {
          ready.push_back(i);
        }
      }
      ASSERT_FALSE(ready.empty()) << "the members wait for each other";
      if (ready.size() > 1) {
        std::erase(ready, last);
      }
      go_on(ready[random() % ready.size()]);
    }
    for (const Member& member : members_) {
      for (const auto& [from, queue] : member.sent) {
        ASSERT_TRUE(queue.empty()) << "a message that nobody receives";
      }
      for (const bool complete : member.complete) {
        ASSERT_TRUE(complete) << "a message that nobody waits for";
      }
    }
  }
  // The members in the order in which they began, and in which they ended.
  std::vector<int> begun, ended;
  std::size_t ended_before_last_began = 0;

 private:
  struct Message {
    std::size_t ticket;
    Memory memory;
  };
  struct Member {
    Recording recording;
    std::size_t next = 0;
    std::vector<bool> complete;
    std::map<int, std::deque<Message>> sent, awaited;  // by the sender
  };

  Member& at(int member) { return members_[static_cast<std::size_t>(member)]; }
  std::size_t unfinished() const {
    std::size_t n = 0;
    for (const Member& member : members_) {
      n += member.next < member.recording.steps.size() ? 1 : 0;
    }
    return n;
  }
  bool can_go_on(int number) {
    const Member& member = at(number);
    if (member.next == member.recording.steps.size()) {
      return false;
    }
    const Step& step = member.recording.steps[member.next];
    return step.kind != Step::Kind::wait || member.complete[step.ticket];
  }
  void go_on(int number) {
    Member& member = at(number);
    if (member.next == 0) {
      begun.push_back(number);
      ended_before_last_began = ended.size();
    }
    const Step& step = member.recording.steps[member.next++];
    if (step.kind == Step::Kind::send) {
      at(step.peer).sent[number].push_back({step.ticket, step.memory});
      match(number, step.peer);
    } else if (step.kind == Step::Kind::receive) {
      member.awaited[step.peer].push_back({step.ticket, step.memory});
      match(step.peer, number);
    } else if (step.kind == Step::Kind::action) {
      step.action();
    }
    if (member.next == member.recording.steps.size()) {
      ended.push_back(number);
    }
  }
  void match(int from, int to) {
    auto& sent = at(to).sent[from];
    auto& awaited = at(to).awaited[from];
    while (!sent.empty() && !awaited.empty()) {
      transfer(sent.front().memory, awaited.front().memory);
      at(from).complete[sent.front().ticket] = true;
      at(to).complete[awaited.front().ticket] = true;
      sent.pop_front();
      awaited.pop_front();
    }
  }

  std::vector<Member> members_;
};

inline constexpr int kMostMembers = 17;

}  // namespace weft::mpi_shim::steps::test
