#include "tests/runtime/location/protocol_operations.hpp"

#include <algorithm>
#include <utility>

namespace weft::runtime {
inline namespace location {
namespace model {
namespace {

constexpr std::array<const char*, 4> kStates{"here", "here, queued", "exposed", "leaving"};

template <typename... Parts>
void tell(fmt::format_string<const Parts&...> format, const Parts&... parts) {
  if (told != nullptr) {
    *told += (told->empty() ? "" : "; ") + fmt::format(format, parts...);
  }
}

std::string name_of(std::uint8_t item) {
  return item >= kArrival  ? fmt::format("rank {}", item - kArrival)
         : item >= kNotice ? fmt::format("notice for rank {}", item - kNotice)
                           : fmt::format("message {}", item);
}

std::string name_of(At at) {
  return fmt::format("worker {} ({})", at.worker->index, kStates[static_cast<std::size_t>(at.state)]);
}

void expose_set(Operations& op, std::uint8_t set) {
  std::array<const RankHandle*, kRanks> ranks{};
  std::size_t size = 0;
  for (std::uint8_t rank = 0; rank < kRanks; ++rank) {
    if ((set >> rank & 1U) != 0) {
      ranks[size++] = &kRankHandles[rank];
    }
  }
  expose(op, std::span<const RankHandle* const>(ranks.data(), size));
}

}  // namespace

At Operations::load(const RankHandle& rank) {
  const auto read = [&] {
    const std::uint8_t at = m_.ranks[rank.index].at;
    tell("reads that rank {} is at {}", rank.index, name_of(decode(at)));
    return at;
  };
  // Nobody else writes it while this worker holds the rank: when the worker reads it makes no difference then.
  const bool is_held = r_.own([&] { return static_cast<std::uint8_t>(m_.ranks[rank.index].holder == self_); }) != 0;
  return decode(is_held ? r_.own(read) : r_.shared(read));
}

void Operations::set(const RankHandle& rank, At at) {
  r_.shared([&] {
    tell("writes that rank {} is at {}", rank.index, name_of(at));
    m_.ranks[rank.index].at = encode(at);
    if (at.state == State::leaving) {
      m_.ranks[rank.index].status = Status::leaving;
    }
    return std::uint8_t{0};
  });
}

void Operations::begin_post() {
  r_.own([&] {
    tell("begins to post");
    me().posting = Posting::buffered;
    return std::uint8_t{0};
  });
}

// In one step with what was pushed: a worker that waits for it waits no longer than it could.
void Operations::end_post() {
  r_.own([&] {
    tell("has posted");
    me().posting = Posting::no;
    return std::uint8_t{0};
  });
}

void Operations::wait_for_posts() {
  if (leaves_out(LeftOut::wait_for_posts)) {
    return;
  }
  if (!leaves_out(LeftOut::asymmetric_fence)) {
    r_.shared([&] {
      tell("passes an asymmetric fence");
      for (Model::Worker& worker : m_.workers) {
        worker.posting = worker.posting == Posting::no ? Posting::no : Posting::yes;
      }
      return std::uint8_t{0};
    });
  }
  for (std::uint8_t w = 0; w < kWorkers; ++w) {
    if (w != self_) {
      r_.wait_until([&] {
        tell("sees that worker {} is not posting", w);
        return m_.workers[w].posting != Posting::yes;
      });
    }
  }
}

void Operations::write_store_buffer() {
  if (me().posting == Posting::buffered) {
    me().posting = Posting::yes;
  }
}

// Nobody moves so often that a message could be forwarded more often than this.
void Operations::count_forwarding(std::uint8_t message) {
  if (me().kind != Kind::run && ++m_.forwarded[message] > kRanks) {
    fail(goes_round);
  }
}

void Operations::put(const WorkerHandle& worker, std::uint8_t item) {
  r_.shared([&] {
    tell("pushes {} to the inbox of worker {}", name_of(item), worker.index);
    write_store_buffer();
    Model::Worker& to = m_.workers[worker.index];
    to.inbox.at(to.inbox_size++) = item;
    if (item < kMessages) {
      count_forwarding(item);
    }
    return std::uint8_t{0};
  });
}

void Operations::push_arrival(const WorkerHandle& worker, const RankHandle& rank) {
  r_.own([&] {
    m_.ranks[rank.index].holder = kNobody;
    return std::uint8_t{0};
  });
  put(worker, static_cast<std::uint8_t>(kArrival + rank.index));
}

bool Operations::enqueue(const RankHandle& rank, const Message& message) {
  return r_.shared([&] {
    tell("puts message {} into the queue of rank {}", message.index, rank.index);
    write_store_buffer();
    Model::Rank& to = m_.ranks[rank.index];
    to.queue.at(to.queued++) = message.index;
    count_forwarding(message.index);
    return static_cast<std::uint8_t>(to.queued == 1);
  }) != 0;
}

void Operations::deliver_queue(const RankHandle& rank) {
  const bool is_left_out = (leaves_out(LeftOut::queue_of_stolen) && me().kind == Kind::steal) ||
                           (leaves_out(LeftOut::queue_before_send) && me().kind == Kind::run);
  if (is_left_out) {
    return;
  }
  std::uint8_t all = r_.shared([&] {  // four bits' worth of messages in base 4, the oldest last
    Model::Rank& from = m_.ranks[rank.index];
    std::uint8_t code = 0;
    while (from.queued != 0) {
      code = static_cast<std::uint8_t>(4 * code + from.queue[--from.queued] + 1);
      from.queue[from.queued] = 0;
    }
    tell("empties the queue of rank {}", rank.index);
    return code;
  });
  for (; all != 0; all /= 4) {
    arrive(*this, rank, kMessageHandles[all % 4 - 1U]);
  }
}

void Operations::deliver_inbox() {
  if (leaves_out(LeftOut::inbox_after_steal) && me().kind == Kind::steal) {
    return;
  }
  std::uint8_t left = r_.shared([&] {
    tell("empties its inbox");
    me().taken = std::exchange(me().inbox, {});
    return me().taken_size = std::exchange(me().inbox_size, std::uint8_t{0});
  });
  for (; left != 0; --left) {
    const std::uint8_t item = r_.own([&] {
      const std::uint8_t first = me().taken[0];
      std::shift_left(me().taken.begin(), me().taken.end(), 1);
      me().taken[--me().taken_size] = 0;
      return first;
    });
    handle(item);
  }
}

void Operations::handle(std::uint8_t item) {
  if (item >= kArrival) {
    r_.own([&] { return m_.ranks[item - kArrival].holder = self_; });
    take_in(*this, kRankHandles[item - kArrival]);
  } else if (item >= kNotice) {
    on_notice(*this, kRankHandles[item - kNotice]);
  } else {
    arrive(*this, kRankHandles[m_.setting->program.receivers[item]], kMessageHandles[item]);
  }
}

void Operations::accept(const RankHandle& rank, const Message& message) {
  r_.own([&] {
    tell("delivers message {} to rank {}", message.index, rank.index);
    Model::Rank& to = m_.ranks[rank.index];
    const std::uint8_t bit = static_cast<std::uint8_t>(1U << message.index);
    for (std::uint8_t older = 0; older < message.index; ++older) {
      if (m_.setting->program.senders[older] == m_.setting->program.senders[message.index] &&
          m_.setting->program.receivers[older] == rank.index && (m_.accepted >> older & 1U) == 0) {
        fail(overtaken);
      }
    }
    if ((m_.accepted & bit) != 0) {
      fail(twice);
    }
    if (to.holder != self_) {
      fail(wrong_worker);
    }
    if (to.status == Status::ended) {
      fail(late);
    }
    m_.accepted = m_.accepted | bit;
    ++to.received;
    if (to.status == Status::parked) {
      to.status = Status::ready;
    }
    return std::uint8_t{0};
  });
}

void Operations::make_ready(const RankHandle& rank) {
  r_.own([&] {
    Model::Rank& is = m_.ranks[rank.index];
    is.holder = self_;
    is.status = is.in_step != 0 ? Status::has_moved : Status::ready;
    tell("makes rank {} ready", rank.index);
    end_step_if_all_have_moved();
    return std::uint8_t{0};
  });
}

void Operations::put_into_slot(const RankHandle& rank) {
  r_.shared([&] {
    tell("puts rank {} into a steal slot", rank.index);
    m_.ranks[rank.index].holder = kNobody;
    m_.ranks[rank.index].status = Status::in_slot;
    me().in_slots = static_cast<std::uint8_t>(me().in_slots | 1U << rank.index);
    return me().slots[rank.index] = rank.index + 1;
  });
}

const RankHandle* Operations::steal_from(const WorkerHandle& victim) {
  const std::uint8_t found = r_.shared([&] {
    for (std::uint8_t& slot : m_.workers[victim.index].slots) {
      if (slot != 0) {
        tell("steals rank {} from worker {}", slot - 1, victim.index);
        m_.ranks[slot - 1U].holder = self_;
        m_.ranks[slot - 1U].status = Status::leaving;
        return std::exchange(slot, std::uint8_t{0});
      }
    }
    return std::uint8_t{0};
  });
  return found == 0 ? nullptr : &kRankHandles[found - 1U];
}

void Operations::send(std::uint8_t message) {
  const RankHandle& to = kRankHandles[m_.setting->program.receivers[message]];
  r_.own([&] {
    tell("rank {} sends message {}", m_.setting->program.senders[message], message);
    return m_.sent = static_cast<std::uint8_t>(m_.sent | 1U << message);
  });
  if (may_deliver(*this, to, load(to))) {
    accept(to, kMessageHandles[message]);
  } else {
    post(*this, to, kMessageHandles[message]);
  }
}

// One line of the rank's program.
void Operations::run(std::uint8_t rank) {
  Model::Rank& is = m_.ranks[rank];
  const std::uint8_t line = r_.own([&] { return is.line; });
  const Program::Line now = m_.setting->program.ranks[rank][line];
  if (now.act == Act::send) {
    send(now.message);
  }
  r_.own([&] {
    switch (now.act) {
      case Act::end:
        tell("rank {} ends", rank);
        is.status = Status::ended;
        break;
      case Act::send:
        ++is.line;
        break;
      case Act::receive:
        if (is.consumed == is.received) {
          tell("rank {} waits for a message", rank);
          is.status = Status::parked;
        } else {
          ++is.consumed;
          ++is.line;
        }
        break;
      case Act::step:
        tell("rank {} comes to the step", rank);
        is.status = Status::in_step;
        is.in_step = 1;
        break;
    }
    return std::uint8_t{0};
  });
}

// What is left of the ranks that it has exposed, and its inbox.
void Operations::between_ranks() {
  for (std::uint8_t rank = 0; rank < kRanks; ++rank) {
    const bool was_there = r_.own([&] {
      const auto bit = static_cast<std::uint8_t>(me().in_slots >> rank & 1U);
      me().in_slots = static_cast<std::uint8_t>(me().in_slots & ~(1U << rank));
      return bit;
    }) != 0;
    if (was_there && r_.shared([&] {
          const std::uint8_t found = std::exchange(me().slots[rank], std::uint8_t{0});
          if (found != 0) {
            tell("takes rank {} out of the slot", rank);
            m_.ranks[rank].holder = self_;
            m_.ranks[rank].status = Status::leaving;
          }
          return found;
        }) != 0) {
      withdraw(*this, kRankHandles[rank]);
      make_ready(kRankHandles[rank]);
    }
  }
  deliver_inbox();
}

void Operations::move_in_step(std::uint8_t rank, std::uint8_t to) {
  deliver_inbox();
  if (to != self_) {
    move(*this, kRankHandles[rank], kWorkerHandles[to]);
  } else {
    make_ready(kRankHandles[rank]);
  }
}

// Nobody goes on before everybody is where it is to be.
void Operations::end_step_if_all_have_moved() {
  const auto has_moved = [](const Model::Rank& rank) { return rank.status == Status::has_moved; };
  const auto is_there = [&](const Model::Rank& rank) { return has_moved(rank) || rank.status == Status::ended; };
  if (!std::ranges::all_of(m_.ranks, is_there)) {
    return;
  }
  for (Model::Rank& rank : m_.ranks) {
    if (has_moved(rank)) {
      rank.status = Status::ready;
      rank.in_step = 0;
      ++rank.line;
    }
  }
}

void act(Operations& op, const Model::Worker& worker) {
  switch (worker.kind) {
    case Kind::none:
    case Kind::between_ranks:
      return op.between_ranks();
    case Kind::run:
      return op.run(worker.rank);
    case Kind::expose:
      return expose_set(op, worker.rank);
    case Kind::give:
      return give(op, kRankHandles[worker.rank], kWorkerHandles[worker.other]);
    case Kind::steal:
      steal(op, kWorkerHandles[worker.other]);
      return;
    case Kind::close:
      return close_queue(op, kRankHandles[worker.rank]);
    case Kind::move:
      return op.move_in_step(worker.rank, worker.other);
  }
}

}  // namespace model
}  // namespace location
}  // namespace weft::runtime
