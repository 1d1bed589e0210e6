// Info objects: ordered pairs of strings.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mpi.h"
#include "mpi_shim/state/handles.hpp"
#include "mpi_shim/state/rank_part.hpp"
#include "pup/pup.hpp"

namespace weft::mpi_shim {
inline namespace state {
struct RankState;
}  // namespace state

inline namespace info {

struct Info {
  std::vector<std::pair<std::string, std::string>> pairs;  // in the order in which keys were first set

  const std::string* find(std::string_view key) const;
  void set(std::string_view key, std::string_view value);
  void pup(pup::Puper& p) { p | pairs; }
};

// Those of one rank.
struct Infos final : RankPart {
  static constexpr RankPartId kRankPart = RankPartId::infos;
  HandleTable<Info, Kind::info> table;

  void pup(pup::Puper& p, RankState& me) override;
  void add_leaks(const Creations& creations, std::vector<Leak>& leaks) const override;
};

// MPI_INFO_ENV and handles of the rank; null for MPI_INFO_NULL and whatever is not an info object.
const Info* find_info(RankState& me, MPI_Info info);
// A new handle for a copy.
MPI_Info new_info(RankState& me, const Info& info);

}  // namespace info
}  // namespace weft::mpi_shim
