#include "mpi_shim/coll/tuning/table_in_use.hpp"

#include <filesystem>
#include <stdexcept>

#include <fmt/format.h>

namespace weft::mpi_shim {
inline namespace coll {
namespace {

constexpr std::string_view kKey = "weft-collectives";

std::vector<MeasuredChoices> read_for(const char* option, const std::string& file) {
  try {
    return read_choices(file);
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(fmt::format("{}: {}", option, error.what()));
  }
}

std::vector<MeasuredChoices> shared_table(const std::string& file, bootstrap::Bootstrap* others) {
  if (others == nullptr) {
    return read_for("--collectives", file);
  }
  if (number(others->process()) == 0) {
    others->put(kKey, render_choices(read_for("--collectives", file)));
  }
  others->fence();
  return parse_choices(others->get(ProcessId{}, kKey));
}

}  // namespace

TableInUse::TableInUse(const std::string& file, std::uint32_t workers, bootstrap::Bootstrap* others) {
  if (!file.empty()) {
    table_.emplace(shared_table(file, others), workers, others == nullptr ? 1 : others->processes());
    choice_sources.table = &*table_;
    choices_are_built_in = false;
  }
}

TableInUse::~TableInUse() {
  choice_sources = {};
  choices_are_built_in = true;
}

std::vector<MeasuredChoices> known_choices(const std::string& file) {
  std::error_code error;
  if (std::filesystem::exists(file, error)) {
    return read_for("--tune", file);
  }
  try {
    write_choices(file, {});
  } catch (const std::runtime_error& problem) {
    throw std::runtime_error(fmt::format("--tune: {}", problem.what()));
  }
  return {};
}

}  // namespace coll
}  // namespace weft::mpi_shim
