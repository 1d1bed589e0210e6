// Ranks that change their worker within the process: in a balancing step, and with --lb-continuous whenever they are
// ready.
#pragma once

namespace weft::runtime {
inline namespace control {
class Rank;
}  // namespace control

inline namespace sched {
class Worker;
}  // namespace sched

inline namespace location {

// Gives a ready rank of `from`, which is in no ready queue, to `to`. On the thread of `from`.
void give_rank(Worker& from, Rank& rank, Worker& to);

// Moves the calling rank to another worker of its process, in a balancing step; returns there.
void move_to(Rank& me, Worker& target);

// On the rank's worker: if the rank's mail goes by its own queue, it goes by the worker's inbox from now on.
void close_mail_queue(Worker& worker, Rank& rank);

}  // namespace location
}  // namespace weft::runtime
