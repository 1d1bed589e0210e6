#include "runtime/bootstrap/job_recovery.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "base/say.hpp"

namespace weft::bootstrap {
namespace {

constexpr int kMostAttempts = 3;  // to bring files to where processes need them

std::string verdict_text(RecoveryPolicy::Verdict verdict, std::uint32_t recoveries) {
  if (verdict == RecoveryPolicy::Verdict::same_crash) {
    return "the second time at the same place: the program's own fault, not survived again";
  }
  return fmt::format("after {} recoveries, the limit of --survive-limit", recoveries);
}

std::string processes_text(const ProcessSet& processes) {
  std::string text = fmt::format("{} process{}", processes.count, processes.count == 1 ? "" : "es");
  if (processes.workers_each != 0) {
    text += fmt::format(" of {} worker{}", processes.workers_each, processes.workers_each == 1 ? "" : "s");
  }
  return text;
}

}  // namespace

JobRecovery::JobRecovery(ProcessSet processes, std::uint32_t limit, JobImages& images)
    : images_(images), now_(std::move(processes)), policy_(limit), first_input_(::lseek(STDIN_FILENO, 0, SEEK_CUR)) {
  images_.files().make_room(now_.count);
}

int JobRecovery::run(const std::function<RunEnd(const ProcessSet&)>& run_processes,
                     const std::function<void(const ProcessSet&)>& before_change) {
  for (;;) {
    announce();
    const RunEnd end = run_once(run_processes);
    if (end.resumed) {
      before_.reset();
    }
    if (end.next) {
      change_to(*end.next);
    } else if (!end.death || !goes_on(end)) {
      if (!before_ || end.stopped) {
        ::unsetenv(kImagesVariable);
        return end.code;
      }
      change_back();
    }
    if (before_change) {
      before_change(now_);
    }
  }
}

// Processes that cannot even be made are of no harm where there were others.
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
  try {
    images_.files().make_room(next.count);
  } catch (const std::exception& error) {
    base::say(fmt::format("weftrun: {}: the job goes on with {} as before\n", error.what(), processes_text(now_)));
    refusal_ = error.what();
    return;
  }
  before_ = std::exchange(now_, next);
  now_.hosts.assign(now_.count, before_->hosts.front());  // a job that changes them has one
  images_.files().empty_from(1 - image_->which, now_.count);
  base::say(fmt::format("weftrun: the job goes on with {} in place of {}, from step {}\n", processes_text(now_),
                        before_->count, image_->step));
}

// The image is still that of the processes before.
void JobRecovery::change_back() {
  refusal_ = fmt::format("{} could not start", processes_text(now_));
  now_ = *std::exchange(before_, std::nullopt);
  images_.files().drop_from(now_.count);
  base::say(fmt::format("weftrun: the job goes on with {} as before\n", processes_text(now_)));
  rewind_input();
}

void JobRecovery::rewind_input() const {
  if (const off_t input = image_ ? image_->input : first_input_; input >= 0) {
    ::lseek(STDIN_FILENO, input, SEEK_SET);  // of a file; what came through a pipe is gone
  }
}

// To the processes that are started next. Those on other hosts are told of the files there by their proxy.
void JobRecovery::announce() {
  ImagesAddress address{
      .paths = images_.files().paths(), .whole = std::nullopt, .refusal = std::exchange(refusal_, {})};
  if (image_) {
    address.whole = image_->which;
    attempts_ = 1;
    images_.bring(image_->which, now_.hosts);
  }
  address.seconds =
      static_cast<std::uint32_t>(std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - begin_).count());
  ::setenv(kImagesVariable, to_text(address).c_str(), 1);
}

bool JobRecovery::is_ready() {
  if (!images_.is_at_rest()) {
    return false;
  }
  if (image_ && !images_.copies().needed(image_->which, now_.hosts).empty()) {
    if (++attempts_ < kMostAttempts) {
      images_.bring(image_->which, now_.hosts);
      return false;
    }
    throw std::runtime_error(
        fmt::format("--survive: the image of step {} could not be brought to where the job is to go on", image_->step));
  }
  return true;
}

void JobRecovery::on_start() {
  if (image_) {
    images_.protect(image_->which, now_.hosts);
  }
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

void JobRecovery::on_image(std::uint32_t image, std::uint64_t step, off_t input) {
  since_ = Clock::now();
  image_before_ = std::exchange(image_, Image{.which = image, .step = step, .input = input, .written = since_});
  policy_.on_image();
  images_.files().empty_from(1 - image, now_.count);  // of processes that are no more
  images_.written(image, now_.hosts);
}

bool JobRecovery::goes_on(const RunEnd& end) {
  const auto verdict = policy_.on_death(*end.death);
  if (verdict != RecoveryPolicy::Verdict::recover) {
    base::say(fmt::format("weftrun: {}, {}\n", end.what, verdict_text(verdict, policy_.recoveries())));
    return false;
  }
  if (!has_host_left(end) || !find_image(end)) {
    return false;
  }
  leave_hosts(end);
  say_recovery(end);
  rewind_input();
  since_ = Clock::now();
  return true;
}

// With a host that is lost the last image may be gone, whose copies were still on their way.
bool JobRecovery::find_image(const RunEnd& end) {
  if (!image_ || images_.copies().is_there(image_->which)) {
    return true;
  }
  if (image_before_ && images_.copies().is_there(image_before_->which)) {
    image_ = std::exchange(image_before_, std::nullopt);
    since_ = image_->written;
    return true;
  }
  if (!has_begun_second_) {
    image_.reset();  // as if there had been none yet
    since_ = begin_;
    return true;
  }
  base::say(fmt::format("weftrun: {}, and with it the image of step {}, of which no other host has a copy\n", end.what,
                        image_->step));
  return false;
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

void JobRecovery::leave_hosts(const RunEnd& end) {
  const auto which = image_ ? std::optional(image_->which) : std::nullopt;
  for (const std::uint32_t host : end.lost_hosts) {
    now_.hosts = images_.copies().without(host, which, now_.hosts);
  }
}

void JobRecovery::say_recovery(const RunEnd& end) const {
  const double seconds = std::chrono::duration<double>(Clock::now() - since_).count();
  const std::string from = image_ ? fmt::format("goes on from the image of step {}", image_->step)
                                  : std::string("has no image yet and starts again as it was started");
  base::say(fmt::format("weftrun: {}: the job {}; the work of {:.1f} s is repeated, and its output comes again\n",
                        end.what, from, seconds));
}

}  // namespace weft::bootstrap
