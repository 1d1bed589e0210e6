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
  // Sets all pairs of `asked`; other keys keep their values. `asked` may be null.
  void merge(const Info* asked);
  void pup(pup::Puper& p) { p | pairs; }
};

// The info objects of one rank.
struct Infos final : RankPart {
  static constexpr RankPartId kRankPart = RankPartId::infos;
  HandleTable<Info, HandleKind::info> table;

  void pup(pup::Puper& p, RankState& me) override;
  void add_leaks(const Creations& creations, std::vector<Leak>& leaks) const override;
};

// Finds MPI_INFO_ENV and the rank's info objects; null for MPI_INFO_NULL and for invalid handles.
const Info* find_info(RankState& me, MPI_Info info);
// Creates a handle for a copy of `info`.
MPI_Info new_info(RankState& me, const Info& info);

}  // namespace info
}  // namespace weft::mpi_shim
