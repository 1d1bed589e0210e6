#include "iterations/session.hpp"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <numeric>

#include "iterations/survival.hpp"
#include "iterations/weft_job.hpp"

namespace weft::iterations {
namespace {

// Sleeps so that others can run on this core; each time longer, up to a millisecond.
class Backoff {
 public:
  void wait() {
    const timespec time{0, nanoseconds_};
    nanosleep(&time, nullptr);
    nanoseconds_ = std::min(1000000L, nanoseconds_ * 2);
  }

 private:
  long nanoseconds_ = 20000;
};

// The ranks of `comm` that share memory with this one, in ascending order. Collective over `comm`; the communicator of
// these ranks is not used for communication. If a process dies only `comm` is revoked, so a rank that waited on another
// communicator could wait forever.
std::vector<int> ranks_sharing_memory(MPI_Comm comm, int rank) {
  MPI_Comm near = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &near));
  MPI_Group all = MPI_GROUP_NULL, group = MPI_GROUP_NULL;
  check_mpi(MPI_Comm_group(comm, &all));
  check_mpi(MPI_Comm_group(near, &group));
  check_mpi(MPI_Comm_free(&near));
  int size = 0;
  check_mpi(MPI_Group_size(group, &size));
  std::vector<int> places(static_cast<std::size_t>(size)), ranks(places.size());
  std::iota(places.begin(), places.end(), 0);
  check_mpi(MPI_Group_translate_ranks(group, size, places.data(), all, ranks.data()));
  check_mpi(MPI_Group_free(&group));
  check_mpi(MPI_Group_free(&all));
  return ranks;
}

// The first rank above 0 whose leader is rank 0 (of_rank_0) or another rank; -1 if there is none. Leaders are the
// lowest ranks of their groups.
int first_rank(const std::vector<int>& leaders, bool of_rank_0) {
  const auto found =
      std::find_if(leaders.begin() + 1, leaders.end(), [&](int leader) { return (leader == 0) == of_rank_0; });
  return found == leaders.end() ? -1 : static_cast<int>(found - leaders.begin());
}

Message last_message() {
  Message message;
  message.kind = MessageKind::last;
  return message;
}

}  // namespace

SessionOptions::SessionOptions(const weft_iterations_options& given)
    : limits{.checkpoint_seconds = given.report_seconds,
             .max_deviation = given.max_deviation,
             .min_seconds = given.min_seconds < 0 ? given.report_seconds / 100 : given.min_seconds},
      lease_seconds(given.lease_seconds > 0 ? given.lease_seconds : std::min(0.02, given.report_seconds / 200)),
      group_size(given.group_size) {}

Groups find_groups(MPI_Comm comm, int group_size, bool within_hosts) {
  int rank = 0, size = 0;
  check_mpi(MPI_Comm_rank(comm, &rank));
  check_mpi(MPI_Comm_size(comm, &size));
  Groups groups;
  const auto block = [group_size](int of) { return group_size > 0 ? of / group_size : 0; };
  if (group_size > 0 && !within_hosts) {
    groups.leader = block(rank) * group_size;
  } else {
    const std::vector<int> near = ranks_sharing_memory(comm, rank);  // ascending
    groups.leader = *std::ranges::find_if(near, [&](int other) { return block(other) == block(rank); });
  }
  std::vector<int> leaders(static_cast<std::size_t>(size));
  check_mpi(MPI_Allgather(&groups.leader, 1, MPI_INT, leaders.data(), 1, MPI_INT, comm));
  for (int other = 0; other < size; ++other) {
    const int leader = leaders[static_cast<std::size_t>(other)];
    if (leader == rank) {
      groups.members.push_back(other);
    }
    if (rank == 0 && leader == other) {
      groups.leaders.push_back(other);
      groups.sizes.push_back(static_cast<double>(std::ranges::count(leaders, other)));
    }
  }
  groups.watches_root = rank == first_rank(leaders, true) || rank == first_rank(leaders, false);
  return groups;
}

