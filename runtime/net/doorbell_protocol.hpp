// How a thread that has stored bytes for another process wakes a worker there. Only the protocol: net::ring() calls
// this with the real Doorbell; tests/runtime/sched/sleep_protocol_test.cpp explores it together with the sleeper's side
// (runtime/sched/sleep_protocol.hpp).
#pragma once

namespace weft::net::ringing {

// REQUIRES: the bytes have been stored by a sequentially consistent access. Returns whether there was a sleeper.
// `Operations`:
//   bool is_asleep();       sequentially consistent: either it sees the sleeper's announcement, or the sleeper's look,
//                           which follows that, sees the bytes
//   bool claim_sleeper();   one exchange: only one of several ringing threads has to wake the sleeper
//   void count_wakeup();    adds one to the word that the worker sleeps on
//   void wake_sleeper();    futex wake
template <typename Operations>
bool ring(Operations&& op) {
  if (!op.is_asleep() || !op.claim_sleeper()) {
    return false;
  }
  op.count_wakeup();
  op.wake_sleeper();
  return true;
}

}  // namespace weft::net::ringing
