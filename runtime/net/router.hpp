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

// To start: construct, construct the transports with sink_for_transport() as their sink, add() them, route() each peer,
// and only then call anything else.
class Router final : public Transport {
 public:
  // `sink` outlives it.
  explicit Router(Sink& sink) : one_at_a_time_(sink) {}
  // Ends the transports, the last one first. One that has a thread of its own, which may call the sink until then, and
  // so send() and bell(), is to be added last.
  ~Router() override;

  // The sink for the transports, to be asked for once for each: lets one of them through to the router's own at a time.
  Sink& sink_for_transport() { return one_at_a_time_.for_one_more(); }
  // Returns the transport's number. A transport whose poll costs much is polled only when so many ticks of the time
  // stamp counter have gone by since any thread has polled it.
  std::size_t add(std::unique_ptr<Transport> transport, std::uint64_t ticks_between_polls = 0);
  void route(ProcessId peer, std::size_t transport);

  std::size_t longest_message() const override;  // the transports' shortest
  void send(ProcessId to, std::span<const std::byte> head, std::span<const std::byte> body) override {
    transport_to(to).send(to, head, body);
  }
  void read(Read& read) override { transport_to(read.from).read(read); }
  bool poll() override;
  bool help() override;
  // The bell of the one transport that has bells. A worker that may sleep is woken by the threads of the others, by
  // what these hand to the sink.
  Bell* bell(std::uint32_t worker) override;
  bool idle() override;
  bool writes_are_seen() const override;
  bool drained() const override;

 private:
  class OneAtATime final : public Sink {
   public:
    explicit OneAtATime(Sink& sink) : sink_(sink) {}
    void arrived(ProcessId from, std::span<const std::byte> message) override;
    OneAtATime& for_one_more() {
      several_ = ++transports_ > 1;
      return *this;
    }

   private:
    Sink& sink_;
    std::mutex mutex_;
    std::uint32_t transports_ = 0;
    std::atomic<bool> several_ = false;  // a single transport needs no lock
  };

  struct Routed {
    std::unique_ptr<Transport> transport;
    std::uint64_t ticks_between_polls = 0;
    std::atomic<std::uint64_t> polled_at = 0;
  };

  Transport& transport_to(ProcessId peer) const;
  static bool poll(Routed& routed);

  OneAtATime one_at_a_time_;
  // Constant once started.
  std::vector<std::unique_ptr<Routed>> transports_;
  std::vector<Transport*> by_peer_;
  Transport* bells_ = nullptr;  // the transport that has them
};

}  // namespace weft::net
