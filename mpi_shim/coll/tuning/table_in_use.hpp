// The table of algorithms that this job uses (--collectives).
#pragma once

#include <optional>
#include <string>

#include "mpi_shim/coll/tuning/choice_table.hpp"
#include "runtime/bootstrap/bootstrap.hpp"

namespace weft::mpi_shim {
inline namespace coll {

// While this object lives, the process's collective calls choose by a table. Process 0 reads the file and sends it to
// the others, so that they need not see the file and all choose the same.
class TableInUse {
 public:
  // Collective over the job's processes. `workers` counts those of all processes; `others` is null in a job of one
  // process. An empty `file`: no table. Throws std::runtime_error.
  TableInUse(const std::string& file, std::uint32_t workers, bootstrap::Bootstrap* others);
  ~TableInUse();
  TableInUse(const TableInUse&) = delete;
  TableInUse& operator=(const TableInUse&) = delete;

 private:
  std::optional<ChoiceTable> table_;
};

// The contents of the file of --tune. Creates an empty table if there is no file, so that an unwritable path is
// reported before the job measures anything. Throws std::runtime_error.
std::vector<MeasuredChoices> known_choices(const std::string& file);

}  // namespace coll
}  // namespace weft::mpi_shim
