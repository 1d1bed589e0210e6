// Memory for envelopes: each worker's own free lists, no lock and no atomic in the common case.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "runtime/p2p/envelope.hpp"

namespace weft::runtime {
inline namespace p2p {

// Owned by one worker, the home of the envelopes that it has allocated. Envelopes that end at another worker are
// returned in batches: so a one-way stream neither leaks from one pool to the other nor costs an atomic per message.
// The other worker keeps the last envelope and uses it for its own next message. The envelope's cache lines then need
// not travel, which makes a ping-pong between two cores a third faster. Returned envelopes have PrefetchHints, so that
// their own worker fetches several lines at a time.
class EnvelopePool {
 public:
  EnvelopePool(std::uint32_t worker, std::uint32_t worker_count);
  ~EnvelopePool();
  EnvelopePool(const EnvelopePool&) = delete;
  EnvelopePool& operator=(const EnvelopePool&) = delete;

  // An envelope with room for this many bytes behind it.
  Envelope& allocate(std::size_t payload_bytes);
  // Takes back an envelope that has ended here; `home` is the pool that has allocated it.
  void release(Envelope& envelope, EnvelopePool& home);

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
  // The last envelope from another worker's pool that ended here.
  struct KeptEnvelope {
    Envelope* envelope = nullptr;
    EnvelopePool* home = nullptr;
  };
  template <typename T>
  using PerClass = std::array<T, kClassBytes.size()>;  // by size class
  void put_into_free_list(Envelope& envelope);
  void send_home(Envelope& envelope, EnvelopePool& home);

  std::uint32_t worker_;
  PerClass<Envelope*> free_{};
  PerClass<KeptEnvelope> kept_{};
  std::vector<PerClass<Batch>> going_home_;                  // by home worker
  alignas(64) PerClass<std::atomic<Envelope*>> returned_{};  // batches that other workers have returned
};

}  // namespace p2p
}  // namespace weft::runtime
