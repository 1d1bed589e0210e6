#include "runtime/bootstrap/job_recovery.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <numeric>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "base/say.hpp"

namespace weft::bootstrap {
namespace {

constexpr int kMostAttempts = 3;  // to copy files to where processes need them

std::string verdict_text(RecoveryPolicy::Verdict verdict, std::uint32_t recoveries) {
  if (verdict == RecoveryPolicy::Verdict::same_crash) {
    return "the second time at the same place: the program's own fault, not survived again";
  }
  return fmt::format("after {} recoveries, the limit of --survive-limit", recoveries);
}

std::string counted(std::uint64_t count, const std::string& what, const char* plural) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : plural);
}

std::string processes_text(const ProcessSet& processes) {
  std::string text = counted(processes.count(), "process", "es");
  if (const auto& workers = processes.workers; !workers.empty()) {
    const bool are_equal = std::ranges::all_of(workers, [&](std::uint32_t its) { return its == workers.front(); });
    text += are_equal
                ? fmt::format(" of {}", counted(workers.front(), "worker", "s"))
                : fmt::format(" with {}", counted(std::accumulate(workers.begin(), workers.end(), std::uint64_t{0}),
                                                  "worker", "s"));
  }
  return text;
}

// Each process reads the file that it has written.
std::vector<std::uint32_t> own_files(std::uint32_t processes) {
  std::vector<std::uint32_t> readers(processes);
  std::iota(readers.begin(), readers.end(), 0U);
  return readers;
}

}  // namespace

JobRecovery::JobRecovery(ProcessSet processes, std::uint32_t limit, JobImages& images)
    : images_(images), now_(std::move(processes)), policy_(limit), first_input_(::lseek(STDIN_FILENO, 0, SEEK_CUR)) {
  images_.files().make_room(now_.count());
}

int JobRecovery::run(const std::function<RunEnd(const ProcessSet&)>& run_processes,
                     const std::function<void(const ProcessSet&)>& before_change, std::function<bool()> finish_saves) {
  finish_saves_ = std::move(finish_saves);
  for (;;) {
    announce();
    const RunEnd end = run_once(run_processes);
    if (end.next) {
      change_to(*end.next);
    } else if (has_change_failed(end)) {
      change_back(end);
    } else if (!end.death || !try_recovery(end)) {
      if (!can_change_back() || end.stopped) {
        ::unsetenv(kImagesVariable);
        return end.code;
      }
      change_back(end);
    }
    if (before_change) {
      before_change(now_);
    }
  }
}

// If processes cannot be created after a change, the job goes back to the processes before it.
RunEnd JobRecovery::run_once(const std::function<RunEnd(const ProcessSet&)>& run_processes) const {
  try {
    return run_processes(now_);
  } catch (const std::exception& error) {
    if (!before_) {
      throw;
    }
    base::say(fmt::format("weftrun: {}\n", error.what()));
    RunEnd end;
    end.code = 1;
    return end;
  }
}

void JobRecovery::change_to(const ProcessSet& next) {
  refusal_ = next.refusal;
  try {
    images_.files().make_room(next.count());
  } catch (const std::exception& error) {
    refusal_ = error.what();
  }
  if (!refusal_.empty()) {
    base::say(fmt::format("weftrun: {}: the job goes on with {} as before\n", refusal_, processes_text(now_)));
    return;
  }
  before_ = std::exchange(now_, next);
  for (std::optional<Image>* const image : {&image_, &image_before_}) {
    if (*image) {
      find_readers(**image);
    }
  }
  base::say(fmt::format("weftrun: the job goes on with {} in place of {}, from step {}\n", processes_text(now_),
                        before_->count(), image_->step));
}

// Chooses which of the new processes reads each file. Copies in flight count as done.
void JobRecovery::find_readers(Image& image) const {
  image.readers_before = image.readers;
  if (!images_.copies().is_available(image.which)) {
    return;
  }
  ImageCopies soon = images_.copies();
  for (const ImageCopies::Copy& copy : soon.missing_replicas(image.which, before_->hosts)) {
    soon.copied(copy.order);
  }
  image.readers = soon.readers(image.which, now_.hosts, now_.before, image.readers);
}

