// The three roles of the protocol: each rank is a worker, the first of each group is its leader too, and rank 0 is the
// root too. They are state machines with messages and times as input and messages as output. They use no MPI and no
// clock.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "iterations/claims.hpp"
#include "iterations/message.hpp"
#include "iterations/ranges.hpp"
#include "iterations/rules.hpp"
#include "iterations/task.hpp"

namespace weft::iterations {

// Measures progress for reports, over times in which there was work. Times shorter than `shortest` are not measured.
class Meter {
 public:
  explicit Meter(double shortest) : shortest_(shortest) {}
  // Work begins, or begins again after a wait, with `done` iterations done.
  void restart(double done, double now);
  // It is known how many iterations are done: the measure that take() gives ends here.
  void mark(double done, double now) { end_ = {done, now}; }
  // Sets elapsed and progress of a report; the next measure begins where this one ends. Elapsed stays 0 if nothing was
  // marked or the time was too short.
  void take(Message& message);
  [[nodiscard]] bool marked() const { return end_.time > start_.time; }
  [[nodiscard]] double since() const { return start_.time; }

 private:
  struct Point {
    double done = 0;
    double time = 0;
  };
  double shortest_;
  Point start_, end_;
  bool measured_ = false;
};

// How many iterations a lease has, so that it takes about the wanted time.
class LeaseSize {
 public:
  explicit LeaseSize(double seconds) : seconds_(seconds) {}
  void begin(double now, Index iterations) {
    began_at_ = now;
    open_ = iterations;
  }
  // Whether a lease has begun and not ended.
  [[nodiscard]] bool is_open() const { return open_ > 0; }
  // The lease has ended: the next one fits the time, with at most twice as many as the last one. How much was done of
  // one that was revoked is not known; one iteration is counted.
  void end(double now, bool is_revoked);
  [[nodiscard]] Index count() const { return count_; }

 private:
  double seconds_;
  double began_at_ = 0;
  Index open_ = 0;  // iterations of the lease that is open, also those that have been reported as done
  Index count_ = 1;
};

// Since when a worker has waited for its leader to answer, or a leader for the root. Reports and messages with a batch
// are always answered; any message that comes counts as the answer.
class Unanswered {
 public:
  void sent(const Message& message, double now) {
    if (!since_ && (message.kind == MessageKind::report || !message.batch.empty())) {
      since_ = now;
    }
  }
  void answered() { since_.reset(); }
  // When the first message without an answer was sent; empty: there is none.
  [[nodiscard]] std::optional<double> since() const { return since_; }

 private:
  std::optional<double> since_;
};

// Rank 0: holds the loop's indices at the start; decides which are credited.
class Root {
 public:
  // `weights`: ranks of each group.
  Root(const Limits& limits, const RangeSet& indices, std::vector<double> weights);

  void receive(std::size_t group, const Message& message, double now, DownMessages& down);
  void tick(double now, DownMessages& down);
  [[nodiscard]] bool finished() const { return stopped_; }
  [[nodiscard]] const Task& task() const { return task_; }

 private:
  void stop_if_done(DownMessages& down);
  void update_prediction(double now);

  Task task_;
  double total_;
  bool stopped_ = false;
};

// The first rank of a group: leases to its members what the root has leased to it. Messages in `down` go to members,
// those in `up` to the root.
class Leader {
 public:
  // `lease_seconds`: how long a lease of its members should take.
  Leader(const Limits& limits, double lease_seconds, std::size_t members);

  void begin(std::vector<Message>& up);
  void receive_from_member(std::size_t member, const Message& message, double now, DownMessages& down,
                           std::vector<Message>& up);
  void receive_from_root(const Message& message, double now, DownMessages& down, std::vector<Message>& up);
  void tick(double now, DownMessages& down, std::vector<Message>& up);
  [[nodiscard]] bool finished() const { return stopped_; }
  [[nodiscard]] bool waits() const { return waiting_; }
  // Since when the root has not answered.
  [[nodiscard]] std::optional<double> unanswered_since() const { return unanswered_.since(); }
  [[nodiscard]] const Task& task() const { return task_; }

 private:
  // A member's batch on its way to the root; its indices are pending in task_.
  struct Forwarded {
    std::size_t member = 0;
    RangeSet batch;
  };

