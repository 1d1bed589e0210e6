// Balancing without steps: a worker that is behind gives ready ranks to one that has nothing to do.
#pragma once

namespace weft::runtime {

class Rank;
class Worker;

// Gives a ready rank of `from`, which is in no queue, to `to`. On the thread of `from`.
void give(Worker& from, Rank& rank, Worker& to);

// The calling rank goes to another worker of its process; returns there. No message is under way to it.
void move_to(Rank& me, Worker& target);

// Lets the calling rank go on only once messages reach it directly: before it moves in a step, and before it ends.
void settle(Rank& me);

}  // namespace weft::runtime
