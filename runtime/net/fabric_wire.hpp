// The wire format of FabricTransport: an endpoint's address, and the head of every message.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/net/secret.hpp"

namespace weft::net {

// What a process publishes so that others can reach its endpoint.
struct FabricAddress {
  std::string provider;
  bool readable = false;  // by RMA, at remote address = address, under `key`; else by messages
  std::uint64_t key = 0;
  std::string name;  // the endpoint's, as the provider writes it

  std::string bytes() const;
  // Throws std::runtime_error on bytes that bytes() has not made.
  static FabricAddress from(std::string_view bytes);
};

enum class FabricKind : std::uint32_t { message, read_request, read_reply };

// Precedes every message. Providers complete messages in any order, so each one carries its sequence number.
struct FabricHead {
  std::uint32_t from;
  FabricKind kind;
  std::uint64_t sequence;
  std::uint64_t auth_code;  // shows that the sender knows the job's secret
};

// The authentication code of a message of `bytes` bytes, its head included, to process `to`. It is valid for this
// receiver, sequence number, length and kind only. It does not cover what follows the head.
std::uint64_t auth_code_of(const Secret& secret, const FabricHead& head, std::uint32_t to, std::size_t bytes);

// The body of a read_request. One read_reply answers it: `piece`, then the bytes.
struct FabricReadRequest {
  std::uint64_t piece;  // chosen by the requesting process
  std::uint64_t address;
  std::uint64_t bytes;
};

}  // namespace weft::net
