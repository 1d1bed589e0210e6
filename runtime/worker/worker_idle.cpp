// What a worker does with nothing ready: tells teams of arrivals, spins, sleeps.
#include "runtime/cluster/cluster.hpp"
#include "runtime/job/job.hpp"
#include "runtime/job/job_state.hpp"
#include "runtime/meter/ticks.hpp"
#include "runtime/net/bell.hpp"
#include "runtime/team/station.hpp"
#include "runtime/worker/worker.hpp"

namespace weft::runtime {

void Worker::idle() {
  if (unreported_ != nullptr) {
    report_arrivals();
    if (first_ready_ != nullptr) {
      return;
    }
  }
  const std::uint64_t start = ticks();
  if (running_ != nullptr) {
    charge(start);
  }
  const bool slept = !spin_for_work();
  if (slept) {
    be_hungry();
    sleep_for_work();
  }
  claim_hunger();
  segment_start_ = meter_.begin_segment();
  if (slept) {
    patient_ = segment_start_ - start < patience_ticks_;
  }
  meter_.idled(start, segment_start_, slept);
}

bool Worker::spin_for_work() {
  const std::uint64_t start = ticks();
  const std::uint64_t end = start + (patient_ && meter_.undisturbed(start) ? patience_ticks_ : spin_ticks_);
  do {
    for (int i = 0; i < 16; ++i) {
      poll();
      if (has_work()) {
        return true;
      }
      _mm_pause();
    }
    if (cluster_ != nullptr && spin_ticks_ != 0) {  // with a core of its own
      cluster_->transport().help();
    }
    if (shares_ && take_from_shelves()) {
      return true;
    }
    if (ticks() - start > spin_ticks_ / 4) {
      be_hungry();
    }
  } while (ticks() < end);
  return !inbox_.empty();
}

void Worker::sleep_for_work() {
  net::Bell* const bell = inbox_.bell();
  if (bell != nullptr) {
    net::announce_sleep(*bell);
  }
  if (may_sleep()) {
    job_.state_->worker_sleeps(job_);
    meter_.sleeps(ticks());
    inbox_.sleep();
    meter_.wakes(ticks());
    job_.state_->worker_wakes();
  }
  if (bell != nullptr) {
    net::stay_awake(*bell);
  }
}

void Worker::poll() {
  if (cluster_ != nullptr) {
    polls_ = true;
    cluster_->poll();
    polls_ = false;
  }
}

void Worker::end() {
  end_.deliver = [](Worker& worker, InboxItem&) { worker.stopping_ = true; };
  inbox_.push(end_);
}

bool Worker::may_sleep() const { return cluster_ == nullptr || cluster_->transport().idle(); }

void Worker::remember(Team::Station& station) {
  station.next_unreported = unreported_;
  unreported_ = &station;
}

void Worker::forget(Team::Station& station) {
  Team::Station** link = &unreported_;
  while (*link != &station) {
    link = &(*link)->next_unreported;
  }
  *link = station.next_unreported;
}

void Worker::report_arrivals() {
  while (Team::Station* const station = unreported_) {
    unreported_ = station->next_unreported;
    station->listed = false;
    station->team->report(*this, *station);
  }
}

}  // namespace weft::runtime
