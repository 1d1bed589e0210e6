// One transport made of several: each peer is reached by one of them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/net/transport.hpp"

namespace weft::net {

// To start: construct, construct the parts with gate() as their sink, add() them, route() each peer, and only then call
// anything else.
class Router final : public Transport {
 public:
  // `sink` outlives it.
  explicit Router(Sink& sink) : gate_(sink) {}
  // Ends the parts, the last one first: one that has a thread of its own, which may call the sink until then, and so
  // send() and bell(), is to be added last.
  ~Router() override;

  // The sink for the parts, to be asked for once for each: lets one of them through to the router's own at a time.
  Sink& gate() { return gate_.for_one_more(); }
  // Returns the part's number. A part whose poll costs much is polled only when so many ticks of the time stamp counter
  // have gone by since any thread has polled it.
  std::size_t add(std::unique_ptr<Transport> part, std::uint64_t ticks_between_polls = 0);
  void route(ProcessId peer, std::size_t part);

  std::size_t longest_message() const override;  // the parts' shortest
  void send(ProcessId to, std::span<const std::byte> head, std::span<const std::byte> body) override {
    part_of(to).send(to, head, body);
  }
  void read(Read& read) override { part_of(read.from).read(read); }
  bool poll() override;
  bool help() override;
  // The bell of the one part that has bells. A worker that may sleep is woken by the others' own threads, by what these
  // hand to the sink.
  Bell* bell(std::uint32_t worker) override;
  bool idle() override;
  bool drained() const override;

 private:
  class Gate final : public Sink {
   public:
    explicit Gate(Sink& sink) : sink_(sink) {}
    void arrived(ProcessId from, std::span<const std::byte> message) override;
    Gate& for_one_more() {
      several_ = ++parts_ > 1;
      return *this;
    }

   private:
    Sink& sink_;
    std::mutex mutex_;
    std::uint32_t parts_ = 0;
    std::atomic<bool> several_ = false;  // a single part needs no lock
  };

  struct Part {
    std::unique_ptr<Transport> transport;
    std::uint64_t ticks_between_polls = 0;
    std::atomic<std::uint64_t> polled_at = 0;
  };

  Transport& part_of(ProcessId peer) const;
  static bool poll(Part& part);

  Gate gate_;
  // Constant once started.
  std::vector<std::unique_ptr<Part>> parts_;
  std::vector<Transport*> by_peer_;
  Transport* bells_ = nullptr;  // the part that has them
};

}  // namespace weft::net
