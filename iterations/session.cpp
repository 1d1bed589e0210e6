#include "iterations/session.hpp"

#include <algorithm>
#include <ctime>
#include <numeric>

#include "iterations/survival.hpp"

namespace weft::iterations {
namespace {

// Lets others run on this core: at first shortly, then a millisecond.
class Rest {
 public:
  void take() {
    const timespec time{0, nanoseconds_};
    nanosleep(&time, nullptr);
    nanoseconds_ = std::min(1000000L, nanoseconds_ * 2);
  }

 private:
  long nanoseconds_ = 20000;
};

// The ranks of `comm` that share memory with this one. Collective over `comm` alone: where a process dies in it, nobody
// waits on a communicator that is not revoked.
std::vector<int> ranks_near(MPI_Comm comm, int rank) {
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

Message bye() {
  Message message;
  message.kind = Kind::bye;
  return message;
}

}  // namespace

SessionOptions::SessionOptions(const weft_iterations_options& given)
    : limits{.checkpoint_seconds = given.report_seconds,
             .max_deviation = given.max_deviation,
             .min_seconds = given.min_seconds < 0 ? given.report_seconds / 100 : given.min_seconds},
      lease_seconds(given.lease_seconds > 0 ? given.lease_seconds : std::min(0.02, given.report_seconds / 200)),
      group_size(given.group_size) {}

Groups find_groups(MPI_Comm comm, int group_size, bool apart) {
  int rank = 0, size = 0;
  check_mpi(MPI_Comm_rank(comm, &rank));
  check_mpi(MPI_Comm_size(comm, &size));
  Groups groups;
  const auto block = [group_size](int of) { return group_size > 0 ? of / group_size : 0; };
  if (group_size > 0 && !apart) {
    groups.leader = block(rank) * group_size;
  } else {
    const std::vector<int> near = ranks_near(comm, rank);  // ascending
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
  return groups;
}

Session::Session(MPI_Comm comm, const RangeSet& indices, const SessionOptions& options, LoopState& state)
    : state_(state),
      limits_(options.limits),
      groups_(find_groups(comm, options.group_size, survives(comm))),
      channels_(comm),
      worker_(limits_, options.lease_seconds, state.lease_void) {
  if (channels_.rank() == 0) {
    root_.emplace(limits_, indices, groups_.sizes);
  }
  if (!groups_.members.empty()) {
    leader_.emplace(limits_, groups_.members.size());
  }
}

void Session::begin() {
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

void Session::send_from_leader(const Posts& posts, const std::vector<Message>& up) {
  for (const Message& message : up) {
    channels_.send(0, Role::root, message);
  }
  for (const Post& post : posts) {
    channels_.send(groups_.members[post.to], Role::worker, post.message);
  }
}

void Session::send_from_root(const Posts& posts) {
  for (const Post& post : posts) {
    channels_.send(groups_.leaders[post.to], Role::leader, post.message);
  }
}

void Session::apply_events() {
  for (const TallyEvent event : worker_.take_events()) {
    state_.tallies.apply(event);
  }
}

void Session::dispatch(const Arrived& arrived) {
  if (arrived.message.kind == Kind::bye) {
    take_bye(arrived);
    return;
  }
  std::vector<Message> up;
  Posts posts;
  if (arrived.role == Role::worker) {
    worker_.receive(arrived.message, now(), up);
    apply_events();
    send_up(up);
  } else if (arrived.role == Role::root) {
    const auto group = std::ranges::find(groups_.leaders, arrived.from) - groups_.leaders.begin();
    root_->receive(static_cast<std::size_t>(group), arrived.message, now(), posts);
    send_from_root(posts);
  } else {
    const auto member = std::ranges::find(groups_.members, arrived.from) - groups_.members.begin();
    // Those of the root and those of a member that is rank 0 differ by their kind.
    if (arrived.message.kind == Kind::start || arrived.message.kind == Kind::report ||
        arrived.message.kind == Kind::finish || arrived.message.kind == Kind::hand_back) {
      leader_->receive_from_member(static_cast<std::size_t>(member), arrived.message, now(), posts, up);
    } else {
      leader_->receive_from_root(arrived.message, now(), posts, up);
    }
    send_from_leader(posts, up);
  }
}

// Lenders look at their clocks often enough for intervals, not at each call.
void Session::tick() {
  const double time = now();
  if (!leader_ || time - ticked_at_ < limits_.checkpoint_seconds / 200) {
    return;
  }
  ticked_at_ = time;
  std::vector<Message> up;
  Posts posts;
  if (root_) {
    root_->tick(time, posts);
    send_from_root(posts);
    posts.clear();
  }
  leader_->tick(time, posts, up);
  send_from_leader(posts, up);
}

// Not all that come: rank 0, its leader and its worker answer each other, and the worker has iterations to do.
void Session::take_messages() {
  constexpr int kMost = 64;
  Arrived arrived;
  for (int n = 0; n < kMost && channels_.receive(arrived); ++n) {
    dispatch(arrived);
  }
}

void Session::poll() {
  if (left_) {
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
  Rest rest;
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
    rest.take();
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

int Session::predict(double& seconds_left, double& finish_spread) {
  const Outlook& outlook = worker_.outlook();
  if (outlook.seconds_left < 0) {
    return WEFT_ITERATIONS_UNKNOWN;
  }
  seconds_left = worker_.finished() ? 0 : std::max(0.0, outlook.seconds_left - (now() - outlook.at));
  finish_spread = outlook.spread;
  return WEFT_ITERATIONS_OK;
}

// A rank says bye to its leader, a leader that has heard all its members to rank 0, and rank 0, when it has heard all
// leaders, to them: since messages of a rank do not overtake each other, none is left then.
void Session::take_bye(const Arrived& arrived) {
  if (arrived.role == Role::root && ++root_byes_ == groups_.leaders.size()) {
    for (const int leader : groups_.leaders) {
      Message message = bye();
      message.serial = 1;  // down
      channels_.send(leader, Role::leader, message);
    }
  } else if (arrived.role == Role::leader && arrived.message.serial == 0 && ++byes_ == groups_.members.size()) {
    channels_.send(0, Role::root, bye());
  } else if (arrived.role == Role::leader && arrived.message.serial != 0) {
    for (const int member : groups_.members) {
      channels_.send(member, Role::worker, bye());
    }
  } else if (arrived.role == Role::worker) {
    left_ = true;
  }
}

void Session::leave() {
  channels_.send(groups_.leader, Role::leader, bye());
  Rest rest;
  for (poll(); !left_; poll()) {
    rest.take();
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
