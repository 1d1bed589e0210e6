// The three roles of the protocol: each rank is a worker, the first of each group is its leader, rank 0 is the root
// too. State machines: messages and times in, messages out. No MPI, no clock.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "iterations/claims.hpp"
#include "iterations/message.hpp"
#include "iterations/ranges.hpp"
#include "iterations/rules.hpp"
#include "iterations/task.hpp"

namespace weft::iterations {

// Measures for reports, of times in which there was work. Not over times so short that they say nothing.
class Meter {
 public:
  explicit Meter(double shortest) : shortest_(shortest) {}
  // Work begins, or begins again after a wait, with `done` iterations done.
  void restart(double done, double now);
  // Sets elapsed and done of a report, and begins anew; elapsed 0 where there is nothing to say.
  void take(double done, double now, Message& message);

 private:
  double shortest_;
  double since_ = 0;
  double done_ = 0;
  bool measured_ = false;
};

// Rank 0: holds the loop's indices at the start; decides which are credited.
class Root {
 public:
  // `weights`: ranks of each group.
  Root(const Limits& limits, const RangeSet& indices, std::vector<double> weights);

  void receive(std::size_t group, const Message& message, double now, Posts& posts);
  void tick(double now, Posts& posts);
  [[nodiscard]] bool finished() const { return stopped_; }
  [[nodiscard]] const Task& task() const { return task_; }

 private:
  void stop_if_done(Posts& posts);
  void look_out(double now);

  Task task_;
  double total_;
  bool stopped_ = false;
};

// The first rank of a group: lends out what the root has lent to it. `posts` go to members, `up` to the root.
class Leader {
 public:
  Leader(const Limits& limits, std::size_t members);

  void begin(std::vector<Message>& up);
  void receive_from_member(std::size_t member, const Message& message, double now, Posts& posts,
                           std::vector<Message>& up);
  void receive_from_root(const Message& message, double now, Posts& posts, std::vector<Message>& up);
  void tick(double now, Posts& posts, std::vector<Message>& up);
  [[nodiscard]] bool finished() const { return stopped_; }
  [[nodiscard]] const Task& task() const { return task_; }

 private:
  // A member's batch on its way to the root; its indices are pending in task_.
  struct Forwarded {
    std::size_t member = 0;
    RangeSet batch;
  };

  void balance(double now, Posts& posts);
  void report(Kind kind, double now, std::vector<Message>& up);
  void report_if_needed(double now, std::vector<Message>& up);
  void take_assignment(const Message& message, double now, Posts& posts, std::vector<Message>& up);
  void hand_back(double now, std::vector<Message>& up);
  void take_refusal(const Message& message, Posts& posts);
  void take_credit(double now, Posts& posts);

  Task task_;
  std::vector<Forwarded> collected_, sent_;
  Meter meter_;
  Index epoch_ = 0;
  Index serial_ = 0;
  Index owed_ = 0;  // the root wants as many back
  double interval_;
  double reported_at_ = 0;
  bool waiting_ = true;  // nothing is left in the group, the root knows
  bool stopped_ = false;
};

// What becomes of the tallies of the iterations that a worker does, in the order in which it happens.
enum class TallyEvent {
  close,       // what was tallied since the last close belongs to the batch that is sent now
  credit,      // the batch counts
  drop_batch,  // the batch does not count
  drop_open,   // nor does what was tallied since
};

// A rank: does the iterations.
class Worker {
 public:
  enum class Next { lease, wait, finished };

  // A lease is meant to take `lease_seconds`. lease_void: the program still works on a lease that counts no longer.
  Worker(const Limits& limits, double lease_seconds, bool lease_void = false);

  void begin(double now, std::vector<Message>& up);
  // The whole lease is done. False if there is none.
  bool finish_lease(double now, std::vector<Message>& up);
  // The same, and the next lease if there is one.
  Next next(double now, Range& lease, std::vector<Message>& up);
  // The next `done` iterations of the lease are done. False if there are not as many.
  bool report(Index done, double now, std::vector<Message>& up);
  void receive(const Message& message, double now, std::vector<Message>& up);
  // To be applied to the tallies, once, after each of the calls above.
  std::vector<TallyEvent> take_events() { return std::exchange(events_, {}); }

  [[nodiscard]] bool finished() const { return stopped_; }
  [[nodiscard]] bool lease_void() const { return void_; }
  // The program has a lease, which counts or does not.
  [[nodiscard]] bool has_lease() const { return void_ || lease_.count > 0; }
  // What is not reported done of one that counts.
  [[nodiscard]] Index lease_left() const { return lease_.count; }
  [[nodiscard]] Index credited() const { return credited_.count(); }
  [[nodiscard]] Claim claim() const { return {credited_, in_flight_, open_}; }
  [[nodiscard]] Index refused() const { return refused_; }
  [[nodiscard]] Index reports() const { return reports_; }
  [[nodiscard]] const Outlook& outlook() const { return outlook_; }

 private:
  void send_report(Kind kind, double now, std::vector<Message>& up, RangeSet returned = {});
  void take_assignment(const Message& message, double now, std::vector<Message>& up);
  void take_refusal(const Message& message);
  void take_credit(double now, std::vector<Message>& up);
  void pace(double now, Index count);
  [[nodiscard]] Index done() const { return credited_.count() + in_flight_.count() + open_.count(); }

  std::vector<TallyEvent> events_;
  double lease_seconds_;
  RangeSet held_;       // leased, not begun
  Range lease_;         // what the program works on, without what is reported done
  RangeSet open_;       // done, not sent
  RangeSet in_flight_;  // sent as batch serial_, not credited
  Index serial_ = 0;
  Index epoch_ = 0;
  RangeSet credited_;
  Index refused_ = 0, reports_ = 0;
  Index next_count_ = 1;
  Meter meter_;
  double interval_;
  double leased_at_ = 0, reported_at_ = 0;
  Outlook outlook_;
  bool waiting_ = true;
  bool void_ = false;  // the lease that the program works on was revoked
  bool stopped_ = false;
};

}  // namespace weft::iterations
