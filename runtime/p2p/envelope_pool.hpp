// Memory for envelopes: each worker's own free lists, no lock and no atomic in the common case.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "runtime/p2p/envelope.hpp"

namespace weft::runtime {
inline namespace p2p {

// Owned by one worker. An envelope that ends at another worker goes home in batches, so a one-way stream neither leaks
// from one pool to the other nor pays an atomic per message. The last one stays, for the message that comes next: its
// cache lines need not travel then, which makes a ping-pong between two cores a third faster. Those that go home tell
// of each other (PrefetchHints), so that their own worker fetches several lines at a time.
class EnvelopePool {
 public:
  EnvelopePool(std::uint32_t worker, std::uint32_t worker_count);
  ~EnvelopePool();
  EnvelopePool(const EnvelopePool&) = delete;
  EnvelopePool& operator=(const EnvelopePool&) = delete;

  // An envelope with room for this many bytes behind it.
  Envelope& take(std::size_t payload_bytes);
  // Ends an envelope that any worker's pool gave out. `pools[i]` is worker i's.
  void give(Envelope& envelope, EnvelopePool& home);

 private:
  static constexpr std::array<std::uint32_t, 6> kClassBytes{64, 256, 1024, 4096, 16384, 65536};
  static constexpr std::uint8_t kUnpooled = 255;
  static constexpr std::uint32_t kBatch = 32;

  struct Batch {
    PrefetchHints hints;
    Envelope* first = nullptr;
    Envelope* last = nullptr;
    std::uint32_t count = 0;
  };
  // The last envelope of another worker that ended here.
  struct KeptEnvelope {
    Envelope* envelope = nullptr;
    EnvelopePool* home = nullptr;
  };
  template <typename T>
  using PerClass = std::array<T, kClassBytes.size()>;  // by size class
  void keep(Envelope& envelope);
  void send_home(Envelope& envelope, EnvelopePool& home);

  std::uint32_t worker_;
  PerClass<Envelope*> free_{};
  PerClass<KeptEnvelope> kept_{};
  std::vector<PerClass<Batch>> going_home_;                  // by home worker
  alignas(64) PerClass<std::atomic<Envelope*>> returned_{};  // batches that other workers sent home
};

}  // namespace p2p
}  // namespace weft::runtime
