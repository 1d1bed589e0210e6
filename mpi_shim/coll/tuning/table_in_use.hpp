// The table of algorithms that this job uses (--collectives).
#pragma once

#include <optional>
#include <string>

#include "mpi_shim/coll/tuning/choice_table.hpp"
#include "runtime/bootstrap/bootstrap.hpp"

namespace weft::mpi_shim {
inline namespace coll {

// As long as this lives, the process's collective calls go by a table. By all processes of the job, if there are more:
// the file is read by process 0, so the others need not see it, and all choose alike.
class TableInUse {
 public:
  // `workers` are those of all processes; `others` is null for a job of one process. Without a file, nothing happens.
  // Throws std::runtime_error.
  TableInUse(const std::string& file, std::uint32_t workers, bootstrap::Bootstrap* others);
  ~TableInUse();
  TableInUse(const TableInUse&) = delete;
  TableInUse& operator=(const TableInUse&) = delete;

 private:
  std::optional<ChoiceTable> table_;
};

// What the file of --tune has so far. Makes an empty one where there is none, so that a file that cannot be written is
// known before the job has measured. Throws std::runtime_error.
std::vector<MeasuredChoices> known_choices(const std::string& file);

}  // namespace coll
}  // namespace weft::mpi_shim
