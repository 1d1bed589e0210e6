// Relocates the images once, for a slot at address zero. The result is the template of every rank's copy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/image/layout.hpp"
#include "runtime/image/resolver.hpp"

namespace weft::image {

struct IndirectWord {  // the word at slot offset `word` is what the function at slot offset `resolver` returns, +
                       // addend
  std::uint64_t word, resolver;
  std::int64_t addend;
};

struct Template {
  struct Piece {  // the initialised bytes of one writable segment
    std::uint64_t slot_offset;
    std::vector<std::byte> bytes;
  };
  std::vector<Piece> pieces;
  std::vector<std::uint64_t> add_slot;  // ascending slot offsets of words to which the slot's address is added
  std::vector<IndirectWord> indirect;
};

// Throws LoadError for a relocation kind that cannot work, or for all undefined symbols in one message. TLS descriptors
// need ranks_stay_on_thread and the shim.
Template relocate(const std::vector<Image>& images, const Resolver& resolver, bool ranks_stay_on_thread);

}  // namespace weft::image
