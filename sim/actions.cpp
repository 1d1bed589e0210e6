#include "sim/actions.hpp"

#include <array>
#include <span>

#include <fmt/format.h>

namespace weft::sim {
namespace {

constexpr std::uint64_t kMostTimes = std::uint64_t{1} << 31;  // executions of one action

[[noreturn]] void refuse(const std::string& what) { throw WorkloadError(what); }

template <typename T>
void check_run(std::uint64_t first, std::uint64_t length, const std::vector<T>& all, const std::string& what) {
  if (first > all.size() || length > all.size() - first) {
    refuse(fmt::format("{} ends at {} of {}", what, first + length, all.size()));
  }
}

// One template's actions, from first to last.
class TemplateCheck {
 public:
  TemplateCheck(const Workload& workload, std::size_t number)
      : workload_(workload), template_(workload.templates[number]), number_(number) {}

  void check() {
    check_run(template_.first_action, template_.actions, workload_.actions, fmt::format("template {}", number_));
    check_run(template_.first_channel, template_.channels, workload_.channels, fmt::format("template {}", number_));
    if (template_.requests == 0 || template_.requests > 0xffff) {
      refuse(fmt::format("template {} has {} request slots", number_, template_.requests));
    }
    for (const Channel& channel : std::span(workload_.channels).subspan(template_.first_channel, template_.channels)) {
      need(channel.end <= ChannelEnd::receiver && channel.addressing <= Addressing::relative, "a channel of no kind");
    }
    for (at_ = 0; at_ < template_.actions; ++at_) {
      action(workload_.actions[template_.first_action + at_]);
    }
    if (open_ != 0 || template_.actions == 0 ||
        workload_.actions[template_.first_action + template_.actions - 1].kind != ActionKind::stop) {
      refuse(fmt::format("template {} does not end, or ends within a loop", number_));
    }
  }

 private:
  void need(bool holds, const char* what) const {
    if (!holds) {
      refuse(fmt::format("action {} of template {}: {}", at_, number_, what));
    }
  }
  void channel(const Action& action, ChannelEnd end) const {
    need(action.index < template_.channels, "no such channel");
    need(workload_.channels[template_.first_channel + action.index].end == end, "the channel's other end");
    need(action.request < template_.requests, "no such request slot");
  }
  void loop(const Action& action) {
    if (action.kind == ActionKind::loop) {
      need(action.request == open_ && open_ < kMostLevels, "loops nest by level, at most 4 deep");
      need(action.value >= 1 && action.value <= kMostTimes / times_[open_],
           "a loop happens at least once, at most 2^31");
      begins_[open_++] = at_;
      times_[open_] = times_[open_ - 1] * action.value;
    } else {
      need(open_ > 0 && action.request == open_ - 1 && action.index == begins_[open_ - 1] + 1, "not this loop's end");
      --open_;
    }
  }
  void action(const Action& action) {
    switch (action.kind) {
      case ActionKind::compute:
        need(action.detail <= static_cast<std::uint8_t>(WorkDetail::listed), "no such kind of work");
        need(action.seconds() >= 0.0 && action.seconds() < 1e18, "work is seconds, at least 0");
        return;
      case ActionKind::send:
      case ActionKind::isend:
        return channel(action, ChannelEnd::sender);
      case ActionKind::recv:
      case ActionKind::irecv:
        return channel(action, ChannelEnd::receiver);
      case ActionKind::wait:
        return need(std::uint64_t{action.request} + action.index <= template_.requests, "no such request slots");
      case ActionKind::collective:
        need(action.index < workload_.calls.size(), "no such collective call");
        need(action.request < template_.requests, "no such request slot");
        return need(action.detail == 0 || action.request != kBlockingSlot, "a persistent call without a request");
      case ActionKind::migrate:
        return need(action.detail <= (kMayMove | kLoadListed), "no such detail");
      case ActionKind::phase:
        return;
      case ActionKind::loop:
      case ActionKind::end_loop:
        return loop(action);
      case ActionKind::stop:
        return need(at_ + 1 == template_.actions, "ends before the template does");
    }
    need(false, "no such kind of action");
  }

