#include "mpi_shim/coll/tuning/tuner.hpp"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "mpi_shim/coll/tuning/measurement.hpp"
#include "mpi_shim/state/state.hpp"

namespace weft::mpi_shim {
inline namespace coll {
namespace {

std::string bytes_text(std::uint64_t bytes) {
  return bytes % 1048576 == 0 ? fmt::format("{}M", bytes / 1048576)
         : bytes % 1024 == 0  ? fmt::format("{}K", bytes / 1024)
                              : fmt::format("{}", bytes);
}

// "in_memory to 512, in_memory_split to 1M".
std::string summary(const std::vector<MeasuredChoices::Row>& rows) {
  std::string text;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i + 1 == rows.size() || rows[i + 1].algorithm != rows[i].algorithm) {
      text += fmt::format("{}{} to {}", text.empty() ? "" : ", ", algorithm_name(rows[i].algorithm),
                          bytes_text(rows[i].bytes));
    }
  }
  return rows.size() == 1 ? std::string(algorithm_name(rows.front().algorithm)) : text;
}

std::string where(const MeasuredChoices& measured) {
  const char* const place = measured.form == CallForm::one_process         ? "in a process"
                            : measured.form == CallForm::several_processes ? "in several processes"
                                                                           : "with requests";
  return fmt::format("{} ranks {}", measured.ranks, place);
}

}  // namespace

Tuner::Tuner(TunerOptions options, std::uint32_t ranks) : options_(std::move(options)), probes_(ranks) {
  choice_sources = {nullptr, probes_};
  choices_are_built_in = false;
}

Tuner::~Tuner() {
  choice_sources = {};
  choices_are_built_in = true;
}

void Tuner::run(runtime::Rank& me) {
  PMPI_Init(nullptr, nullptr);
  const std::uint32_t processes = me.job.process_count();
  const std::uint32_t workers = std::min(me.job.total_workers(), me.job.rank_count());
  const bool reports = number(me.id) == 0;
  Measurement measurement(options_, probes_[number(me.id)]);
  const auto measure = [&](MPI_Comm comm, CallForm form) {
    MeasuredChoices measured;
    measured.form = form;
    measured.workers = workers;
    measured.processes = processes;
    int members = 0;
    PMPI_Comm_size(comm, &members);
    measured.ranks = static_cast<std::uint32_t>(members);
    for (const Collective call : tunable_collectives()) {
      auto rows = measurement.measure(comm, form, call);
      if (!reports || rows.empty()) {
        continue;
      }
      if (!options_.quiet) {
        std::fputs(fmt::format("weftrun: {}: {}: {}\n", where(measured), collective_name(call), summary(rows)).c_str(),
                   stderr);
      }
      measured.rows[call] = std::move(rows);
    }
    if (reports) {
      found_.push_back(std::move(measured));
    }
  };
  measure(MPI_COMM_WORLD, processes > 1 ? CallForm::several_processes : CallForm::one_process);
  measure(MPI_COMM_WORLD, CallForm::with_request);
  if (processes > 1) {
    MPI_Comm here = MPI_COMM_NULL;
    PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
    if (measurement.is_group(here)) {
      measure(here, CallForm::one_process);
    }
    PMPI_Comm_free(&here);
  }
  PMPI_Finalize();
}

std::vector<MeasuredChoices> merged(std::vector<MeasuredChoices> known, const std::vector<MeasuredChoices>& found) {
  std::erase_if(known, [&](const MeasuredChoices& old) {
    return std::ranges::any_of(found, [&](const MeasuredChoices& fresh) { return fresh.same_place(old); });
  });
  known.insert(known.end(), found.begin(), found.end());
  return known;
}

}  // namespace coll
}  // namespace weft::mpi_shim