// True if hosts were lost, all of them new ones of the present change, and the job can go back.
bool JobRecovery::has_change_failed(const RunEnd& end) const {
  const auto is_new = [&](std::uint32_t host) {
    return std::ranges::find(before_->hosts, host) == before_->hosts.end();
  };
  return before_ && !end.stopped && !end.lost_hosts.empty() && std::ranges::all_of(end.lost_hosts, is_new) &&
         can_change_back();
}

bool JobRecovery::can_change_back() const {
  return before_ && image_ && images_.copies().is_available(image_->which) &&
         std::ranges::none_of(before_->hosts, [&](std::uint32_t host) { return images_.is_lost(host); });
}

// The image is still the one of the processes before the change.
void JobRecovery::change_back(const RunEnd& end) {
  refusal_ = end.lost_hosts.empty() ? fmt::format("{} could not start", processes_text(now_)) : end.what;
  now_ = *std::exchange(before_, std::nullopt);
  std::size_t files = now_.count();
  for (std::optional<Image>* const image : {&image_, &image_before_}) {
    if (*image) {
      (*image)->readers = (*image)->readers_before;
      files = std::max(files, (*image)->readers.size());
    }
  }
  images_.files().drop_from(static_cast<std::uint32_t>(files));
  base::say(fmt::format("weftrun: {}: the job goes on with {} as before\n", refusal_, processes_text(now_)));
  rewind_input();
}

void JobRecovery::rewind_input() const {
  const Saved* const saved = source_on_disk();
  if (const off_t input = image_ ? image_->input : saved != nullptr ? saved->input : first_input_; input >= 0) {
    ::lseek(STDIN_FILENO, input, SEEK_SET);  // works for files; data from a pipe is gone
  }
}

// Sets the environment of the processes that are started next. On other hosts the proxy replaces the files by its own.
void JobRecovery::announce() {
  ImagesAddress address{.paths = images_.files().paths(),
                        .whole = std::nullopt,
                        .seconds = 0,
                        .readers = {},
                        .refusal = std::exchange(refusal_, {})};
  if (const Saved* const saved = source_on_disk()) {
    address.on_disk = saved->target.step;
  }
  if (image_) {
    address.whole = image_->which;
    address.readers = image_->readers;
    attempts_ = 0;
  }
  const auto seconds_since = [](Clock::time_point then) {
    return static_cast<std::uint32_t>(std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - then).count());
  };
  address.seconds = seconds_since(begin_);
  address.unsaved_seconds = seconds_since(saved_at_);
  ::setenv(kImagesVariable, to_text(address).c_str(), 1);
}

bool JobRecovery::is_ready() {
  if (!images_.is_idle()) {
    return false;
  }
  if (!image_) {
    return true;
  }
  const auto needed = images_.copies().needed(image_->which, now_.hosts, image_->readers);
  if (needed.empty()) {
    return true;
  }
  if (++attempts_ > kMostAttempts) {
    throw std::runtime_error(
        fmt::format("--survive: the image of step {} could not be brought to where the job is to go on", image_->step));
  }
  images_.bring(needed);
  return false;
}

void JobRecovery::on_start() {
  if (image_) {
    images_.replicate(image_->which, now_.hosts);
  }
}

bool JobRecovery::lacks_files(std::uint32_t lost) const {
  return before_ && std::ranges::find(now_.hosts, lost) == now_.hosts.end() && image_ &&
         !images_.copies().is_available(image_->which);
}

bool JobRecovery::may_write(std::uint32_t image) {
  if (!images_.may_write(image, now_.hosts)) {
    return false;
  }
  if (image_before_ && image_before_->which == image) {
    image_before_.reset();
  }
  has_begun_second_ = has_begun_second_ || image_.has_value();
  return true;
}

void JobRecovery::on_image(std::uint32_t image, std::uint64_t step, off_t input, const std::string& folder) {
  since_ = Clock::now();
  image_before_ = std::exchange(
      image_,
      Image{.which = image, .step = step, .input = input, .written = since_, .readers = own_files(now_.count())});
  policy_.on_image();
  images_.written(image, now_.hosts);
  on_disk_ = false;
  if (!folder.empty()) {
    save(image, folder);
  }
}

void JobRecovery::save(std::uint32_t image, const std::string& folder) {
  if (const auto& last = images_.last_saved()) {
    saved_.erase(saved_.begin(), std::ranges::find(saved_, *last, &Saved::target));
  }
  saved_at_ = Clock::now();
  saved_.push_back({.target = images_.save(image, folder, image_->step, now_.hosts),
                    .input = image_->input,
                    .written = image_->written});
}

