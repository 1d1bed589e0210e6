// Error classes, codes and their texts: those of the standard and those that a rank adds.
#pragma once

#include <string>
#include <vector>

#include "mpi.h"
#include "mpi_shim/state/rank_part.hpp"
#include "pup/pup.hpp"

namespace weft::mpi_shim {
inline namespace error {

// The classes and codes that one rank has added; added[i] has the number MPI_ERR_LASTCODE + 1 + i. Numbers are not
// reused.
struct ErrorCodes final : RankPart {
  static constexpr RankPartId kRankPart = RankPartId::error_codes;
  struct Added {
    int error_class = 0;  // of a class: its own number
    std::string text;
    bool removed = false;
    int codes = 0;  // of a class: codes that were added to it and not removed
    void pup(pup::Puper& p) { p | error_class | text | removed | codes; }
  };
  std::vector<Added> added;
  int last_used = MPI_ERR_LASTCODE;  // the value of the attribute MPI_LASTUSEDCODE

  // Null when `code` was not added or is removed.
  Added* find(int code);
  int add(int error_class);  // a code of this class, or for 0 a new class; returns its number
  void pup(pup::Puper& p, RankState& /*me*/) override { p | added | last_used; }
};

// The name of a class of the standard ("MPI_ERR_RANK"), null for other numbers.
const char* error_name(int error_class);
// The description of a class of the standard, null for other numbers.
const char* error_text(int error_class);

}  // namespace error
}  // namespace weft::mpi_shim
