// What one module of the MPI layer keeps for each rank: a part of the rank's state.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "mpi_shim/state/leak.hpp"
#include "pup/pup.hpp"

namespace weft::mpi_shim {
inline namespace state {

struct RankState;

// Each module's part has a constant index, so that finding it is one load. Parts are packed in this order.
enum class RankPartId : std::uint8_t {
  errhandlers,
  infos,
  matched_messages,
  keyvals,
  error_codes,
  files,
  migration,
  windows,
  sessions,
  ports,
  tool,
  send_buffers,  // after the sessions, some of whose buffers it packs
  thread_support
};
inline constexpr std::size_t kRankParts = static_cast<std::size_t>(RankPartId::thread_support) + 1;

// The base of the parts. Owned by the rank's state, touched only on the rank's fibre and by calls of its threads.
class RankPart {
 public:
  RankPart() = default;
  virtual ~RankPart() = default;
  RankPart(const RankPart&) = delete;
  RankPart& operator=(const RankPart&) = delete;

  // Packs the part when the rank moves to another process, and unpacks it there into a new part. The fields of
  // RankState, among them communicators, datatypes and requests, are packed and unpacked before the parts.
  virtual void pup(pup::Puper& p, RankState& me) = 0;
  // The reason why the rank cannot be packed now, or null.
  virtual const char* pinned(const RankState& /*me*/) const { return nullptr; }
  // See runtime::UpperLayer::roll_back().
  virtual std::string roll_back(RankState& /*me*/, bool /*cut*/) const { return {}; }
  // At the rank's end, with --check: appends the objects that the program has not freed.
  virtual void add_leaks(const Creations& /*creations*/, std::vector<Leak>& /*leaks*/) const {}
};

using RankParts = std::array<std::unique_ptr<RankPart>, kRankParts>;

// The factory of each part, by RankPartId.
using RankPartTable = std::array<std::unique_ptr<RankPart> (*)(), kRankParts>;

// The factories of these types; each type has its RankPartId as kRankPart.
template <typename... Parts>
consteval RankPartTable rank_part_table() {
  static_assert(sizeof...(Parts) == kRankParts, "each part of RankPartId has one type");
  RankPartTable table{};
  ((table[static_cast<std::size_t>(Parts::kRankPart)] = []() -> std::unique_ptr<RankPart> {
     return std::make_unique<Parts>();
   }),
   ...);
  return table;
}

}  // namespace state
}  // namespace weft::mpi_shim
