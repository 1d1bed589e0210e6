// One rank's part of a loop on one communicator: its roles, and the messages between them over MPI.
#pragma once

#include <mpi.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "iterations/channels.hpp"
#include "iterations/roles.hpp"
#include "iterations/tallies.hpp"
#include "iterations/weft_iterations.h"

namespace weft::iterations {

// The groups of ranks, by ranks in the communicator.
struct Groups {
  int leader = 0;             // of this rank
  std::vector<int> members;   // of this rank, if it leads
  std::vector<int> leaders;   // rank 0 only: all leaders
  std::vector<double> sizes;  // rank 0 only: ranks of each group
  // Whether this rank prints a warning when rank 0 does not answer. Two ranks do: the first other rank of rank 0's
  // group, and the first rank of any other group.
  bool watches_root = false;
};

// Collective. group_size 0: a group is the ranks that share memory. `within_hosts`: groups of a fixed size do not span
// several hosts either.
Groups find_groups(MPI_Comm comm, int group_size, bool within_hosts);

// The part of weft_iterations_options that a session needs.
struct SessionOptions {
  explicit SessionOptions(const weft_iterations_options& given);

  Limits limits;
  double lease_seconds;
  int group_size;
};

// The state of a rank that outlives sessions.
struct LoopState {
  using Clock = std::chrono::steady_clock;
  // Seconds since the loop has begun.
  [[nodiscard]] double now() const { return std::chrono::duration<double>(Clock::now() - begun_at).count(); }

  Tallies tallies;
  Clock::time_point begun_at = Clock::now();
  double finish = 0, waited = 0;  // of weft_iterations_stats
  bool lease_void = false;        // the program works on a lease of an earlier session
};

class Session {
 public:
  // Collective. Borrows the communicator, which must return errors, and the state.
  Session(MPI_Comm comm, const RangeSet& indices, const SessionOptions& options, LoopState& state);

  // Call once, before the others.
  void begin();
  void next(std::int64_t& first, std::int64_t& count);
  int report(std::int64_t done);
  int predict(double& seconds_left, double& finish_spread);
  // Once next() has given a count of 0: waits until no message of any rank is under way.
  void leave();
  [[nodiscard]] const Worker& worker() const { return worker_; }
  // The statistics of this session.
  [[nodiscard]] weft_iterations_stats stats() const;

 private:
  void poll();
  void dispatch(const Arrived& arrived);
  void take_messages();
  void tick();
  void watch_root(double time);
  void apply_events();
  void count_last_message(const Arrived& arrived);
  void send_up(const std::vector<Message>& up);
  void send_from_leader(const DownMessages& down, const std::vector<Message>& up);
  void send_from_root(const DownMessages& down);
  [[nodiscard]] const Prediction& newest_prediction() const;
  [[nodiscard]] double now() const { return state_.now(); }

  LoopState& state_;
  Limits limits_;
  Groups groups_;
  Channels channels_;
  Worker worker_;
  std::optional<Leader> leader_;
  std::optional<Root> root_;
  double ticked_at_ = 0;
  double away_until_ = 0;  // the end of the last long time in which the program made no call
  bool said_root_is_silent_ = false;
  std::size_t finished_members_ = 0, finished_leaders_ = 0;
  bool released_ = false;  // the leader's last message has arrived
};

}  // namespace weft::iterations
