// Error classes, codes and their texts: those of the standard and those that a rank adds.
#pragma once

#include <string>
#include <vector>

#include "mpi.h"
#include "mpi_shim/state/rank_part.hpp"
#include "pup/pup.hpp"

namespace weft::mpi_shim {
inline namespace error {

// What one rank has added; entry i is number MPI_ERR_LASTCODE + 1 + i. Numbers are not used again.
struct ErrorCodes final : RankPart {
  static constexpr RankPartId kRankPart = RankPartId::error_codes;
  struct Added {
    int error_class = 0;  // itself for a class
    std::string text;
    bool removed = false;
    int codes = 0;  // of a class: codes that were added to it and not removed
    void pup(pup::Puper& p) { p | error_class | text | removed | codes; }
  };
  std::vector<Added> added;
  int last_used = MPI_ERR_LASTCODE;  // what MPI_LASTUSEDCODE points to

  // Null when `code` was not added or is removed.
  Added* find(int code);
  int add(int error_class);  // 0: a new class; the new number
  void pup(pup::Puper& p, RankState& /*me*/) override { p | added | last_used; }
};

// The name of a class of the standard ("MPI_ERR_RANK"), null for other numbers.
const char* error_name(int error_class);
// Its sentence, null for other numbers.
const char* error_text(int error_class);

}  // namespace error
}  // namespace weft::mpi_shim
