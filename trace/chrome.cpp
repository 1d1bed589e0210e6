#include "trace/chrome.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <ostream>
#include <set>
#include <string_view>
#include <tuple>

#include "trace/communicators.hpp"

namespace weft::trace {
namespace {

constexpr int kWorkers = 0;
constexpr int kRanks = 1;
constexpr int kJob = 2;

std::string json_text(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      std::array<char, 8> code{};
      std::snprintf(code.data(), code.size(), "\\u%04x", static_cast<unsigned>(c));
      result += code.data();
    } else {
      result += c;
    }
  }
  return result + '"';
}

class Exporter {
 public:
  Exporter(const Trace& trace, std::ostream& out) : trace_(trace), out_(out), origin_(first_time(trace)) {}

  void write() {
    out_ << R"({"displayTimeUnit":"ns","traceEvents":[)";
    label_tracks();
    for (std::uint32_t worker = 0; worker < trace_.workers.size(); ++worker) {
      for (const Event& event : trace_.workers[worker]) {
        write_event(worker, event);
      }
    }
    write_calls();
    for (const Event& event : trace_.job) {
      write_job(event);
    }
    out_ << "\n]}\n";
    if (!out_.flush()) {
      throw Error("the exported trace could not be written");
    }
  }

 private:
  // Runs and spans have the time of their end, so one may begin before the first event's time.
  static std::int64_t begin_of(const Event& event) {
    const bool lasts = event.kind == EventKind::run || event.kind == EventKind::span;
    return static_cast<std::int64_t>(event.time) - (lasts ? event.value : 0);
  }
  static std::int64_t first_time(const Trace& trace) {
    std::int64_t first = INT64_MAX;
    const auto look_at = [&](const std::vector<Event>& events) {
      for (const Event& event : events) {
        first = std::min(first, begin_of(event));
      }
    };
    std::for_each(trace.workers.begin(), trace.workers.end(), look_at);
    look_at(trace.job);
    return first;
  }

  std::string micros(std::int64_t ticks) const {
    std::array<char, 48> text{};
    const double value = static_cast<double>(ticks) * 1e6 / static_cast<double>(trace_.header.ticks_per_second);
    std::snprintf(text.data(), text.size(), "%.3f", value);
    return text.data();
  }

  void begin(char phase, int process, std::uint32_t track, std::int64_t time) {
    out_ << (first_ ? "\n" : ",\n") << R"({"ph":")" << phase << R"(","pid":)" << process << R"(,"tid":)" << track
         << R"(,"ts":)" << micros(time - origin_);
    first_ = false;
  }
  void label(int process, std::uint32_t track, std::string_view what, const std::string& name) {
    out_ << (first_ ? "\n" : ",\n") << R"({"ph":"M","pid":)" << process << R"(,"tid":)" << track << R"(,"name":)"
         << json_text(what) << R"(,"args":{"name":)" << json_text(name) << "}}";
    first_ = false;
  }

  void label_tracks() {
    label(kWorkers, 0, "process_name", "workers");
    label(kRanks, 0, "process_name", "ranks");
    if (!trace_.job.empty()) {
      label(kJob, 0, "process_name", "job");
    }
    std::set<RankId> ranks;
    for (std::uint32_t worker = 0; worker < trace_.workers.size(); ++worker) {
      label(kWorkers, worker, "thread_name", worker_name(worker));
      for (const Event& event : trace_.workers[worker]) {
        if (has_rank(event.kind) && ranks.insert(event.rank).second) {
          label(kRanks, number(event.rank), "thread_name", "rank " + std::to_string(number(event.rank)));
        }
      }
    }
  }

  std::string worker_name(std::uint32_t worker) const {
    const bool several = !trace_.process_of.empty() && trace_.process_of.front() != trace_.process_of.back();
    return "worker " + std::to_string(worker) +
           (several ? ", process " + std::to_string(trace_.process_of[worker]) : "");
  }

  const std::string& name(const Event& event) const { return trace_.names[event.name]; }

