#include "runtime/net/secret.hpp"

#include <bit>
#include <cstring>
#include <stdexcept>

#include "base/random.hpp"

namespace weft::net {
namespace {

// SipHash's state, section 2.1 of the paper.
class SipState {
 public:
  explicit SipState(const Secret& secret)
      : v0_(secret.words[0] ^ 0x736f6d6570736575),
        v1_(secret.words[1] ^ 0x646f72616e646f6d),
        v2_(secret.words[0] ^ 0x6c7967656e657261),
        v3_(secret.words[1] ^ 0x7465646279746573) {}

  void take(std::uint64_t word) {
    v3_ ^= word;
    rounds(2);
    v0_ ^= word;
  }

  std::uint64_t finish() {
    v2_ ^= 0xff;
    rounds(4);
    return v0_ ^ v1_ ^ v2_ ^ v3_;
  }

 private:
  void rounds(int count) {
    for (; count > 0; --count) {
      v0_ += v1_;
      v2_ += v3_;
      v1_ = std::rotl(v1_, 13) ^ v0_;
      v3_ = std::rotl(v3_, 16) ^ v2_;
      v0_ = std::rotl(v0_, 32);
      v2_ += v1_;
      v0_ += v3_;
      v1_ = std::rotl(v1_, 17) ^ v2_;
      v3_ = std::rotl(v3_, 21) ^ v0_;
      v2_ = std::rotl(v2_, 32);
    }
  }

  std::uint64_t v0_, v1_, v2_, v3_;
};

}  // namespace

std::string Secret::bytes() const { return {reinterpret_cast<const char*>(words.data()), sizeof words}; }

Secret Secret::from(std::string_view bytes) {
  Secret secret;
  if (bytes.size() != sizeof secret.words) {
    throw std::runtime_error("process 0 published no secret of this version of Weft");
  }
  std::memcpy(secret.words.data(), bytes.data(), bytes.size());
  return secret;
}

Secret new_secret() { return {{base::random_bits(), base::random_bits()}}; }

std::uint64_t keyed_hash(const Secret& secret, std::span<const std::uint64_t> message) {
  SipState state(secret);
  for (const std::uint64_t word : message) {
    state.take(word);
  }
  state.take(std::uint64_t{message.size_bytes() & 0xff} << 56);
  return state.finish();
}

}  // namespace weft::net