bool JobRecovery::try_recovery(RunEnd end) {
  const auto verdict = policy_.on_death(*end.death);
  if (verdict != RecoveryPolicy::Verdict::recover) {
    base::say(fmt::format("weftrun: {}, {}\n", end.what, verdict_text(verdict, policy_.recoveries())));
    return false;
  }
  if (!has_host_left(end) || !find_image(end)) {
    return false;
  }
  move_off_lost_hosts(end);
  say_recovery(end);
  rewind_input();
  since_ = Clock::now();
  return true;
}

// Chooses what the job goes on from. That is the last image, unless a lost host had the only copy of one of its files:
// then the newest complete checkpoint or earlier image. False, after a message, if there is none.
bool JobRecovery::find_image(RunEnd& end) {
  if (!image_ || images_.copies().is_available(image_->which)) {
    return true;
  }
  if (finish_saves_ && is_newest(find_saved(images_.expected_save())) && !wait_for_saves(end)) {
    return false;
  }
  if (is_newest(newest_saved())) {
    restart_from_checkpoint();
    return true;
  }
  if (image_before_ && images_.copies().is_available(image_before_->which)) {
    image_ = std::exchange(image_before_, std::nullopt);
    since_ = image_->written;
    return true;
  }
  if (!has_begun_second_) {
    image_.reset();  // starts as if there had been no image yet
    since_ = begin_;
    return true;
  }
  base::say(fmt::format("weftrun: {}, and with it the image of step {}, of which no other host has a copy\n", end.what,
                        image_->step));
  return false;
}

// Waits for images that are being copied to a disk. Adds hosts that are lost meanwhile. False if the job must end.
bool JobRecovery::wait_for_saves(RunEnd& end) {
  if (!finish_saves_()) {
    return false;
  }
  for (const std::uint32_t host : now_.hosts) {
    if (images_.is_lost(host) && std::ranges::find(end.lost_hosts, host) == end.lost_hosts.end()) {
      end.lost_hosts.push_back(host);
    }
  }
  return has_host_left(end);
}

bool JobRecovery::is_newest(const Saved* saved) const {
  return saved != nullptr && (!image_before_ || !images_.copies().is_available(image_before_->which) ||
                              saved->written > image_before_->written);
}

void JobRecovery::restart_from_checkpoint() {
  on_disk_ = true;
  image_.reset();
  image_before_.reset();
  since_ = newest_saved()->written;
}

// Null: there is none.
const JobRecovery::Saved* JobRecovery::find_saved(const std::optional<CheckpointTarget>& target) const {
  const auto found = target ? std::ranges::find(saved_, *target, &Saved::target) : saved_.end();
  return found == saved_.end() ? nullptr : &*found;
}

bool JobRecovery::has_host_left(const RunEnd& end) const {
  const auto is_left = [&](std::uint32_t host) {
    return std::ranges::find(end.lost_hosts, host) == end.lost_hosts.end();
  };
  if (std::ranges::any_of(now_.hosts, is_left)) {
    return true;
  }
  base::say(fmt::format("weftrun: {}, and it was the job's last\n", end.what));
  return false;
}

void JobRecovery::move_off_lost_hosts(const RunEnd& end) {
  const auto which = image_ ? std::optional(image_->which) : std::nullopt;
  for (const std::uint32_t host : end.lost_hosts) {
    now_.hosts = images_.copies().without(host, which, now_.hosts, image_ ? image_->readers : own_files(0));
  }
}

void JobRecovery::say_recovery(const RunEnd& end) const {
  const double seconds = std::chrono::duration<double>(Clock::now() - since_).count();
  const Saved* const saved = source_on_disk();
  const std::string from = image_             ? fmt::format("goes on from the image of step {}", image_->step)
                           : saved != nullptr ? fmt::format("goes on from the checkpoint of step {} in {}",
                                                            saved->target.step, saved->target.folder)
                                              : std::string("has no image yet and starts again as it was started");
  base::say(fmt::format("weftrun: {}: the job {}; the work of {:.1f} s is repeated, and its output comes again\n",
                        end.what, from, seconds));
}

}  // namespace weft::bootstrap