  const Workload& workload_;
  const Template& template_;
  std::size_t number_;
  std::uint32_t at_ = 0;
  unsigned open_ = 0;
  std::array<std::uint32_t, kMostLevels> begins_{};
  std::array<std::uint64_t, kMostLevels + 1> times_{1};
};

// Calls `visit(action, times)` for each action except loop, end_loop and stop. `times`: how often it is executed.
template <typename Visit>
void visit_expanded(const Workload& workload, const Template& pattern, const Visit& visit) {
  std::array<std::uint64_t, kMostLevels + 1> times{1};
  unsigned level = 0;
  for (const Action& action : std::span(workload.actions).subspan(pattern.first_action, pattern.actions)) {
    if (action.kind == ActionKind::loop) {
      times[level + 1] = times[level] * action.value;
      ++level;
    } else if (action.kind == ActionKind::end_loop) {
      --level;
    } else if (action.kind != ActionKind::stop) {
      visit(action, times[level]);
    }
  }
}

std::uint64_t values_used(const Workload& workload, const Template& pattern) {
  std::uint64_t used = 0;
  visit_expanded(workload, pattern, [&](const Action& action, std::uint64_t times) {
    const bool work =
        action.kind == ActionKind::compute && action.detail == static_cast<std::uint8_t>(WorkDetail::listed);
    const bool load = action.kind == ActionKind::migrate && (action.detail & kLoadListed) != 0;
    used += work || load ? times : 0;
  });
  return used;
}

void check_streams(const Workload& workload) {
  for (const float value : workload.values) {
    if (!(value >= 0.0F && value < 1e18F)) {
      refuse(fmt::format("{} is in the list of works and loads", value));
    }
  }
  std::vector<std::uint64_t> used;
  for (const Template& pattern : workload.templates) {
    used.push_back(values_used(workload, pattern));
  }
  for (std::size_t rank = 0; rank < workload.streams.size(); ++rank) {
    const Stream& stream = workload.streams[rank];
    if (stream.pattern >= workload.templates.size() || !(stream.scale >= 0.0 && stream.scale < 1e18)) {
      refuse(fmt::format("rank {} has template {} and scale {}", rank, stream.pattern, stream.scale));
    }
    check_run(stream.first_value, stream.values, workload.values, fmt::format("the list of rank {}", rank));
    if (used[stream.pattern] != stream.values) {
      refuse(fmt::format("rank {} has {} values and uses {}", rank, stream.values, used[stream.pattern]));
    }
  }
}

void check_calls(const Workload& workload) {
  for (std::size_t i = 0; i < workload.calls.size(); ++i) {
    const CollectiveCall& call = workload.calls[i];
    const std::string what = fmt::format("collective call {}", i);
    if (call.kind < CollectiveKind::barrier || call.kind > kLastCollectiveKind || call.comm >= workload.comms.size()) {
      refuse(what + " is of no kind or communicator that there is");
    }
    if (call.varies > 1 || (call.counts != 0 && call.varies == 0)) {
      refuse(what + " has counts, but is not marked as one whose blocks differ");
    }
    const std::uint64_t listed = workload.comms[call.comm].members;
    const std::uint64_t members = call.comm == 0 ? workload.streams.size() : listed;
    if (call.root >= members || call.element == 0 || (call.counts != 0 && call.counts != members)) {
      refuse(fmt::format("{} of {} members has root {}, elements of {} bytes and {} counts", what, members, call.root,
                         call.element, call.counts));
    }
    check_run(call.first_count, call.counts, workload.counts, what);
  }
}

void check_members(const Workload& workload) {
  for (std::size_t i = 0; i < workload.comms.size(); ++i) {
    const Communicator& comm = workload.comms[i];
    check_run(comm.first_member, comm.members, workload.members, fmt::format("communicator {}", i));
  }
  for (const std::uint32_t rank : workload.members) {
    if (rank >= workload.streams.size()) {
      refuse(fmt::format("a communicator has rank {} of {}", rank, workload.streams.size()));
    }
  }
}

}  // namespace

void check_workload(const Workload& workload) {
  if (workload.streams.empty() || workload.comms.empty() || workload.comms.front().members != 0) {
    refuse("no ranks, or communicator 0 is not that of all ranks");
  }
  for (std::size_t i = 0; i < workload.templates.size(); ++i) {
    TemplateCheck(workload, i).check();
  }
  check_members(workload);
  check_calls(workload);
  check_streams(workload);
}

std::uint64_t expanded_actions(const Workload& workload) {
  std::vector<std::uint64_t> of_template;
  for (const Template& pattern : workload.templates) {
    std::uint64_t count = 0;
    visit_expanded(workload, pattern, [&](const Action&, std::uint64_t times) { count += times; });
    of_template.push_back(count);
  }
  std::uint64_t sum = 0;
  for (const Stream& stream : workload.streams) {
    sum += of_template[stream.pattern];
  }
  return sum;
}

std::uint64_t migrate_calls(const Workload& workload) {
  std::uint64_t most = 0;
  for (const Template& pattern : workload.templates) {
    std::uint64_t calls = 0;
    visit_expanded(workload, pattern, [&](const Action& action, std::uint64_t times) {
      calls += action.kind == ActionKind::migrate ? times : 0;
    });
    most = std::max(most, calls);
  }
  return most;
}

std::vector<std::uint64_t> messages_of(const Workload& workload, const Template& pattern) {
  std::vector<std::uint64_t> messages(pattern.channels);
  visit_expanded(workload, pattern, [&](const Action& action, std::uint64_t times) {
    if (action.kind >= ActionKind::send && action.kind <= ActionKind::irecv) {
      messages[action.index] += times;
    }
  });
  return messages;
}

}  // namespace weft::sim
