// The table of --collectives: the fastest algorithm of each collective, by call form, size of the communicator and
// bytes.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mpi_shim/coll/choice.hpp"

namespace weft::mpi_shim {
inline namespace coll {

// The measurements on one communicator.
struct MeasuredChoices {
  struct Row {
    std::uint64_t bytes = 0;
    Algorithm algorithm = Algorithm::in_memory;
    std::vector<std::pair<Algorithm, double>> microseconds;  // of a call; written for readers of the file, else unused
  };

  CallForm form = CallForm::one_process;
  std::uint32_t ranks = 0;                      // members
  std::uint32_t workers = 0;                    // of the job
  std::uint32_t processes = 0;                  // of the job
  std::map<Collective, std::vector<Row>> rows;  // by ascending bytes

  bool same_place(const MeasuredChoices& other) const {
    return form == other.form && ranks == other.ranks && workers == other.workers && processes == other.processes;
  }
};

// Throws std::runtime_error with one line that says what is wrong and where in the text.
std::vector<MeasuredChoices> parse_choices(std::string_view text);
std::string render_choices(const std::vector<MeasuredChoices>& all);
// Reads such a table from a file. Throws std::runtime_error, which names the file.
std::vector<MeasuredChoices> read_choices(const std::string& file);
// Throws std::runtime_error. Replaces the file atomically: it has either the old contents or the new ones.
void write_choices(const std::string& file, const std::vector<MeasuredChoices>& all);

// The choices for a job with this many workers and processes. Constant after construction.
class ChoiceTable final : public ChoiceLookup {
 public:
  ChoiceTable(std::vector<MeasuredChoices> measured, std::uint32_t workers, std::uint32_t processes);

  // The algorithm that was fastest in the nearest measurement. Distances are ratios: 4 and 16 are equally near to 8.
  // First the nearest number of members is taken, then the nearest numbers of workers and processes, then the nearest
  // bytes. Nothing if the call was not measured there.
  std::optional<Algorithm> find(CallForm form, Collective call, std::uint32_t ranks,
                                std::uint64_t bytes) const override;

 private:
  struct Row {
    std::uint64_t most_bytes;  // the row is the nearest up to here
    Algorithm algorithm;
  };
  struct Column {
    std::uint64_t most_ranks;  // the column is the nearest up to here
    std::map<Collective, std::vector<Row>> rows;
  };
  static Column column_of(const MeasuredChoices& measured);

  std::array<std::vector<Column>, kCallForms> columns_;
};

}  // namespace coll
}  // namespace weft::mpi_shim
