// Balancing without steps: a worker that is behind gives ready ranks to one that has nothing to do.
#pragma once

namespace weft::runtime {

class Rank;
class Worker;
struct Envelope;
struct Forwarding;

// A message for a rank that has just been given to this worker (Rank::is_forwarded) must not overtake older ones that
// still go round by its old worker. True when the message is kept back for that; it is delivered once no older one can
// come.
bool defer_delivery(Rank& to, Envelope& message);

// Gives a ready rank of `from`, which is in no queue, to `to`. On the thread of `from`.
void give(Worker& from, Rank& rank, Worker& to);

// On the worker that laid the rank out, once it has delivered what was in its inbox when it saw that another had it.
void end_stolen_forwarding(Forwarding& handover);

// Lets the calling rank go on only once messages reach it directly: before it moves in a step, and before it ends.
void settle(Rank& me);

}  // namespace weft::runtime
