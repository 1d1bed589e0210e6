#include "iterations/claims.hpp"

#include <array>

#include "iterations/message.hpp"

namespace weft::iterations {

std::vector<std::int64_t> pack(const Claim& claim) {
  std::vector<std::int64_t> words;
  append(words, std::array{&claim.credited, &claim.batch, &claim.open});
  return words;
}

bool unpack(std::span<const std::int64_t> words, Claim& claim) {
  claim = {};
  return take(words, std::array{&claim.credited, &claim.batch, &claim.open});
}

Verdict decide(std::span<const Claim> claims) {
  Verdict verdict;
  for (const Claim& claim : claims) {
    verdict.done.add(claim.credited);
  }
  for (const Claim& claim : claims) {
    verdict.batch_counts.push_back(verdict.done.add(claim.batch));
  }
  for (const Claim& claim : claims) {
    verdict.open_counts.push_back(verdict.done.add(claim.open));
  }
  return verdict;
}

}  // namespace weft::iterations