Session::Session(MPI_Comm comm, const RangeSet& indices, const SessionOptions& options, LoopState& state)
    : state_(state),
      limits_(options.limits),
      groups_(find_groups(comm, options.group_size, is_fault_tolerant(comm))),
      channels_(comm),
      worker_(limits_, options.lease_seconds, state.lease_void) {
  if (channels_.rank() == 0) {
    root_.emplace(limits_, indices, groups_.sizes);
  }
  if (!groups_.members.empty()) {
    leader_.emplace(limits_, options.lease_seconds, groups_.members.size());
  }
}

void Session::begin() {
  if (root_) {
    report_rank_balancing();
  }
  if (leader_) {
    std::vector<Message> up;
    leader_->begin(up);
    send_from_leader({}, up);
  }
  std::vector<Message> up;
  worker_.begin(now(), up);
  send_up(up);
}

void Session::send_up(const std::vector<Message>& up) {
  for (const Message& message : up) {
    channels_.send(groups_.leader, Role::leader, message);
  }
}

void Session::send_from_leader(const DownMessages& down, const std::vector<Message>& up) {
  for (const Message& message : up) {
    channels_.send(0, Role::root, message);
  }
  for (const DownMessage& message_down : down) {
    channels_.send(groups_.members[message_down.to], Role::worker, message_down.message);
  }
}

void Session::send_from_root(const DownMessages& down) {
  for (const DownMessage& message_down : down) {
    channels_.send(groups_.leaders[message_down.to], Role::leader, message_down.message);
  }
}

void Session::apply_events() {
  for (const TallyEvent event : worker_.take_events()) {
    state_.tallies.apply(event);
  }
}

void Session::dispatch(const Arrived& arrived) {
  if (arrived.message.kind == MessageKind::last) {
    count_last_message(arrived);
    return;
  }
  std::vector<Message> up;
  DownMessages down;
  if (arrived.role == Role::worker) {
    worker_.receive(arrived.message, now(), up);
    apply_events();
    send_up(up);
  } else if (arrived.role == Role::root) {
    const auto group = std::ranges::find(groups_.leaders, arrived.from) - groups_.leaders.begin();
    const Prediction& prediction = root_->task().prediction();
    const double last = prediction.at;
    root_->receive(static_cast<std::size_t>(group), arrived.message, now(), down);
    send_from_root(down);
    if (prediction.at > last) {
      publish_prediction(prediction);
    }
  } else {
    const auto member = std::ranges::find(groups_.members, arrived.from) - groups_.members.begin();
    // Rank 0 may be both the root and a member: the kind tells its messages apart.
    if (arrived.message.kind == MessageKind::start || arrived.message.kind == MessageKind::report ||
        arrived.message.kind == MessageKind::finish || arrived.message.kind == MessageKind::hand_back) {
      leader_->receive_from_member(static_cast<std::size_t>(member), arrived.message, now(), down, up);
    } else {
      leader_->receive_from_root(arrived.message, now(), down, up);
    }
    send_from_leader(down, up);
  }
}

// If the process of rank 0 is stopped, all other ranks wait for it sooner or later. Two of them print the reason.
void Session::watch_root(double time) {
  const double limit = std::max(5.0, 3 * limits_.checkpoint_seconds);
  if (time - ticked_at_ > limit / 10) {
    away_until_ = time;  // answers may not have been received yet
  }
  const std::optional<double> since = leader_ ? leader_->unanswered_since() : worker_.unanswered_since();
  if (since && time - std::max(*since, away_until_) > limit && !said_root_is_silent_) {
    std::fprintf(
        stderr,
        "weft_iterations: rank 0 has not answered for %.0f s; the others do the iterations that they hold, and "
        "then they wait for it\n",
        time - *since);
    said_root_is_silent_ = true;
  }
}

// Often enough for report intervals, but not at each call.
void Session::tick() {
  const double time = now();
  if (time - ticked_at_ < limits_.checkpoint_seconds / 200) {
    return;
  }
  if (groups_.watches_root) {
    watch_root(time);
  }
  ticked_at_ = time;
  if (!leader_) {
    return;
  }
  std::vector<Message> up;
  DownMessages down;
  if (root_) {
    root_->tick(time, down);
    send_from_root(down);
    down.clear();
  }
  leader_->tick(time, down, up);
  send_from_leader(down, up);
}

