// One process's part of a flush. It empties the channels between processes and this process's inboxes, so that no
// message is in flight to a rank that is packed.
//
//   state         event                                            next state    what it does
//   idle          start()                                          messages      sends the first marker to all
//   idle, messages        a first marker                           the same      counts it
//   messages      the first marker of every process has come       inboxes       fences the inboxes
//   messages, inboxes, answers   a second marker                   the same      counts it
//   inboxes       the inboxes are empty and no payload is read     answers       sends the second marker to all
//   answers       the second marker of every process has come      last_inboxes  fences the inboxes
//   last_inboxes  the inboxes are empty                            idle          flush_over()
//
// A marker is the last message that its sender sends: a process that has it has all earlier messages too. The second
// round is for answers to messages of the first round: the reader of a payload answers its sender.
#pragma once

#include <cstdint>

namespace weft::runtime {
inline namespace lbstep {

class Flush {
 public:
  enum class State : std::uint8_t { idle, messages, inboxes, answers, last_inboxes };

  // The actions that transitions call.
  class Actions {
   public:
    virtual ~Actions() = default;
    virtual void send_marker(bool second) = 0;  // to all processes, this one too
    virtual void fence_inboxes() = 0;           // on_inboxes_empty() once their present items have been delivered
    virtual bool reads_under_way() const = 0;   // of payloads of messages; on_reads_ended() when they are over
    virtual void flush_over() = 0;
  };

  Flush(std::uint32_t processes, Actions& actions) : processes_(processes), actions_(actions) {}

  void start();
  void on_marker(bool second);
  void on_inboxes_empty();
  void on_reads_ended();  // in any state: ranks receive messages at other times, too

  State state() const { return state_; }

 private:
  void advance();

  const std::uint32_t processes_;
  Actions& actions_;
  State state_ = State::idle;
  std::uint32_t first_markers_ = 0;  // of the present flush, or of the next
  std::uint32_t second_markers_ = 0;
  bool inboxes_empty_ = false;  // the present fence has passed
};

}  // namespace lbstep
}  // namespace weft::runtime
