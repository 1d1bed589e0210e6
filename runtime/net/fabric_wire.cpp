#include "runtime/net/fabric_wire.hpp"

#include <array>
#include <charconv>
#include <stdexcept>

namespace weft::net {
namespace {

constexpr std::string_view kMagic = "weft-fabric-2";

// The bytes up to the next space, which is left out; takes both off `rest`.
std::string_view next_word(std::string_view& rest) {
  const std::size_t end = rest.find(' ');
  if (end == std::string_view::npos) {
    throw std::runtime_error("a process published no libfabric address of this version of Weft");
  }
  const std::string_view word = rest.substr(0, end);
  rest.remove_prefix(end + 1);
  return word;
}

}  // namespace

std::uint64_t auth_code_of(const Secret& secret, const FabricHead& head, std::uint32_t to, std::size_t bytes) {
  const std::array<std::uint64_t, 3> words{std::uint64_t{head.from} << 32 | to,
                                           std::uint64_t{bytes} << 32 | static_cast<std::uint32_t>(head.kind),
                                           head.sequence};
  return keyed_hash(secret, words);
}

std::string FabricAddress::bytes() const {
  std::array<char, 17> hex{};
  const auto end = std::to_chars(hex.data(), hex.data() + hex.size(), key, 16).ptr;
  std::string text(kMagic);
  text.append(" ").append(provider).append(readable ? " rma " : " messages ").append(hex.data(), end);
  return text.append(" ").append(name);
}

FabricAddress FabricAddress::from(std::string_view bytes) {
  if (next_word(bytes) != kMagic) {
    throw std::runtime_error("a process published no libfabric address of this version of Weft");
  }
  FabricAddress address;
  address.provider = next_word(bytes);
  address.readable = next_word(bytes) == "rma";
  const std::string_view key = next_word(bytes);
  std::from_chars(key.data(), key.data() + key.size(), address.key, 16);
  address.name = bytes;
  return address;
}

}  // namespace weft::net
