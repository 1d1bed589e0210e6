// The lending side of one level: which worker holds which indices, what each is to do, and who is silent. Rank 0 has
// one over the leaders of all groups, each leader one over the ranks of its group. No MPI, no clock: callers pass the
// time.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "iterations/message.hpp"
#include "iterations/ranges.hpp"
#include "iterations/rules.hpp"

namespace weft::iterations {

// A message to worker `to` of a task.
struct Post {
  std::size_t to = 0;
  Message message;
};
using Posts = std::vector<Post>;

// Predictions of the job, which a leader passes on.
struct Outlook {
  double seconds_left = -1;  // negative: not known
  double spread = 0;         // seconds between the first and the last finish, were nothing shared out again
  double at = 0;             // when this was so
};

// Invariant: every index that was supplied is in exactly one of free, leased, pending (done, not credited yet),
// credited.
class Task {
 public:
  // `weights`: of what is there at the start each worker gets a part in proportion. `guess`: workers stand for
  // processes and report predictions (Gimenez-Alventosa 2020, section 2.2).
  Task(const Limits& limits, std::vector<double> weights, bool guess);

  // Indices to lend out; those taken back before they were lent, at most `most`.
  void supply(const RangeSet& indices);
  RangeSet take_free(Index most) { return free_.take_back(most); }
  // All indices are gone: every worker's leases are revoked, and its pending batch unless `keeps` has its place.
  void revoke_all(const std::vector<bool>& keeps, Posts& posts);

  // Takes a start, report or finish. False if the worker's leases were revoked before it was sent: nothing in it
  // counts, and a refusal is posted. If true, its batch is pending until credit(). Call balance() afterwards.
  bool receive(std::size_t from, const Message& message, double now, Posts& posts);
  void credit(std::size_t worker, double now, Posts& posts);

  // The checkpoint over `total` iterations (I_n), then grants, and recalls where a worker waits or `wanted` is set. The
  // worker `reporter`, if it is one, gets an answer in any case.
  void balance(double total, double now, Posts& posts, bool wanted = false);
  void answer(std::size_t reporter, double now, Posts& posts);

  // Revokes the leases of workers that have not been heard of for three of their intervals (longer after each time that
  // this happened to them). Time in which the task itself was not called does not count. True if there was one.
  bool tick(double now, Posts& posts);

  void set_outlook(const Outlook& outlook) { outlook_ = outlook; }
  [[nodiscard]] const Outlook& outlook() const { return outlook_; }
  [[nodiscard]] std::size_t workers() const { return clients_.size(); }
  [[nodiscard]] Index free() const { return free_.count(); }
  [[nodiscard]] Index leased() const;
  [[nodiscard]] Index credited() const;
  [[nodiscard]] Index holds() const;    // free + leased + pending + credited
  [[nodiscard]] bool all_wait() const;  // no working worker has an iteration to do
  [[nodiscard]] double predicted_done(double now) const;
  [[nodiscard]] double predicted_spread(double now) const;
  [[nodiscard]] double speed() const;  // of all working workers, iterations per second
  [[nodiscard]] Index times_silent() const { return times_silent_; }
  [[nodiscard]] const std::vector<WorkerRecord>& records() const { return records_; }
  [[nodiscard]] const RangeSet& pending(std::size_t worker) const { return clients_[worker].pending; }

 private:
  struct Client {
    double weight = 1;
    RangeSet leased, pending;
    Index pending_serial = 0;
    Index credited = 0;
    Index epoch = 0;
    double interval = 0;
    double heard_at = 0;
    double asked_at = 0;  // for a report, and when it answered
    double answered_at = -1e300;
    double pause = 0;     // seconds after an answer in which it is not asked again; doubled until it reports by itself
    double patience = 3;  // in intervals
    bool started = false;
    bool waiting = false;   // has nothing to do
    bool measured = false;  // has reported since it last got its first indices
    bool recalled = false;  // was told to hand back, has not answered
    bool required = false;  // was asked for a report

    [[nodiscard]] Index holds() const { return credited + pending.count() + leased.count(); }
  };

  void take_measure(std::size_t from, const Message& message, double now);
  void revoke(std::size_t worker, bool keep_pending, Posts& posts);
  bool assume_speeds(double total);
  void grant_waiting(double now, Posts& posts);
  void recall(double now, Posts& posts);
  [[nodiscard]] bool any_waiting() const;
  [[nodiscard]] Message assignment(std::size_t worker, RangeSet granted) const;
  [[nodiscard]] Index surplus(std::size_t worker) const;

  Limits limits_;
  bool guess_;
  std::vector<Client> clients_;
  std::vector<WorkerRecord> records_;  // of the client with the same place
  RangeSet free_;
  Outlook outlook_;
  double ticked_at_ = 0;
  Index times_silent_ = 0;
};

}  // namespace weft::iterations
