// The table of --collectives: which algorithm was fastest for which collective call, at which size and where.
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

// What was measured on one communicator.
struct MeasuredChoices {
  struct Row {
    std::uint64_t bytes = 0;
    Algorithm algorithm = Algorithm::in_memory;
    std::vector<std::pair<Algorithm, double>> microseconds;  // of a call; for readers only
  };

  Site site = Site::process;
  std::uint32_t ranks = 0;                      // members
  std::uint32_t workers = 0;                    // of the job
  std::uint32_t processes = 0;                  // of the job
  std::map<Collective, std::vector<Row>> rows;  // by ascending bytes

  bool same_place(const MeasuredChoices& other) const {
    return site == other.site && ranks == other.ranks && workers == other.workers && processes == other.processes;
  }
};

// Throws std::runtime_error: one line that says where in the text what is wrong.
std::vector<MeasuredChoices> parse_choices(std::string_view text);
std::string render_choices(const std::vector<MeasuredChoices>& all);
// The contents of a file that holds such a table; throws std::runtime_error, which names it.
std::vector<MeasuredChoices> read_choices(const std::string& file);
// Throws std::runtime_error. The file has the old contents or the new ones, whatever happens.
void write_choices(const std::string& file, const std::vector<MeasuredChoices>& all);

// Constant after construction; for a job of this shape.
class ChoiceTable final : public ChoiceLookup {
 public:
  ChoiceTable(std::vector<MeasuredChoices> measured, std::uint32_t workers, std::uint32_t processes);

  // What was fastest at the nearest number of members that was measured, there in the nearest shape of the job, there
  // at the nearest size: near is what has the smaller ratio. Nothing where the call was not measured.
  std::optional<Algorithm> find(Site site, Collective call, std::uint32_t ranks, std::uint64_t bytes) const override;

 private:
  struct Row {
    std::uint64_t most_bytes;  // that it is the nearest to
    Algorithm algorithm;
  };
  struct Column {
    std::uint64_t most_ranks;
    std::map<Collective, std::vector<Row>> rows;
  };
  static Column column_of(const MeasuredChoices& measured);

  std::array<std::vector<Column>, kSites> columns_;
};

}  // namespace coll
}  // namespace weft::mpi_shim
