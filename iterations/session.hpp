// One rank's part of a loop: its roles, and the messages between them over MPI.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "iterations/channels.hpp"
#include "iterations/roles.hpp"
#include "iterations/tallies.hpp"
#include "iterations/weft_iterations.h"

namespace weft::iterations {

// Which ranks form groups, by ranks of the communicator.
struct Groups {
  int leader = 0;             // of this rank
  std::vector<int> members;   // of this rank, if it leads
  std::vector<int> leaders;   // rank 0 only: all leaders
  std::vector<double> sizes;  // rank 0 only: ranks of each group
};

// Collective. group_size 0: ranks that share memory.
Groups find_groups(MPI_Comm comm, int group_size);

class Session {
 public:
  // Owns the communicator, which must return errors.
  Session(MPI_Comm comm, std::int64_t total, const weft_iterations_options& options);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  void next(std::int64_t& first, std::int64_t& count);
  int report(std::int64_t done);
  int predict(double& seconds_left, double& finish_spread);
  int end(weft_iterations_stats& stats);

 private:
  void poll();
  void dispatch(const Arrived& arrived);
  void take_messages();
  void tick();
  void apply_events();
  void take_bye(const Arrived& arrived);
  void send_up(const std::vector<Message>& up);
  void send_from_leader(const Posts& posts, const std::vector<Message>& up);
  void send_from_root(const Posts& posts);
  [[nodiscard]] double now() const;

  MPI_Comm comm_;
  Limits limits_;
  Groups groups_;
  Channels channels_;
  Worker worker_;
  std::optional<Leader> leader_;
  std::optional<Root> root_;
  Tally<std::int64_t> counts_;
  Tally<double> sums_;
  std::int64_t begun_at_;  // nanoseconds
  double ticked_at_ = 0;
  double finish_ = 0, waited_ = 0;
  std::size_t byes_ = 0, root_byes_ = 0;
  bool left_ = false;  // was let go by its leader
};

}  // namespace weft::iterations
