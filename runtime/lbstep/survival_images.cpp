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

#include "base/memory_room.hpp"
#include "base/say.hpp"

namespace weft::runtime {
inline namespace lbstep {
namespace {

constexpr std::uint64_t kImages = std::tuple_size_v<decltype(SurvivalConfig::image_files)>;

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string readable(std::uint64_t bytes) { return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / (1 << 20)); }

// The same reason may come with another number of bytes or rank each time.
std::string without_numbers(std::string text) {
  std::erase_if(text, [](char letter) { return std::isdigit(static_cast<unsigned char>(letter)) != 0; });
  return text;
}

std::uint64_t longest_file() {
  rlimit limit{};
  return ::getrlimit(RLIMIT_FSIZE, &limit) == 0 ? limit.rlim_cur : RLIM_INFINITY;
}

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

std::string SurvivalImages::begin_step(const StepFacts& facts) {
  if (!facts.image && wanted_processes() == 0 && !schedule_.is_due(seconds_now(), facts.balances)) {
    return {};
  }
  if (const std::string why = why_not(facts); !why.empty()) {
    failed(why);
    return {};
  }
  if (const bool waits = facts.image || wanted_processes() != 0; !may_write(waits)) {
    if (waits) {
      failed("the last image has no copies on other hosts yet");
    }
    return {};  // the next step tries again
  }
  return config_.image_files[schedule_.index()];
}

std::string SurvivalImages::why_not(const StepFacts& facts) const {
  if (!config_.addresses_are_fixed) {
    return "addresses change from run to run, which the system does not let weftrun prevent";
  }
  if (!facts.pinned.empty()) {
    return facts.pinned;
  }
  const std::uint64_t left = std::min(base::room_of_host().left, base::room_of_group().left);
  return why_no_room(
      {.image = bytes_here(facts.private_bytes), .held = held_bytes(), .left = left, .longest = longest_file()});
}

// Of an image of so many bytes on all hosts: this one has its part and a copy of another's.
std::uint64_t SurvivalImages::bytes_here(std::uint64_t bytes) const {
  const std::set<std::uint32_t> hosts(config_.hosts.begin(), config_.hosts.end());
  return hosts.size() > 1 ? 2 * bytes / hosts.size() : bytes;
}

// What somebody has asked for waits for copies of the last image, which are on their way to other hosts.
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

// 0: those that there are.
std::uint32_t SurvivalImages::wanted_processes() const {
  return config_.resize_request ? config_.resize_request->wanted() : 0;
}

std::uint64_t SurvivalImages::held_bytes() const {
  std::uint64_t bytes = 0;
  for (const std::string& files : config_.image_files) {
    bytes += CheckpointFiles(files).bytes_in_memory();
  }
  return bytes;
}

std::uint64_t SurvivalImages::next_call(std::uint64_t call) { return schedule_.next_call(call, seconds_now()); }

void SurvivalImages::published(std::uint64_t step) {
  config_.image_is_whole(schedule_.index(), step);
  if (const std::uint32_t processes = config_.resize_request ? config_.resize_request->take() : 0; processes != 0) {
    config_.change_processes(processes, config_.workers);
  }
  schedule_.written(seconds_now());
  said_.clear();
}

void SurvivalImages::failed(const std::string& why) {
  schedule_.failed(seconds_now());
  if (wanted_processes() != 0) {
    config_.resize_request->refuse("no image can be written: " + why);
  }
  if (std::string reason = without_numbers(why); reason != said_) {
    said_ = std::move(reason);
    base::say("weft: --survive: no image is written: " + why + "\n");
  }
}

}  // namespace lbstep
}  // namespace weft::runtime
