// The messages between workers, leaders and rank 0. One struct serves all kinds: a kind uses the fields that its
// comment names, the others keep their defaults.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "iterations/ranges.hpp"

namespace weft::iterations {

// Appends sets as words: the number of ranges of each set, then the first index and the count of each range.
void append(std::vector<std::int64_t>& words, std::span<const RangeSet* const> sets);
// Reads all of the words into sets; false if they are malformed.
bool take(std::span<const std::int64_t> words, std::span<RangeSet* const> sets);

// The first three are the instructions of Gimenez-Alventosa 2020, Fig. 4, with their numbers.
enum class MessageKind : std::int64_t {
  start = 0,           // up: takes part
  report = 1,          // up: epoch, done, progress and elapsed, serial and batch, returned
  finish = 2,          // up: a report of a worker that has no iterations left; grants
  assign = 3,          // down: epoch, target, interval, granted, grants, predictions
  require_report = 4,  // down: report now (requireReport of Fig. 4)
  credit = 5,          // down: serial: the indices of that batch count for the receiver
  revoke = 6,          // down: epoch, serial: all leases of the receiver are revoked, except the batch with this serial
  stop = 7,            // down: every index is credited
  last = 8,            // both ways: the sender's last message; serial: 1 from the root to a leader, else 0
  hand_back = 9,       // up: a report that answers an assignment of fewer iterations; it gets no answer
};

struct Message {
  MessageKind kind = MessageKind::start;
  Index epoch = 0;           // counts how often the worker's leases were revoked
  Index serial = 0;          // of a batch; 0: none
  Index grants = 0;          // how often indices were granted to the worker; of a worker: as far as it knows
  double done = 0;           // I_d; of a leader: predicted
  double elapsed = 0;        // seconds of work between the last measure and this one; 0: no measure of the speed
  double progress = 0;       // iterations done in that time
  double target = 0;         // I_n
  double interval = 0;       // seconds until the next report
  double seconds_left = -1;  // predicted by rank 0; negative: not known yet
  double spread = 0;         // predicted time between the first and the last finish, seconds
  RangeSet batch;            // indices done, to be credited
  RangeSet returned;         // indices handed back, not begun
  RangeSet granted;          // indices leased
};

// As 64-bit words, for MPI_INT64_T.
std::vector<std::int64_t> pack(const Message& message);
// False if the words are malformed.
bool unpack(std::span<const std::int64_t> words, Message& message);

}  // namespace weft::iterations
