// Message matching: the posted-receive queue and the unexpected queue of a rank, in the order that MPI requires and in
// constant time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "runtime/p2p/chains.hpp"
#include "runtime/p2p/envelope.hpp"

namespace weft::runtime {
inline namespace p2p {

// One rank's posted receives and unexpected messages. Owned by the rank's worker.
//
// A receive's pattern is one of four kinds, by which of source and tag are wildcards. One hash table has the receives
// by their pattern: an arriving message is looked up by the (at most four) patterns that could take it, and the oldest
// receive gets it. Unexpected messages are in one table per kind of pattern. The three for wildcards are built at the
// first lookup with such a pattern, so programs without wildcards do not pay for them.
class Mailbox {
 public:
  static constexpr std::size_t kKinds = 4;

  // The oldest posted receive that takes a message with this key, removed; null when there is none.
  Request* take_receive(const MatchKey& message);
  void post(Request& receive);
  void withdraw(Request& receive);  // REQUIRES: it is posted here
  // Posts a receive that was withdrawn from this or another mailbox, at its old place in the order.
  void post_again(Request& receive);

  void add(Envelope& message);
  // The oldest unexpected message that the pattern takes; null when there is none.
  Envelope* find(const MatchKey& pattern);
  void remove(Envelope& message);

  std::size_t posted() const { return posted_.size(); }
  template <typename Function>
  void for_each_posted(Function&& function) const {
    posted_.for_each(function);
  }
  std::size_t unexpected() const { return unexpected_[0].size(); }
  template <typename Function>
  void for_each_unexpected(Function&& function) const {
    unexpected_[0].for_each(function);
  }

 private:
  struct PostedChain {
    static Request*& next(Request& r) { return r.next; }
    static Request*& previous(Request& r) { return r.previous; }
    static std::uint64_t hash(const Request& r);
  };
  struct EnvelopeChain {
    std::size_t kind = 0;
    Envelope*& next(Envelope& e) const { return e.links[kind].next; }
    Envelope*& previous(Envelope& e) const { return e.links[kind].previous; }
    std::uint64_t hash(const Envelope& e) const;
  };

  void build(std::size_t kind);

  Chains<Request, PostedChain> posted_;
  std::array<std::uint32_t, kKinds> posted_of_kind_{};
  std::array<Chains<Envelope, EnvelopeChain>, kKinds> unexpected_{
      Chains<Envelope, EnvelopeChain>{{0}}, Chains<Envelope, EnvelopeChain>{{1}}, Chains<Envelope, EnvelopeChain>{{2}},
      Chains<Envelope, EnvelopeChain>{{3}}};
  std::array<bool, kKinds> built_{true, false, false, false};
  std::uint64_t next_sequence_ = 0;
};

}  // namespace p2p
}  // namespace weft::runtime
