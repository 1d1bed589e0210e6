// Combines several transports into one: each peer is reached by one of them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/net/transport.hpp"

namespace weft::net {

// To start: construct the router, then the transports with sink_for_transport() as their sink; add() them, then route()
// each peer. Only then call anything else.
class Router final : public Transport {
 public:
  // `sink` outlives it.
  explicit Router(Sink& sink) : serializing_sink_(sink) {}
  // Destroys the transports, the last one first. A transport with a thread of its own may call the sink until then, and
  // so send() and doorbell(): add it last.
  ~Router() override;

  // The sink for one transport; call it once for each. Passes messages to the router's own sink one at a time.
  Sink& sink_for_transport() { return serializing_sink_.add_transport(); }
  // Returns the transport's number. A transport that is expensive to poll is polled only when this many ticks of the
  // time stamp counter have passed since the last poll by any thread.
  std::size_t add(std::unique_ptr<Transport> transport, std::uint64_t ticks_between_polls = 0);
  void route(ProcessId peer, std::size_t transport);

  std::size_t longest_message() const override;  // the transports' shortest
  void send(ProcessId to, std::span<const std::byte> head, std::span<const std::byte> body) override {
    transport_to(to).send(to, head, body);
  }
  void read(Read& read) override { transport_to(read.from).read(read); }
  bool poll() override;
  bool help() override;
  // The doorbell of the one transport that has doorbells. The other transports' threads wake a sleeping worker by what
  // they pass to the sink.
  Doorbell* doorbell(std::uint32_t worker) override;
  bool may_sleep() override;
  bool writes_are_seen() const override;
  bool is_drained() const override;

 private:
  class SerializingSink final : public Sink {
   public:
    explicit SerializingSink(Sink& sink) : sink_(sink) {}
    void arrived(ProcessId from, std::span<const std::byte> message) override;
    SerializingSink& add_transport() {
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

  SerializingSink serializing_sink_;
  // Constant once started.
  std::vector<std::unique_ptr<Routed>> transports_;
  std::vector<Transport*> by_peer_;
  Transport* doorbells_ = nullptr;  // the transport that has them
};

}  // namespace weft::net
