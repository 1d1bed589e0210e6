// The protocol by which one thread stops others for a while, each wherever a signal finds it. HeldThreads calls these
// functions with real atomics and futexes; tests/launch/hold_protocol_test.cpp explores the same functions over all
// interleavings of a small model.
//
// The state is one word: the generation of the hold, whether the hold still takes threads, and how many it has taken.
// A signal may reach a thread too late, when the hold takes no more threads or is over: that thread continues at once
// and is not counted. A counted thread continues only when the generation has changed, since another hold may have
// begun before the thread looks at the word again.
#pragma once

#include <cstdint>

namespace weft::launch::holding {

using Word = std::uint32_t;
inline constexpr Word kCountMask = 0xffff;       // the count of taken threads
inline constexpr Word kOpenBit = 0x10000;        // set while the hold takes threads
inline constexpr Word kOneGeneration = 0x20000;  // added for the next generation
inline constexpr Word kGenerationMask = ~(kCountMask | kOpenBit);

// `Operations` of a thread that a signal has interrupted:
//   Word word();                     acquire: pairs with open()
//   bool claim(Word& seen);          adds one to the count if the word is still `seen`; else updates `seen`
//   bool has_slot(Word seen);        whether there is a slot for one more thread
//   void describe(Word slot);        writes down where the thread is
//   void announce(Word slot);        release: pairs with wait_for(slot)
//   void wait(Word seen);            futex wait while the word is `seen`
// Operations of the holder, the thread that stops the others:
//   void open();                     sets kOpenBit; the count is 0; release: pairs with word()
//   void send_signals();
//   bool waits_for_more();           whether signalled threads are missing that may still come in time
//   Word close();                    clears kOpenBit; returns the word before
//   void wait_for(Word slot);        until the thread in that slot has announced itself; acquire
//   void end();                      next generation, count 0; release: pairs with word()
//   void wake();                     futex wake of all

// Runs in the handler of the signal.
template <typename Operations>
void wait_until_released(Operations&& op) {
  Word seen = op.word();
  do {
    if ((seen & kOpenBit) == 0 || !op.has_slot(seen)) {
      return;
    }
  } while (!op.claim(seen));
  const Word slot = seen & kCountMask;
  op.describe(slot);
  op.announce(slot);
  for (Word now = op.word(); (now & kGenerationMask) == (seen & kGenerationMask); now = op.word()) {
    op.wait(now);
  }
}

// Stops the threads that come in time, and returns how many. What they have written down is then visible, and they
// touch nothing until release().
template <typename Operations>
Word hold(Operations&& op) {
  op.open();
  op.send_signals();
  while (op.waits_for_more()) {
  }
  const Word taken = op.close() & kCountMask;
  for (Word slot = 0; slot < taken; ++slot) {
    op.wait_for(slot);
  }
  return taken;
}

template <typename Operations>
void release(Operations&& op) {
  op.end();
  op.wake();
}

}  // namespace weft::launch::holding
