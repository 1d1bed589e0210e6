// How one thread stops others for a while, each wherever a signal finds it. Only the protocol: HeldThreads calls these
// functions with real atomics and futexes, and tests/launch/hold_protocol_test.cpp explores the same ones over all
// interleavings of a small model.
//
// All is in one word: the number of the hold, whether it still takes threads, and how many it has taken. A thread that
// a signal reaches too late, when the hold no longer takes any or is over, goes on at once and is not counted. One
// that is counted goes on only when the number has changed: another hold may have begun before it looks.
#pragma once

#include <cstdint>

namespace weft::launch::holding {

using Word = std::uint32_t;
inline constexpr Word kTaken = 0xffff;     // bits of the count
inline constexpr Word kIsOpen = 0x10000;   // the bit
inline constexpr Word kOneHold = 0x20000;  // added to the number
inline constexpr Word kNumber = ~(kTaken | kIsOpen);

// `Operations` of a thread that a signal has interrupted:
//   Word word();                     acquire: pairs with open()
//   bool claim(Word& seen);          one more taken if the word is still `seen`; else `seen` is what it is
//   bool has_place(Word seen);       for one more
//   void describe(Word place);       writes down where the thread is
//   void announce(Word place);       release: pairs with wait_for(place)
//   void wait(Word seen);            futex wait while the word is `seen`
// of who holds:
//   void open();                     the bit is set, none is taken; release: pairs with word()
//   void ask();                      sends the signals
//   bool waits_for_more();           whether some that were asked are not there yet, and may come in time
//   Word close();                    takes the bit away; the word before
//   void wait_for(Word place);       until that thread has announced itself; acquire
//   void end();                      the next number, none taken; release: pairs with word()
//   void wake();                     futex wake of all

// In the handler of the signal.
template <typename Operations>
void stay(Operations&& op) {
  Word seen = op.word();
  do {
    if ((seen & kIsOpen) == 0 || !op.has_place(seen)) {
      return;
    }
  } while (!op.claim(seen));
  const Word place = seen & kTaken;
  op.describe(place);
  op.announce(place);
  for (Word now = op.word(); (now & kNumber) == (seen & kNumber); now = op.word()) {
    op.wait(now);
  }
}

// Stops as many as come in time; how many. What they have written down is visible, and they touch nothing until
// release().
template <typename Operations>
Word hold(Operations&& op) {
  op.open();
  op.ask();
  while (op.waits_for_more()) {
  }
  const Word taken = op.close() & kTaken;
  for (Word place = 0; place < taken; ++place) {
    op.wait_for(place);
  }
  return taken;
}

template <typename Operations>
void release(Operations&& op) {
  op.end();
  op.wake();
}

}  // namespace weft::launch::holding
