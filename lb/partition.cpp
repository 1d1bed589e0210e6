#include "lb/partition.hpp"

#include <array>
#include <mutex>
#include <stdexcept>
#include <string>

#include <metis.h>

namespace weft::lb {
namespace {

static_assert(sizeof(idx_t) == sizeof(std::int32_t) && sizeof(real_t) == sizeof(float));

// By METIS's manual recursive bisection has the smaller cut up to this number of parts, k-way partitioning above.
constexpr std::size_t kFewParts = 8;

// METIS's functions take non-const pointers also for input that they do not change.
template <typename T>
T* unconst(std::span<const T> values) {
  return const_cast<T*>(values.data());
}

}  // namespace

std::vector<std::uint32_t> partition(const Graph& graph, std::span<const float> shares, float tolerance) {
  std::array<idx_t, METIS_NOPTIONS> options{};
  METIS_SetDefaultOptions(options.data());
  options[METIS_OPTION_SEED] = 1;
  options[METIS_OPTION_NUMBERING] = 0;
  auto vertices = static_cast<idx_t>(graph.work.size());
  auto parts = static_cast<idx_t>(shares.size());
  idx_t constraints = 1;
  idx_t cut = 0;
  std::vector<idx_t> result(graph.work.size());
  auto* const divide = shares.size() <= kFewParts ? &METIS_PartGraphRecursive : &METIS_PartGraphKway;
  // METIS draws from the C library's rand(), whose state all threads share: without the lock the plans of two threads
  // that simulate at the same time would depend on each other.
  static std::mutex rand_in_use;
  const std::lock_guard lock(rand_in_use);
  const int code = divide(&vertices, &constraints, unconst<idx_t>(graph.first), unconst<idx_t>(graph.neighbours),
                          unconst<idx_t>(graph.work), nullptr, unconst<idx_t>(graph.weights), &parts,
                          unconst<real_t>(shares), &tolerance, options.data(), &cut, result.data());
  if (code != METIS_OK) {
    throw std::runtime_error("METIS ended with code " + std::to_string(code));
  }
  return {result.begin(), result.end()};
}

}  // namespace weft::lb
