#include "runtime/location/move.hpp"

#include "runtime/location/operations.hpp"
#include "runtime/sync/arrival.hpp"
#include "runtime/timeline/recorder.hpp"

namespace weft::runtime {
inline namespace location {
namespace {

void record_move(Worker& here, const Rank& rank, Worker& target) {
  if (Recorder* const recorder = here.recorder(); recorder != nullptr) {
    recorder->record_move(rank.id, BalancingWorker::of(target).global_number());
  }
}

// Called when this worker has left the rank's stack: the rank goes to its next worker.
void hand_to_next_worker(Worker& here, RankContext& context) {
  Rank& rank = rank_of(context);
  Worker& target = *rank.next_worker;
  record_move(here, rank, target);
  LocationOperations op(here);
  location::move(op, rank, target);
}

}  // namespace

void give_rank(Worker& from, Rank& rank, Worker& to) {
  leave_worker(from, rank);
  rank.state = Rank::State::moving;
  rank.switches_at_move = rank.load.switches.load(std::memory_order_relaxed);
  record_move(from, rank, to);
  LocationOperations op(from);
  location::give(op, rank, to);
}

void move_to(Rank& me, Worker& target) {
  Worker& here = *Worker::current();
  leave_worker(here, me);
  me.next_worker = &target;
  here.leave(me, &hand_to_next_worker);
}

void close_mail_queue(Worker& worker, Rank& rank) {
  LocationOperations op(worker);
  if (LocationOperations::load(rank).state == location::State::here_queued) {
    location::close_queue(op, rank);
  }
}

}  // namespace location
}  // namespace weft::runtime
