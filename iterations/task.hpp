// The leasing side of one level: which worker holds which indices, what each should do, and which one is silent. Rank 0
// has a Task whose workers are the leaders of all groups; each leader has one whose workers are the ranks of its group.
// It uses no MPI and no clock: callers pass the time.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "iterations/message.hpp"
#include "iterations/ranges.hpp"
#include "iterations/rules.hpp"

namespace weft::iterations {

// A message to worker `to` of a task.
struct DownMessage {
  std::size_t to = 0;
  Message message;
};
using DownMessages = std::vector<DownMessage>;

// A prediction for the whole job, which leaders pass on.
struct Prediction {
  double seconds_left = -1;  // negative: not known
  double spread = 0;         // seconds between the first and the last finish, if nothing were shared out again
  double at = 0;             // when the prediction was made
};

// Invariant: every index that was supplied is in exactly one of free, leased, pending (done, not credited yet),
// credited.
class Task {
 public:
  // `weights`: before any report each worker gets a share of the indices in proportion to its weight. `guess`: workers
  // stand for processes and report predictions (Gimenez-Alventosa 2020, section 2.2).
  Task(const Limits& limits, std::vector<double> weights, bool guess);

  // Adds indices to lease; removes at most `most` indices that are not leased.
  void supply(const RangeSet& indices);
  RangeSet take_free(Index most) { return free_.take_back(most); }
  // Revokes all indices: every worker's leases, and its pending batch unless keeps[worker] is true.
  void revoke_all(const std::vector<bool>& keeps, DownMessages& down);

  // Takes a start, report, finish or hand_back. False if the worker's leases were revoked before it was sent, or if it
  // names indices that the worker does not hold: nothing in it counts, and a revocation is sent. If true, its batch is
  // pending until credit(). Call balance() afterwards.
  bool receive(std::size_t from, const Message& message, double now, DownMessages& down);
  void credit(std::size_t worker, double now, DownMessages& down);

  // Makes the checkpoint over `total` iterations (I_n), then grants, and recalls if a worker waits or `wanted` is set.
  void balance(double total, double now, DownMessages& down, bool wanted = false);
  // Answers a report with an assignment, unless the worker waits.
  void answer(std::size_t reporter, double now, DownMessages& down);

  // Requires a report of each worker that has something to do.
  void require_reports(double now, DownMessages& down);
  // Whether one of them has not answered yet.
  [[nodiscard]] bool expects_reports() const;

  // Revokes the leases of workers that have sent nothing for three of their intervals (twice as long after each
  // revocation). Time in which the task itself was not called does not count. True if a worker's leases were revoked.
  bool tick(double now, DownMessages& down);

  void set_prediction(const Prediction& prediction) { prediction_ = prediction; }
  [[nodiscard]] const Prediction& prediction() const { return prediction_; }
  [[nodiscard]] std::size_t workers() const { return workers_.size(); }
  [[nodiscard]] Index free() const { return free_.count(); }
  [[nodiscard]] Index leased() const;
  [[nodiscard]] Index credited() const;
  [[nodiscard]] Index holds() const;  // free + leased + pending + credited
  // Whether all working workers that have something to do have reported after `time`.
  [[nodiscard]] bool all_reported_since(double time) const;
  [[nodiscard]] bool waits(std::size_t worker) const { return workers_[worker].waiting; }
  [[nodiscard]] bool all_wait() const;  // no working worker has an iteration to do
  [[nodiscard]] double predicted_done(double now) const;
  [[nodiscard]] double predicted_spread(double now) const;
  [[nodiscard]] double mean_speed() const;  // of all working workers together, iterations per second
  [[nodiscard]] Index times_silent() const { return times_silent_; }

 private:
  struct WorkerState {
    double weight = 1;
    MeanSpeed speed;
    RangeSet leased, pending;
    Index pending_serial = 0;
    Index credited = 0;
    Index epoch = 0;
    Index grants = 0;  // how often it was granted indices
    double interval = 0;
    double heard_at = 0;           // its last message, or the last assignment or credit to it
    double requested_at = 0;       // the last request for a report
    double answered_at = -1e300;   // the last answer to such a request
    double request_backoff = 0;    // seconds after an answer without a new request; doubled until it reports by itself
    double timeout_intervals = 3;  // silent intervals after which its leases are revoked
    bool started = false;
    bool waiting = false;           // has nothing to do
    bool measured = false;          // has reported since it last got its first indices
    bool recalled = false;          // was told to hand back, has not answered
    bool report_requested = false;  // and not answered yet

    [[nodiscard]] Index holds() const { return credited + pending.count() + leased.count(); }
  };

  void take_measure(std::size_t from, const Message& message, double now);
  static void lease(WorkerState& state, const RangeSet& granted);
  void revoke(std::size_t worker, bool keep_pending, DownMessages& down);
  bool assume_speeds(double total);
  void require_report(std::size_t worker, double now, DownMessages& down);
  void grant_waiting(double now, DownMessages& down);
  void recall(double now, DownMessages& down);
  [[nodiscard]] bool any_waiting() const;
  [[nodiscard]] Message assignment(std::size_t worker, RangeSet granted) const;
  [[nodiscard]] Index surplus(std::size_t worker) const;

  Limits limits_;
  bool guess_;
  std::vector<WorkerState> workers_;
  std::vector<WorkerRecord> records_;  // of the worker with the same index in workers_
  RangeSet free_;
  Prediction prediction_;
  double ticked_at_ = 0;
  Index times_silent_ = 0;
};

}  // namespace weft::iterations