// Handles a limited number of messages: the roles of rank 0 answer each other, and its worker has iterations to do.
void Session::take_messages() {
  constexpr int kMost = 64;
  Arrived arrived;
  for (int n = 0; n < kMost && channels_.receive(arrived); ++n) {
    dispatch(arrived);
  }
}

void Session::poll() {
  if (released_) {
    return;
  }
  take_messages();
  tick();
  take_messages();
}

void Session::next(std::int64_t& first, std::int64_t& count) {
  const double asked = now();
  std::vector<Message> up;
  // The lease is done before messages are looked at: then the tallies hold what is reported.
  state_.finish = worker_.finish_lease(asked, up) ? asked : state_.finish;
  Range lease;
  Backoff backoff;
  for (bool again = false;; again = true) {
    apply_events();
    send_up(up);
    poll();
    up.clear();
    const Worker::Next found = worker_.next(now(), lease, up);
    apply_events();
    send_up(up);
    up.clear();
    if (found != Worker::Next::wait) {
      state_.waited += again ? now() - asked : 0;
      break;
    }
    backoff.wait();
  }
  first = lease.first;
  count = lease.count;
}

int Session::report(std::int64_t done) {
  std::vector<Message> up;
  if (!worker_.report(done, now(), up)) {
    return WEFT_ITERATIONS_ERR_ARGUMENT;
  }
  apply_events();
  send_up(up);
  poll();
  return worker_.lease_void() ? WEFT_ITERATIONS_REVOKED : WEFT_ITERATIONS_OK;
}

// The root's own prediction is newer than the one that its leader or its worker got with their last assignment.
const Prediction& Session::newest_prediction() const {
  if (root_) {
    return root_->task().prediction();
  }
  return leader_ ? leader_->task().prediction() : worker_.prediction();
}

int Session::predict(double& seconds_left, double& finish_spread) {
  const Prediction& prediction = newest_prediction();
  if (prediction.seconds_left < 0) {
    return WEFT_ITERATIONS_UNKNOWN;
  }
  seconds_left = worker_.finished() ? 0 : std::max(0.0, prediction.seconds_left - (now() - prediction.at));
  finish_spread = prediction.spread;
  return WEFT_ITERATIONS_OK;
}

// Termination: a rank sends its last message to its leader. A leader with the last messages of all its members sends
// one to rank 0, and rank 0 with those of all leaders answers them; leaders answer their members. Messages between two
// ranks do not overtake each other, so no message is under way then.
void Session::count_last_message(const Arrived& arrived) {
  if (arrived.role == Role::root && ++finished_leaders_ == groups_.leaders.size()) {
    for (const int leader : groups_.leaders) {
      Message message = last_message();
      message.serial = 1;  // down
      channels_.send(leader, Role::leader, message);
    }
  } else if (arrived.role == Role::leader && arrived.message.serial == 0 &&
             ++finished_members_ == groups_.members.size()) {
    channels_.send(0, Role::root, last_message());
  } else if (arrived.role == Role::leader && arrived.message.serial != 0) {
    for (const int member : groups_.members) {
      channels_.send(member, Role::worker, last_message());
    }
  } else if (arrived.role == Role::worker) {
    released_ = true;
  }
}

void Session::leave() {
  channels_.send(groups_.leader, Role::leader, last_message());
  Backoff backoff;
  for (poll(); !released_; poll()) {
    backoff.wait();
  }
  channels_.flush();
}

weft_iterations_stats Session::stats() const {
  weft_iterations_stats stats{};
  stats.credited = worker_.credited();
  stats.refused = worker_.refused();
  stats.reports = worker_.reports();
  stats.messages_sent = channels_.messages();
  stats.bytes_sent = channels_.bytes();
  stats.times_silent = (leader_ ? leader_->task().times_silent() : 0) + (root_ ? root_->task().times_silent() : 0);
  return stats;
}

}  // namespace weft::iterations
