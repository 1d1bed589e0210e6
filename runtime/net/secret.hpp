// The job's secret. Messages carry a code made with it, so that messages of other programs on the network are dropped.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace weft::net {

// 128 bits that only the processes of one job know. They never travel in a message.
struct Secret {
  std::array<std::uint64_t, 2> words{};

  std::string bytes() const;
  // Throws std::runtime_error on bytes that bytes() has not made.
  static Secret from(std::string_view bytes);
};

// Throws std::runtime_error where the system provides no random numbers.
Secret new_secret();

// SipHash-2-4 of the message's words: 64 bits that cannot be computed without the secret. Aumasson and Bernstein 2012.
std::uint64_t keyed_hash(const Secret& secret, std::span<const std::uint64_t> message);

}  // namespace weft::net
