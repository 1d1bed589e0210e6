#include "runtime/lbstep/link_probe.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "runtime/control/cluster.hpp"
#include "runtime/control/control_channel.hpp"
#include "runtime/meter/ticks.hpp"
#include "runtime/sched/worker.hpp"
#include "runtime/setup/config.hpp"
#include "runtime/topology/cores.hpp"

namespace weft::runtime {
inline namespace lbstep {
namespace {

constexpr ProcessId kRoot{};
constexpr std::uint32_t kRounds = LinkProbe::kShortRounds + LinkProbe::kLongRounds;

}  // namespace

// Travels to the second worker and back.
struct LinkProbe::PingItem : InboxItem {
  LinkProbe* probe = nullptr;
  bool back = false;
  std::size_t bytes = 0;
};

void LinkProbe::start(const lb::Links& usual) {
  links_ = usual;
  counted_ = {};
  const JobConfig& config = job_.config;
  std::vector<std::uint32_t> leaders;  // the first process of each host
  std::optional<Pair> neighbours;      // the first two processes of one host
  std::optional<std::uint32_t> wide;   // the first process that has two workers
  for (std::uint32_t p = 0; p < job_.cluster.process_count(); ++p) {
    const std::uint32_t host = config.host_of(p);
    const auto leader = std::find_if(leaders.begin(), leaders.end(),
                                     [&](std::uint32_t other) { return config.host_of(other) == host; });
    if (leader == leaders.end()) {
      leaders.push_back(p);
    } else if (!neighbours) {
      neighbours = Pair{lb::Distance::kSameHost, *leader, p};
    }
    const std::uint32_t workers = job_.cluster.first_worker(ProcessId{p + 1}) - job_.cluster.first_worker(ProcessId{p});
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
  if (pairs_.empty()) {
    job_.control.send_control_to_all(LinksKnown{links_});
    return;
  }
  const Pair pair = pairs_.back();
  pairs_.pop_back();
  job_.control.send_control(ProcessId{pair.from}, LinkMeasure{pair.to, pair.distance});
}

void LinkProbe::on(ProcessId from, const LinkPing& message) {
  job_.control.send_control(from, LinkPong{message.bytes});
}

void LinkProbe::on(ProcessId /*from*/, const LinkPong& /*message*/) { end_round(); }

void LinkProbe::on(ProcessId /*from*/, const LinkMeasure& message) { measure(message.peer, message.distance); }

void LinkProbe::on(ProcessId /*from*/, const LinkMeasured& message) {
  if (message.found) {
    const auto at = static_cast<std::size_t>(message.distance);
    lb::Link& mean = links_[at];
    const double before = counted_[at]++;
    mean.seconds_per_message = (mean.seconds_per_message * before + message.link.seconds_per_message) / (before + 1);
    mean.seconds_per_byte = (mean.seconds_per_byte * before + message.link.seconds_per_byte) / (before + 1);
  }
  next();
}

void LinkProbe::on(ProcessId /*from*/, const LinksKnown& message) { known_(message.links); }

void LinkProbe::measure(std::uint32_t peer, lb::Distance distance) {
  peer_ = peer;
  distance_ = distance;
  rounds_ = 0;
  shortest_ = longest_ = UINT64_MAX;
  if (peer == number(job_.cluster.self()) && !find_workers(distance)) {
    job_.control.send_control(kRoot, LinkMeasured{});
    return;
  }
  sent_.assign(kBytes, std::byte{1});
  got_.assign(kBytes, std::byte{0});
  start_round();
}

// Workers that are not bound to a core count as being on one node.
bool LinkProbe::find_workers(lb::Distance distance) {
  const auto node_of = [&](std::uint32_t w) {
    const auto core = job_.workers[w]->meter().core();
    return core ? numa_of(*core) : 0;
  };
  for (std::uint32_t w = 1; w < job_.workers.size(); ++w) {
    if ((node_of(w) == node_of(0)) == (distance == lb::Distance::kSameNuma)) {
      workers_ = {0, w};
      return true;
    }
  }
  return false;
}

void LinkProbe::start_round() {
  const std::size_t bytes = rounds_ < kShortRounds ? 8 : kBytes;
  if (peer_ != number(job_.cluster.self())) {
    began_ = ticks();
    job_.control.send_control(ProcessId{peer_}, LinkPing{std::span(sent_).first(bytes)});
    return;
  }
  auto ping = std::make_unique<PingItem>();
  ping->probe = this;
  ping->bytes = bytes;
  ping->deliver = [](Worker&, InboxItem& item) {
    auto& arrived = static_cast<PingItem&>(item);
    LinkProbe& probe = *arrived.probe;
    // The receiver copies the bytes, in both directions.
    std::memcpy(arrived.back ? probe.sent_.data() : probe.got_.data(),
                arrived.back ? probe.got_.data() : probe.sent_.data(), arrived.bytes);
    if (arrived.back) {
      const std::unique_ptr<PingItem> ends(&arrived);
      const ControlHandler::Guard guard(probe.step_);
      probe.end_round();
      return;
    }
    arrived.back = true;
    probe.job_.workers[probe.workers_[0]]->inbox().push(arrived);
  };
  Inbox& there = job_.workers[workers_[1]]->inbox();
  began_ = ticks();
  there.push(*ping.release());
}

void LinkProbe::end_round() {
  const std::uint64_t took = ticks() - began_;
  std::uint64_t& best = rounds_ < kShortRounds ? shortest_ : longest_;
  best = std::min(best, took);
  if (++rounds_ < kRounds) {
    start_round();
    return;
  }
  LinkMeasured measured{.found = true, .distance = distance_, .link = {}};
  // A round is there and back.
  const double second = 2 * ticks_per_second();
  measured.link.seconds_per_message = static_cast<double>(shortest_) / second;
  measured.link.seconds_per_byte =
      static_cast<double>(longest_ - std::min(shortest_, longest_)) / second / static_cast<double>(kBytes);
  sent_ = {};
  got_ = {};
  job_.control.send_control(kRoot, measured);
}

}  // namespace lbstep
}  // namespace weft::runtime
