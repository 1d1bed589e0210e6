#include "runtime/lbstep/link_probe.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "runtime/job/job.hpp"
#include "runtime/meter/ticks.hpp"
#include "runtime/sched/worker.hpp"
#include "runtime/topology/cores.hpp"

namespace weft::runtime {
namespace {

constexpr std::uint32_t kRoot = 0;
constexpr std::uint32_t kRounds = LinkProbe::kShortRounds + LinkProbe::kLongRounds;

}  // namespace

// Goes to the second worker and comes back.
struct LinkProbe::Ball : InboxItem {
  LinkProbe* probe = nullptr;
  bool back = false;
  std::size_t bytes = 0;
};

void LinkProbe::Text::pup(pup::Puper& p) {
  p | kind | peer | distance | link.seconds_per_message | link.seconds_per_byte;
  std::vector<double> numbers;
  for (const lb::Link& each : links) {
    numbers.insert(numbers.end(), {each.seconds_per_message, each.seconds_per_byte});
  }
  p | numbers;
  links.clear();
  for (std::size_t i = 0; i + 1 < numbers.size(); i += 2) {
    links.push_back({numbers[i], numbers[i + 1]});
  }
}

void LinkProbe::start(const lb::Links& usual) {
  links_ = usual;
  counted_ = {};
  const JobConfig& config = cluster_.job().config();
  std::vector<std::uint32_t> leaders;  // the first process of each host
  std::optional<Pair> neighbours;      // the first two of one
  std::optional<std::uint32_t> wide;   // the first process that has two workers
  for (std::uint32_t p = 0; p < cluster_.count(); ++p) {
    const std::uint32_t host = config.host_of(p);
    const auto leader = std::find_if(leaders.begin(), leaders.end(),
                                     [&](std::uint32_t other) { return config.host_of(other) == host; });
    if (leader == leaders.end()) {
      leaders.push_back(p);
    } else if (!neighbours) {
      neighbours = Pair{lb::Distance::kSameHost, *leader, p};
    }
    const std::uint32_t workers = cluster_.first_worker(ProcessId{p + 1}) - cluster_.first_worker(ProcessId{p});
    wide = wide || workers < 2 ? wide : p;
  }
  pairs_.clear();
  for (std::size_t i = 0; i + 1 < leaders.size() && i < kHostPairs; ++i) {
    pairs_.push_back({lb::Distance::kOtherHost, leaders[i], leaders[i + 1]});
  }
  if (neighbours) {
    pairs_.push_back(*neighbours);
  }
  if (wide) {
    pairs_.push_back({lb::Distance::kSameProcess, *wide, *wide});
    pairs_.push_back({lb::Distance::kSameNuma, *wide, *wide});
  }
  next();
}

void LinkProbe::next() {
  Text text;
  if (pairs_.empty()) {
    text.kind = Kind::known;
    text.links.assign(links_.begin(), links_.end());
    cluster_.tell_all(Control::links, pup::pack(text));
    return;
  }
  const Pair pair = pairs_.back();
  pairs_.pop_back();
  text.peer = pair.to;
  text.distance = static_cast<std::uint8_t>(pair.distance);
  tell(pair.from, text);
}

void LinkProbe::tell(std::uint32_t to, Text& text) { cluster_.tell(ProcessId{to}, Control::links, pup::pack(text)); }

void LinkProbe::hear(ProcessId from, std::span<const std::byte> packed) {
  const auto kind = static_cast<Kind>(packed.front());
  if (kind == Kind::ping) {
    std::vector<std::byte> back(packed.begin(), packed.end());
    back.front() = static_cast<std::byte>(Kind::pong);
    cluster_.tell(from, Control::links, back);
    return;
  }
  if (kind == Kind::pong) {
    returned();
    return;
  }
  const auto text = text_of<Text>(packed);
  switch (kind) {
    case Kind::measure:
      measure(text.peer, static_cast<lb::Distance>(text.distance));
      break;
    case Kind::answer:
      if (text.peer != 0) {  // there was such a pair
        lb::Link& mean = links_[text.distance];
        const double before = counted_[text.distance]++;
        mean.seconds_per_message = (mean.seconds_per_message * before + text.link.seconds_per_message) / (before + 1);
        mean.seconds_per_byte = (mean.seconds_per_byte * before + text.link.seconds_per_byte) / (before + 1);
      }
      next();
      break;
    default: {
      lb::Links links{};
      std::copy(text.links.begin(), text.links.end(), links.begin());
      known_(links);
    }
  }
}

void LinkProbe::measure(std::uint32_t peer, lb::Distance distance) {
  peer_ = peer;
  distance_ = distance;
  rounds_ = 0;
  shortest_ = longest_ = UINT64_MAX;
  if (peer == number(cluster_.self()) && !find_workers(distance)) {
    Text text;
    text.kind = Kind::answer;
    tell(kRoot, text);
    return;
  }
  sent_.assign(kBytes, std::byte{1});
  got_.assign(kBytes, std::byte{0});
  serve();
}

// Workers without a core are taken to be on one node.
bool LinkProbe::find_workers(lb::Distance distance) {
  Job& job = cluster_.job();
  const auto node_of = [&](std::uint32_t w) {
    const auto core = job.worker(w).meter().core();
    return core ? numa_of(*core) : 0;
  };
  for (std::uint32_t w = 1; w < job.worker_count(); ++w) {
    if ((node_of(w) == node_of(0)) == (distance == lb::Distance::kSameNuma)) {
      workers_ = {0, w};
      return true;
    }
  }
  return false;
}

void LinkProbe::serve() {
  const std::size_t bytes = rounds_ < kShortRounds ? 8 : kBytes;
  if (peer_ != number(cluster_.self())) {
    sent_.front() = static_cast<std::byte>(Kind::ping);
    began_ = ticks();
    cluster_.tell(ProcessId{peer_}, Control::links, std::span(sent_).first(bytes));
    return;
  }
  auto ball = std::make_unique<Ball>();
  ball->probe = this;
  ball->bytes = bytes;
  ball->deliver = [](Worker&, InboxItem& item) {
    auto& arrived = static_cast<Ball&>(item);
    LinkProbe& probe = *arrived.probe;
    // The one that gets it copies, to and fro.
    std::memcpy(arrived.back ? probe.sent_.data() : probe.got_.data(),
                arrived.back ? probe.got_.data() : probe.sent_.data(), arrived.bytes);
    if (arrived.back) {
      const std::unique_ptr<Ball> ends(&arrived);
      const std::lock_guard lock(probe.lock_);
      probe.returned();
      return;
    }
    arrived.back = true;
    probe.cluster_.job().worker(probe.workers_[0]).inbox().push(arrived);
  };
  Inbox& there = cluster_.job().worker(workers_[1]).inbox();
  began_ = ticks();
  there.push(*ball.release());
}

void LinkProbe::returned() {
  const std::uint64_t took = ticks() - began_;
  std::uint64_t& best = rounds_ < kShortRounds ? shortest_ : longest_;
  best = std::min(best, took);
  if (++rounds_ < kRounds) {
    serve();
    return;
  }
  Text text;
  text.kind = Kind::answer;
  text.peer = 1;
  text.distance = static_cast<std::uint8_t>(distance_);
  // A round is there and back.
  const double second = 2 * ticks_per_second();
  text.link.seconds_per_message = static_cast<double>(shortest_) / second;
  text.link.seconds_per_byte =
      static_cast<double>(longest_ - std::min(shortest_, longest_)) / second / static_cast<double>(kBytes);
  sent_ = {};
  got_ = {};
  tell(kRoot, text);
}

}  // namespace weft::runtime
