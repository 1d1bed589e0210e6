#include "sim/messaging.hpp"

#include <algorithm>
#include <utility>

namespace weft::sim {
namespace {

// The work at one end of a message.
Seconds work_of(const LinkCost& link, std::uint64_t copied, const ColdCost& cold) {
  return link.overhead + cold.message + static_cast<double>(copied) * std::max(link.copy_per_byte, cold.copy_per_byte);
}

// Work for a message between hosts, whose end is complete at `done`, that its worker did while the bytes travelled and
// it had nothing else to do. That other threads use the worker's core is not considered.
Seconds copied_while_idle(WorkerState& worker, const LinkCost& link, std::uint64_t bytes, Seconds done) {
  const auto n = static_cast<double>(bytes);
  const double speed = worker.core.speed();
  return speed * worker.idle.use(done - n * link.per_byte, done, n * link.copy_per_byte / speed);
}

}  // namespace

Messaging::Messaging(const Platform& platform, NetworkModel model, SimState& state)
    : state_(state),
      network_(platform),
      model_(model),
      eager_limit_(platform.eager_limit),
      flow_limit_(platform.flow_limit) {
  if (model == NetworkModel::flows) {
    flows_.emplace(platform, state.events);
  }
}

std::uint32_t Messaging::add_channels(std::size_t channels) {
  const std::size_t first = channels_.size();
  if (channels > kNobody - first) {
    throw WorkloadError("more than 2^32 channels");
  }
  channels_.resize(first + channels);
  return static_cast<std::uint32_t>(first);
}

std::uint32_t Messaging::add_requests(std::size_t requests) {
  const std::size_t first = requests_.size();
  if (requests > kNobody - first) {
    throw WorkloadError("more than 2^32 requests");
  }
  requests_.resize(first + requests);
  return static_cast<std::uint32_t>(first);
}

std::uint32_t Messaging::allocate(const Message& message) {
  if (free_list_ == kNobody) {
    messages_.push_back(message);
    return static_cast<std::uint32_t>(messages_.size() - 1);
  }
  const std::uint32_t number = free_list_;
  free_list_ = messages_[number].behind;
  messages_[number] = message;
  return number;
}

void Messaging::release(std::uint32_t number) {
  messages_[number].behind = free_list_;
  free_list_ = number;
}

void Messaging::enqueue(ChannelState& channel, std::uint32_t number) {
  (channel.head == kNobody ? channel.head : messages_[channel.tail].behind) = number;
  channel.tail = number;
}

std::uint32_t Messaging::dequeue(ChannelState& channel) {
  const std::uint32_t number = channel.head;
  channel.head = messages_[number].behind;
  messages_[number].behind = kNobody;
  return number;
}

bool Messaging::send(MessageEnd from, std::uint32_t channel_number, std::uint64_t bytes) {
  ChannelState& channel = channels_[channel_number];
  RankState& rank = state_.ranks[from.rank];
  WorkerState& worker = state_.worker_of(from.rank);
  const WorkerPlace& here = state_.place_of(from.rank);
  const WorkerPlace& there = state_.place_of(channel.receiver);
  const bool same_worker = state_.homes[from.rank] == state_.homes[channel.receiver];
  Message message{.bytes = bytes,
                  .link = same_worker ? &network_.on_one_worker() : &network_.between(here, there),
                  .from = from,
                  .remote = here.process != there.process};
  const bool eager = bytes <= eager_limit_;
  SimState::charge(worker, rank, work_of(*message.link, eager ? bytes : 0, state_.cold_cost(worker, rank)));
  counts_.messages += 1;
  counts_.bytes += bytes;
  if (traffic_) {
    traffic_->count(channel_number, {.from = from.rank, .to = channel.receiver, .messages = 1, .bytes = bytes});
  }
  if (state_.timeline != nullptr) {
    state_.timeline->sent(state_.homes[from.rank], {from.rank, channel.receiver, channel_number, bytes}, worker.now);
  }
  message.state = eager ? State::travels : State::announced;
  message.time = worker.now + message.link->latency;  // when it is announced
  if (message.remote) {
    message.ports = network_.ports(here, there);
  }
  if (!eager) {
    requests_[from.request] = {.done = Request::kPending};
  }
  const bool is_received = take_receive(channel, message);
  if (eager && !takes_ports(message)) {
    deliver(channel, message, is_received, Network::alone(worker.now, *message.link, bytes));
    return true;
  }
  const std::uint32_t number = allocate(message);
  if (!is_received) {
    enqueue(channel, number);
  }
  if (eager) {
    start(number, worker.now);
  } else if (is_received) {
    fetch(number, message.time);
  }
  return eager;
}

// Matches the message with the oldest posted receive. Returns false if there is none.
bool Messaging::take_receive(ChannelState& channel, Message& message) {
  Seconds posted = channel.time;
  if (channel.first == First::receive) {
    channel.first = First::listed;
    message.to = {channel.receiver, channel.request};
  } else if (channel.first == First::listed && channel.head != kNobody &&
             messages_[channel.head].state == State::receive) {
    const std::uint32_t number = dequeue(channel);
    posted = messages_[number].time;
    message.to = messages_[number].to;
    release(number);
  } else {
    return false;
  }
  message.time = std::max(message.time, posted);
  return true;
}

// An eager message that uses no ports arrives at `now`, which may be in the future.
void Messaging::deliver(ChannelState& channel, const Message& message, bool is_received, Seconds now) {
  if (is_received) {
    complete(message.to, now, completion_work(message, message.bytes));
  } else if (channel.is_empty()) {
    channel.first = First::arrived;
    channel.time = now;
    channel.completion_work = completion_work(message, message.bytes);
  } else {
    const std::uint32_t number = allocate(message);
    messages_[number].state = State::arrived;
    messages_[number].time = now;
    enqueue(channel, number);
  }
}

// The message's bytes leave at `now`.
void Messaging::start(std::uint32_t number, Seconds now) {
  const Message& message = messages_[number];
  if (takes_ports(message)) {
    state_.events.add(now, SimEventKind::enter_out, number);
  } else {
    finish_transfer(number, Network::alone(now, *message.link, message.bytes));
  }
}

void Messaging::on_enter_out(std::uint32_t number, Seconds now) {
  const Message& message = messages_[number];
  if (flows_ && message.bytes >= flow_limit_) {
    if (!flows_->start(number, message.ports, message.bytes, now)) {
      finish_transfer(number, now + message.link->latency);
    }
    return;
  }
  state_.events.add(network_.enter_out(message.ports.out, now, *message.link, message.bytes), SimEventKind::enter_in,
                    number);
}

void Messaging::on_enter_in(std::uint32_t number, Seconds now) {
  const Message& message = messages_[number];
  finish_transfer(number, network_.enter_in(message.ports.in, now, *message.link, message.bytes));
}

void Messaging::on_end_flows(Seconds now) {
  for (const std::uint32_t number : flows_->end(now)) {
    finish_transfer(number, now + messages_[number].link->latency);
  }
}

// The message's last byte arrives at `now`, which may be in the future.
void Messaging::finish_transfer(std::uint32_t number, Seconds now) {
  Message& message = messages_[number];
  switch (message.state) {
    case State::travels:
      message.state = State::arrived;
      message.time = now;
      if (message.to.rank == kNobody) {
        return;
      }
      complete(message.to, now, completion_work(message, message.bytes));
      break;
    case State::announced:  // it has been fetched
      complete_announced(message, now);
      break;
    default:  // of a move
      last_move_end_ = std::max(last_move_end_, now);
      --moves_in_flight_;
      break;
  }
  release(number);
}

// In memory the receiver copies. Between processes of one host the kernel does, at the link's bandwidth. Between hosts
// both ends copy, from and into the kernel's buffers, while the bytes travel.
void Messaging::complete_announced(const Message& message, Seconds now) {
  const bool between_hosts = network_.is_between_hosts(*message.link);
  complete(message.to, now, completion_work(message, message.remote && !between_hosts ? 0 : message.bytes));
  complete(message.from, now + message.link->latency,
           between_hosts ? completion_work(message, message.bytes) : CompletionWork{});
}

// At `now` both the receive and the announcement are there: the receiver requests the data, and after one latency the
// sender's process sends them.
void Messaging::fetch(std::uint32_t number, Seconds now) { start(number, now + messages_[number].link->latency); }

void Messaging::receive(MessageEnd to, std::uint32_t channel_number) {
  ChannelState& channel = channels_[channel_number];
  requests_[to.request] = {.done = Request::kPending};
  const Seconds now = state_.worker_of(to.rank).now;
  if (state_.timeline != nullptr) {
    state_.timeline->posted(to.rank, to.request, channel_number);
  }
  if (channel.first == First::arrived) {
    channel.first = First::listed;
    return complete(to, channel.time, channel.completion_work);
  }
  if (channel.is_empty()) {
    channel.first = First::receive;
    channel.time = now;
    channel.request = to.request;
    return;
  }
  if (channel.first == First::receive || messages_[channel.head].state == State::receive) {
    return enqueue(channel, allocate({.time = now, .to = to, .state = State::receive}));
  }
  const std::uint32_t number = dequeue(channel);
  Message& message = messages_[number];
  message.to = to;
  if (message.state == State::announced) {
    message.time = std::max(message.time, now);
    fetch(number, message.time);
  } else if (message.state == State::arrived) {
    complete(to, message.time, completion_work(message, message.bytes));
    release(number);
  }
}

Seconds Messaging::retire(std::uint32_t number, WorkerState& worker, const ColdCost& cold) {
  const Request request = std::exchange(requests_[number], {});
  const CompletionWork todo = request.completion_work;
  if (todo.is_none()) {
    return 0.0;
  }
  const LinkCost& link = network_.link(todo.link());
  const Seconds work = work_of(link, todo.copied(), cold);
  return network_.is_between_hosts(link) ? work - copied_while_idle(worker, link, todo.copied(), request.done) : work;
}

void Messaging::complete(const MessageEnd& end, Seconds done, CompletionWork completion_work) {
  Request& request = requests_[end.request];
  const bool awaited = request.done == Request::kAwaited;
  request = {.done = done, .completion_work = completion_work};
  if (state_.timeline != nullptr) {
    state_.timeline->completed(state_.homes[end.rank], end.request, done);
  }
  if (!awaited) {
    return;
  }
  RankState& rank = state_.ranks[end.rank];
  if (rank.has_pending_calls) {
    state_.events.add(done, SimEventKind::advance_calls, end.rank);
  } else {
    rank.wait_until = std::max(rank.wait_until, done);
    if (--rank.wait_count == 0) {
      state_.events.add(rank.wait_until, SimEventKind::wake, end.rank);
    }
  }
}

void Messaging::move(std::uint32_t from, std::uint32_t to, std::uint64_t bytes, Seconds now) {
  const WorkerPlace& here = state_.places[from];
  const WorkerPlace& there = state_.places[to];
  ++moves_in_flight_;
  const std::uint32_t number = allocate({.bytes = bytes,
                                         .link = &network_.between(here, there),
                                         .ports = network_.ports(here, there),
                                         .state = State::move,
                                         .remote = true});
  start(number, now);
}

}  // namespace weft::sim
