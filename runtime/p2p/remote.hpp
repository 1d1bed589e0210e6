// Messages between ranks of different processes: what point_to_point.cpp does when the other end lives elsewhere.
#pragma once

#include "runtime/control/wire.hpp"
#include "runtime/p2p/point_to_point.hpp"

namespace weft::runtime {

class EnvelopePool;
class Job;
class Worker;
struct Envelope;

// What an eager message takes of the receiver's memory.
std::size_t eager_cost(std::size_t payload);

// start_send() to a rank of another process; `request` is filled in but for `done`.
void send_remote(Rank& me, Rank& to, SendMode mode, Request& request);

// A message that a transport brought to this worker, which is polling: straight into the posted receive that it
// matches. False, and nothing is done, when there is none here or older messages may still be in the inbox.
bool receive_at_once(Worker& worker, const WireHead& head, std::span<const std::byte> body);
// Any other one: into the inbox of its receiver's worker. Any thread.
void deliver_remote(Job& job, Envelope& message, const WireHead& head, std::span<const std::byte> body, ProcessId from);

// The receiver has matched and read send `id` of `sender`, a rank of this process. Any thread.
void finish_send(Rank& sender, std::uint64_t id);

// Tells a sender, wherever it lives, that its send `id` has been matched and read.
void tell_sender(Job& job, std::uint32_t sender, std::uint64_t id);

// Gives an envelope back; `here` is the pool of the calling thread.
void end_envelope(Job& job, EnvelopePool& here, Envelope& message);

// Fills a matched receive of this worker from a message whose sender, or whose payload, is far away, and ends the
// envelope. False when the payload is still on its way: then the receive is finished later, by its worker.
bool fill_from_remote(Worker& worker, Envelope& message, Request& receive);

}  // namespace weft::runtime