  void write_event(std::uint32_t worker, const Event& event) {
    const std::uint32_t rank = number(event.rank);
    const auto time = static_cast<std::int64_t>(event.time);
    switch (event.kind) {
      case EventKind::run:
        begin('X', kWorkers, worker, begin_of(event));
        out_ << R"(,"dur":)" << micros(event.value) << R"(,"name":"rank )" << rank << "\"}";
        break;
      case EventKind::park:
        begin('i', kRanks, rank, time);
        out_ << R"(,"s":"t","name":)" << json_text("waits: " + name(event)) << "}";
        break;
      case EventKind::move:
        write_move(event, worker, event.peer);
        break;
      case EventKind::stolen:
        write_move(event, event.peer, worker);
        break;
      case EventKind::counter:
        write_counter(kWorkers, worker, event);
        break;
      case EventKind::span:
        write_span(kWorkers, worker, event);
        break;
      default:
        break;  // write_calls()
    }
  }

  void write_move(const Event& event, std::uint32_t from, std::uint32_t to) {
    begin('i', kRanks, number(event.rank), static_cast<std::int64_t>(event.time));
    out_ << R"(,"s":"t","name":"moves","args":{"from":)" << from << R"(,"to":)" << to << "}}";
  }

  void write_job(const Event& event) {
    if (event.kind == EventKind::counter) {
      write_counter(kJob, 0, event);
    } else if (event.kind == EventKind::span) {
      write_span(kJob, 0, event);
    }
  }

  void write_counter(int process, std::uint32_t track, const Event& event) {
    begin('C', process, track, static_cast<std::int64_t>(event.time));
    out_ << R"(,"name":)" << json_text(name(event)) << R"(,"args":{"value":)" << event.value << "}}";
  }

  void write_span(int process, std::uint32_t track, const Event& event) {
    begin('X', process, track, begin_of(event));
    out_ << R"(,"dur":)" << micros(event.value) << R"(,"name":)" << json_text(name(event)) << "}";
  }

  // Events that belong to a rank's call, and those that are needed to interpret them.
  static bool is_of_call(EventKind kind) {
    return kind == EventKind::call_begin || kind == EventKind::call_end || kind == EventKind::collective ||
           kind == EventKind::comm || kind == EventKind::algorithm || message_end(kind) != '\0';
  }
  // Whether an event begins ('s') or ends ('f') the arrow of a message.
  static char message_end(EventKind kind) {
    const bool begins = kind == EventKind::sent || kind == EventKind::start_send;
    return begins ? 's' : kind == EventKind::received || kind == EventKind::end_receive ? 'f' : '\0';
  }

  // A call may begin on one worker and end on another. A call without an end lasts until the end of the trace.
  void write_calls() {
    std::vector<const Event*> events;
    std::uint64_t last = 0;
    for (const std::vector<Event>& worker : trace_.workers) {
      for (const Event& event : worker) {
        last = std::max(last, event.time);
        if (is_of_call(event.kind)) {
          events.push_back(&event);
        }
      }
    }
    std::stable_sort(events.begin(), events.end(), [](const Event* a, const Event* b) { return a->time < b->time; });
    for (const Event* event : events) {
      take_call(*event);
    }
    for (const auto& [rank, calls] : open_) {
      for (const Call& call : calls) {
        write_call(call, last);
      }
    }
  }

  void take_call(const Event& event) {
    std::vector<Call>& calls = open_[event.rank];
    if (event.kind == EventKind::call_begin) {
      calls.push_back({&event, nullptr, nullptr});
    } else if (event.kind == EventKind::comm) {
      comms_.define(event.comm, name(event));
    } else if (message_end(event.kind) != '\0') {
      write_message(event);
    } else if (!calls.empty() && event.kind == EventKind::collective) {
      calls.back().collective = &event;
    } else if (!calls.empty() && event.kind == EventKind::algorithm) {
      calls.back().algorithm = &event;
    } else if (!calls.empty() && event.kind == EventKind::call_end) {
      write_call(calls.back(), event.time);
      calls.pop_back();
    }
  }

  struct Call {
    const Event* begin;
    const Event* collective;  // null: it is none
    const Event* algorithm;   // null: not recorded
  };

  void write_call(const Call& call, std::uint64_t end) {
    begin('X', kRanks, number(call.begin->rank), static_cast<std::int64_t>(call.begin->time));
    out_ << R"(,"dur":)" << micros(static_cast<std::int64_t>(end - call.begin->time)) << R"(,"name":)"
         << json_text(name(*call.begin));
    if (call.collective != nullptr) {
      out_ << R"(,"args":{"bytes sent":)" << call.collective->value << R"(,"bytes received":)" << call.collective->more;
      if (call.algorithm != nullptr) {
        out_ << R"(,"algorithm":)" << json_text(name(*call.algorithm));
      }
      out_ << "}";
    }
    out_ << "}";
  }

  // Takes the n-th message that one rank sends to another with a tag for the n-th that the other receives. If a program
  // completes nonblocking receives of one sender and tag in another order, their arrows are exchanged.
  void write_message(const Event& event) {
    const char end = message_end(event.kind);
    const std::uint32_t rank = number(event.rank);
    const std::uint32_t comm = comms_.find(event.comm, event.rank);
    const std::uint32_t peer = comms_.peer(comm, event.rank, event.peer);
    const std::uint32_t from = end == 's' ? rank : peer;
    const std::uint32_t to = end == 's' ? peer : rank;
    const std::uint64_t turn = turns_[{end, event.comm, from, to, event.tag}]++;
    begin(end, kRanks, rank, static_cast<std::int64_t>(event.time));
    out_ << (end == 's' ? "" : R"(,"bp":"e")") << R"(,"cat":"message","id":")" << event.comm << '-' << from << '-' << to
         << '-' << event.tag << '-' << turn << R"(","name":"message","args":{"bytes":)" << event.value << R"(,"tag":)"
         << event.tag << "}}";
  }

  const Trace& trace_;
  std::ostream& out_;
  const std::int64_t origin_;
  bool first_ = true;
  std::map<RankId, std::vector<Call>> open_;
  Communicators comms_;
  std::map<std::tuple<char, std::uint32_t, std::uint32_t, std::uint32_t, std::int32_t>, std::uint64_t> turns_;
};

}  // namespace

void write_chrome(const Trace& trace, std::ostream& out) { Exporter(trace, out).write(); }

}  // namespace weft::trace