  void balance(double now, DownMessages& down);
  void report(MessageKind kind, double now, std::vector<Message>& up);
  void report_if_needed(double now, std::vector<Message>& up);
  [[nodiscard]] bool report_is_due(double now) const;
  void take_assignment(const Message& message, double now, DownMessages& down, std::vector<Message>& up);
  void take_revocation(const Message& message, DownMessages& down);
  void take_credit(double now, DownMessages& down);

  Task task_;
  std::vector<Forwarded> collected_, sent_;
  Meter meter_;
  Unanswered unanswered_;
  Index epoch_ = 0;
  Index grants_ = 0;
  Index serial_ = 0;
  Index to_hand_back_ = 0;  // the root has asked for so many indices
  double interval_;
  double reported_at_ = 0;
  bool report_required_ = false;  // by the root; the report waits for those of the members
  bool waiting_ = true;           // the group has no iterations left, and the root knows
  bool stopped_ = false;
};

// What happens to the tallies of a worker's iterations; events are applied in order.
enum class TallyEvent {
  close,       // what was tallied since the last close belongs to the batch that is sent now
  credit,      // the batch counts
  drop_batch,  // the batch does not count
  drop_open,   // what was tallied since the last close does not count either
};

// A rank: does the iterations.
class Worker {
 public:
  enum class Next { lease, wait, finished };

  // A lease should take `lease_seconds`. lease_void: the program still works on a lease that no longer counts.
  Worker(const Limits& limits, double lease_seconds, bool lease_void = false);

  void begin(double now, std::vector<Message>& up);
  // The whole lease is done, however much of it has been reported before. False if there is none.
  bool finish_lease(double now, std::vector<Message>& up);
  // The same, and the next lease if there is one.
  Next next(double now, Range& lease, std::vector<Message>& up);
  // The next `done` iterations of the lease are done. False if there are not as many.
  bool report(Index done, double now, std::vector<Message>& up);
  void receive(const Message& message, double now, std::vector<Message>& up);
  // The events to apply to the tallies after each of the calls above.
  std::vector<TallyEvent> take_events() { return std::exchange(events_, {}); }

  [[nodiscard]] bool finished() const { return stopped_; }
  [[nodiscard]] bool lease_void() const { return lease_void_; }
  // Whether the program has a lease, even one that no longer counts.
  [[nodiscard]] bool has_lease() const { return lease_void_ || lease_.count > 0; }
  // The iterations of a valid lease that are not reported as done.
  [[nodiscard]] Index lease_left() const { return lease_.count; }
  // Whether it has iterations to do or the program is at work on some.
  [[nodiscard]] bool has_work() const { return lease_.count > 0 || !held_.empty(); }
  [[nodiscard]] Index credited() const { return credited_.count(); }
  [[nodiscard]] Claim claim() const { return {credited_, in_flight_, open_}; }
  [[nodiscard]] Index refused() const { return refused_; }
  [[nodiscard]] Index reports() const { return reports_; }
  [[nodiscard]] const Prediction& prediction() const { return prediction_; }
  // Since when the leader has not answered.
  [[nodiscard]] std::optional<double> unanswered_since() const { return unanswered_.since(); }

 private:
  void send_report(MessageKind kind, double now, std::vector<Message>& up, RangeSet returned = {});
  void take_assignment(const Message& message, double now, std::vector<Message>& up);
  void take_revocation(const Message& message);
  void take_credit(double now, std::vector<Message>& up);
  [[nodiscard]] Index done() const { return credited_.count() + in_flight_.count() + open_.count(); }

  std::vector<TallyEvent> events_;
  LeaseSize lease_size_;
  RangeSet held_;       // leased, not begun
  Range lease_;         // of the program, without the iterations reported as done
  RangeSet open_;       // done, not sent
  RangeSet in_flight_;  // sent as batch serial_, not credited
  Index serial_ = 0;
  Index epoch_ = 0;
  Index grants_ = 0;
  RangeSet credited_;
  Index refused_ = 0, reports_ = 0;
  Meter meter_;
  Unanswered unanswered_;
  double interval_;
  double reported_at_ = 0;
  Prediction prediction_;
  bool waiting_ = true;
  bool lease_void_ = false;  // the lease that the program works on was revoked
  bool stopped_ = false;
};

}  // namespace weft::iterations
