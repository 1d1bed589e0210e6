#include "runtime/lbstep/survival_images.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <set>
#include <thread>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/memory_capacity.hpp"
#include "base/say.hpp"

namespace weft::runtime {
inline namespace lbstep {
namespace {

constexpr std::uint64_t kImages = std::tuple_size_v<decltype(SurvivalConfig::image_files)>;

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string readable(std::uint64_t bytes) { return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / (1 << 20)); }

// The same reason may contain another number of bytes or rank each time.
std::string without_numbers(std::string text) {
  std::erase_if(text, [](char letter) { return std::isdigit(static_cast<unsigned char>(letter)) != 0; });
  return text;
}

std::uint64_t longest_file() {
  rlimit limit{};
  return ::getrlimit(RLIMIT_FSIZE, &limit) == 0 ? limit.rlim_cur : RLIM_INFINITY;
}

constexpr const char* kOnTheWay = "the last image is still on its way to other hosts or to a disk";

}  // namespace

std::string why_no_room(const ImageRoom& room) {
  constexpr std::uint64_t kReserve = 16;  // one part in so many of what is left stays free
  const std::uint64_t needed = kImages * room.image - std::min(kImages * room.image, room.held);
  const std::uint64_t left = room.left - room.left / kReserve;
  if (needed > left) {
    return fmt::format("two images of up to {} need {} more of memory, and {} can be used", readable(room.image),
                       readable(needed), readable(left));
  }
  if (room.image > room.longest) {
    return fmt::format("an image may have up to {}, and files may have {} (ulimit -f)", readable(room.image),
                       readable(room.longest));
  }
  return {};
}

SurvivalImages::SurvivalImages(const JobConfig& config)
    : config_(config), schedule_(*config.survive, seconds_now(), config.first_image) {}

std::string SurvivalImages::begin_step(const StepFacts& facts, bool wanted) {
  failure_.clear();
  request_evacuations();
  next_processes_ = ready_change();
  const bool waits = facts.image || !next_processes_.empty();
  if (!waits && !wanted && !schedule_.is_due(seconds_now(), facts.balances)) {
    return {};
  }
  if (facts.spawned) {
    schedule_.postpone(seconds_now());
    held_since_.reset();
    failure_ = kSpawnedRun;
    if (std::exchange(kept_waiting_, next_processes_) != next_processes_ && !next_processes_.empty()) {
      said_.clear();  // a new request is answered, even with the same reason
    }
    say_once(failure_);
    return {};
  }
  if (const std::string why = why_not(facts); !why.empty()) {
    failed(why);
    return {};
  }
  if (!may_write(waits)) {
    constexpr double kSilence = 10;  // seconds
    held_since_ = held_since_.value_or(seconds_now());
    if (waits) {
      failed(kOnTheWay);
    } else if (seconds_now() - *held_since_ > kSilence) {
      refuse(kOnTheWay);
    }
    return {};  // the next step tries again
  }
  held_since_.reset();
  return config_.image_files[schedule_.index()];
}

std::string SurvivalImages::why_not(const StepFacts& facts) const {
  if (!config_.addresses_are_fixed) {
    return "addresses change from run to run, which the system does not let weftrun prevent";
  }
  if (!facts.pinned.empty()) {
    return facts.pinned;
  }
  const std::uint64_t left = std::min(base::host_memory().available, base::cgroup_memory().available);
  return why_no_room(
      {.image = bytes_here(facts.private_bytes), .held = held_bytes(), .left = left, .longest = longest_file()});
}

// This host's bytes for an image of `bytes` bytes on all hosts: its own part, and a copy of another host's.
std::uint64_t SurvivalImages::bytes_here(std::uint64_t bytes) const {
  const std::set<std::uint32_t> hosts(config_.hosts.begin(), config_.hosts.end());
  return hosts.size() > 1 ? 2 * bytes / hosts.size() : bytes;
}

// If somebody waits for the image, this waits for copies of images that are still being sent to other hosts or to a
// disk.
bool SurvivalImages::may_write(bool waits) const {
  constexpr std::chrono::milliseconds kBetweenLooks{1};
  constexpr std::chrono::seconds kLongest{10};
  const auto end = std::chrono::steady_clock::now() + kLongest;
  while (config_.may_write_image && !config_.may_write_image(schedule_.index())) {
    if (!waits || std::chrono::steady_clock::now() > end) {
      return false;
    }
    std::this_thread::sleep_for(kBetweenLooks);
  }
  return true;
}

// Requests that hosts which are about to go (SIGTERM to their proxy) be evacuated. A request for other processes takes
// precedence.
void SurvivalImages::request_evacuations() {
  constexpr double kBetweenQuestions = 0.1;  // seconds
  const double now = seconds_now();
  if (!config_.hosts_to_evacuate || now < ask_at_ || is_change_wanted()) {
    return;
  }
  ask_at_ = now + kBetweenQuestions;
  placement::NextProcesses rest = config_.processes;
  for (const std::string& host : config_.hosts_to_evacuate()) {
    auto without = placement::without_host(rest, host);
    const std::string why = config_.why_not_changed(without);
    if (why.empty()) {
      rest = std::move(without);
    } else if (kept_hosts_.insert(host).second) {
      base::say(fmt::format("weft: host {} keeps its processes: {}\n", host, why));
    }
  }
  if (rest != config_.processes) {
    config_.resize_request->ask(std::move(rest));
  }
}

bool SurvivalImages::is_change_wanted() const {
  return config_.resize_request && !config_.resize_request->wanted().empty();
}

// The processes with which the job continues after this step, if an image can be written; empty: no change.
placement::NextProcesses SurvivalImages::ready_change() {
  considered_ = config_.resize_request ? config_.resize_request->wanted() : placement::NextProcesses();
  const std::string why = considered_.empty() || !config_.may_change ? std::string() : config_.may_change(considered_);
  if (why.empty()) {
    return considered_;
  }
  if (why != bootstrap::kHostsAreNotReady) {
    config_.resize_request->refuse(std::exchange(considered_, {}), why);
  }
  return {};
}

std::uint64_t SurvivalImages::held_bytes() const {
  std::uint64_t bytes = 0;
  for (const std::string& files : config_.image_files) {
    bytes += CheckpointFiles(files).bytes_in_memory();
  }
  return bytes;
}

std::uint64_t SurvivalImages::next_call(std::uint64_t call) {
  constexpr double kUntilHostsAreReady = 0.01;  // seconds
  return is_change_wanted() ? schedule_.next_call(call, seconds_now(), kUntilHostsAreReady)
                            : schedule_.next_call(call, seconds_now());
}

void SurvivalImages::published(std::uint64_t step, const std::string& folder) {
  config_.image_is_whole(schedule_.index(), step, folder);
  if (!next_processes_.empty() && config_.resize_request->take(next_processes_)) {
    config_.change_processes(next_processes_);
  }
  schedule_.written(seconds_now());
  said_.clear();
}

void SurvivalImages::failed(const std::string& why) {
  schedule_.failed(seconds_now());
  refuse(why);
}

void SurvivalImages::refuse(const std::string& why) {
  failure_ = why;
  if (!considered_.empty()) {
    constexpr double kAfterRefusal = 60;  // seconds until hosts to evacuate are asked for again
    ask_at_ = seconds_now() + kAfterRefusal;
    config_.resize_request->refuse(considered_, "no image can be written: " + why);
  }
  say_once(why);
}

void SurvivalImages::say_once(const std::string& why) {
  if (std::string reason = without_numbers(why); reason != said_) {
    said_ = std::move(reason);
    base::say("weft: --survive: no image is written: " + why + "\n");
  }
}

}  // namespace lbstep
}  // namespace weft::runtime
