#include "mpi_shim/coll/tuning/choice_table.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/input_file.hpp"

namespace weft::mpi_shim {
inline namespace coll {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kVersionKey = "weft collectives";
constexpr int kVersion = 1;
constexpr std::uint64_t kMostNumber = std::uint64_t{1} << 40;

[[noreturn]] void complain(std::string_view where, const std::string& what) {
  throw std::runtime_error(where.empty() ? what : fmt::format("{}: {}", where, what));
}

// --- reading ---

const Json& member(const Json& object, std::string_view where, const char* key) {
  if (!object.is_object()) {
    complain(where, "expected an object");
  }
  const auto found = object.find(key);
  if (found == object.end()) {
    complain(where, fmt::format("there is no \"{}\"", key));
  }
  return *found;
}

std::uint64_t number(const Json& object, const std::string& where, const char* key, std::uint64_t least) {
  const Json& value = member(object, where, key);
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() < least || value.get<std::uint64_t>() > kMostNumber) {
    complain(where, fmt::format("\"{}\" is {}; expected a whole number from {} on", key, value.dump(), least));
  }
  return value.get<std::uint64_t>();
}

std::string word(const Json& object, const std::string& where, const char* key) {
  const Json& value = member(object, where, key);
  if (!value.is_string()) {
    complain(where, fmt::format("\"{}\" is {}; expected a name", key, value.dump()));
  }
  return value.get<std::string>();
}

std::string listed(Algorithms set) {
  std::string names;
  for (int i = 0; i < kAlgorithms; ++i) {
    if (const auto algorithm = static_cast<Algorithm>(i); contains(set, algorithm)) {
      names += fmt::format("{}{}", names.empty() ? "" : ", ", algorithm_name(algorithm));
    }
  }
  return names;
}

// Names of algorithms in older files, from before they had the names of the literature.
constexpr std::pair<std::string_view, Algorithm> kOldNames[] = {
    {"meeting", Algorithm::in_memory},    {"shared", Algorithm::in_memory_split},
    {"tree", Algorithm::binomial},        {"pieces", Algorithm::pipelined},
    {"straight", Algorithm::linear},      {"parts", Algorithm::reduce_scatter_allgather},
    {"appointment", Algorithm::deferred}, {"doubling", Algorithm::recursive_doubling}};

void refuse_old_name(const std::string& name, const std::string& where) {
  const auto* const old = std::ranges::find(kOldNames, name, &std::pair<std::string_view, Algorithm>::first);
  if (old != std::end(kOldNames)) {
    complain(where,
             fmt::format("'{}' is now called '{}': rename it there, or measure anew into another file with --tune",
                         name, algorithm_name(old->second)));
  }
}

MeasuredChoices::Row parse_row(const Json& json, const std::string& where, Collective call, CallForm form) {
  MeasuredChoices::Row row;
  row.bytes = number(json, where, "bytes", 0);
  const std::string name = word(json, where, "algorithm");
  refuse_old_name(name, where);
  const auto algorithm = algorithm_named(name);
  if (const Algorithms offered = algorithms_of(call, form); !algorithm || !contains(offered, *algorithm)) {
    complain(where, fmt::format("'{}' is no algorithm of {} there (there are {})", name, collective_name(call),
                                listed(offered)));
  }
  row.algorithm = *algorithm;
  if (const auto times = json.find("us"); times != json.end() && times->is_object()) {
    for (const auto& [key, value] : times->items()) {
      if (const auto timed = algorithm_named(key); timed && value.is_number()) {
        row.microseconds.emplace_back(*timed, value.get<double>());
      }
    }
  }
  return row;
}

void parse_rows(const Json& json, const std::string& where, MeasuredChoices& measured) {
  if (!json.is_object()) {
    complain(where, "expected an object");
  }
  for (const auto& [name, list] : json.items()) {
    const auto call = collective_named(name);
    if (!call) {
      complain(where, fmt::format("'{}' is no collective with a choice", name));
    }
    if (!list.is_array()) {
      complain(fmt::format("{}.{}", where, name), "expected a list");
    }
    auto& rows = measured.rows[*call];
    for (std::size_t i = 0; i < list.size(); ++i) {
      rows.push_back(parse_row(list[i], fmt::format("{}.{}[{}]", where, name, i), *call, measured.form));
    }
    std::ranges::sort(rows, {}, &MeasuredChoices::Row::bytes);
    const auto twice = std::ranges::adjacent_find(rows, {}, &MeasuredChoices::Row::bytes);
    if (twice != rows.end()) {
      complain(fmt::format("{}.{}", where, name), fmt::format("{} bytes are there twice", twice->bytes));
    }
  }
}

MeasuredChoices parse_measured(const Json& json, const std::string& where) {
  MeasuredChoices measured;
  const std::string name = word(json, where, "where");
  const auto form = call_form_named(name);
  if (!form) {
    complain(where, fmt::format("\"where\" is '{}'; expected process, processes or request", name));
  }
  measured.form = *form;
  measured.ranks = static_cast<std::uint32_t>(number(json, where, "ranks", 1));
  measured.workers = static_cast<std::uint32_t>(number(json, where, "workers", 1));
  measured.processes = static_cast<std::uint32_t>(number(json, where, "processes", 1));
  parse_rows(member(json, where, "collectives"), where + ".collectives", measured);
  return measured;
}

Json parse_json(std::string_view text) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    const std::string what = error.what();  // "[json.exception.parse_error.101] parse error at line …"
    const std::size_t tag = what.find("] ");
    std::string line = tag == std::string::npos ? what : what.substr(tag + 2);
    std::ranges::replace(line, '\n', ' ');
    throw std::runtime_error("it is not JSON: " + line);
  }
}

// --- writing ---

std::string render_row(const MeasuredChoices::Row& row) {
  Json json{{"bytes", row.bytes}, {"algorithm", algorithm_name(row.algorithm)}};
  for (const auto& [algorithm, us] : row.microseconds) {
    json["us"][std::string(algorithm_name(algorithm))] = std::round(us * 1000) / 1000;
  }
  return json.dump();
}

std::string render_measured(const MeasuredChoices& measured) {
  std::string text = fmt::format(R"(  {{"where": "{}", "ranks": {}, "workers": {}, "processes": {}, "collectives": {{)",
                                 call_form_name(measured.form), measured.ranks, measured.workers, measured.processes);
  const char* between = "\n";
  for (const auto& [call, rows] : measured.rows) {
    text += fmt::format("{}    \"{}\": [", between, collective_name(call));
    between = "\n      ";
    for (const MeasuredChoices::Row& row : rows) {
      text += between + render_row(row);
      between = ",\n      ";
    }
    text += "]";
    between = ",\n";
  }
  return text + "}}";
}

// --- looking up ---

// The largest number that is not nearer to b than to a, by ratio; a < b.
std::uint64_t middle(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint64_t>(
      std::sqrt(static_cast<double>(std::max<std::uint64_t>(a, 1)) * static_cast<double>(b)));
}

double distance(std::uint32_t a, std::uint32_t b) {
  return std::abs(std::log2(static_cast<double>(a)) - std::log2(static_cast<double>(b)));
}

}  // namespace

std::vector<MeasuredChoices> parse_choices(std::string_view text) {
  const Json json = parse_json(text);
  if (!json.is_object() || json.find(kVersionKey) == json.end()) {
    complain("", fmt::format("it is no table of --tune: there is no \"{}\"", kVersionKey));
  }
  if (json[kVersionKey] != kVersion) {
    complain("", fmt::format("it is a table of version {}, not {}; weftrun --tune writes a new one",
                             json[kVersionKey].dump(), kVersion));
  }
  const Json& list = member(json, "", "measured");
  if (!list.is_array()) {
    complain("measured", "expected a list");
  }
  std::vector<MeasuredChoices> all;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string where = fmt::format("measured[{}]", i);
    MeasuredChoices measured = parse_measured(list[i], where);
    if (std::ranges::any_of(all, [&](const MeasuredChoices& other) { return other.same_place(measured); })) {
      complain(where, "the same place is there twice");
    }
    all.push_back(std::move(measured));
  }
  return all;
}

std::string render_choices(const std::vector<MeasuredChoices>& all) {
  std::string text = fmt::format("{{\"{}\": {},\n \"measured\": [", kVersionKey, kVersion);
  const char* between = "\n";
  for (const MeasuredChoices& measured : all) {
    text += between + render_measured(measured);
    between = ",\n";
  }
  return text + "]}\n";
}

std::vector<MeasuredChoices> read_choices(const std::string& file) {
  constexpr std::uintmax_t kMostBytes = std::uintmax_t{64} << 20;
  if (const std::string why = base::why_unreadable(file); !why.empty()) {
    throw std::runtime_error(why);
  }
  if (const std::uintmax_t bytes = std::filesystem::file_size(file); bytes > kMostBytes) {
    throw std::runtime_error(
        fmt::format("{}: has {} bytes; expected a table of --tune, which has at most {}", file, bytes, kMostBytes));
  }
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  try {
    return parse_choices(text.str());
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(file + ": " + error.what());
  }
}

void write_choices(const std::string& file, const std::vector<MeasuredChoices>& all) {
  const std::string fresh = file + ".new";
  std::ofstream out(fresh);
  std::error_code error;
  const bool is_whole = static_cast<bool>(out << render_choices(all) << std::flush);
  const int problem = errno;
  if (is_whole) {
    std::filesystem::rename(fresh, file, error);
  }
  if (!is_whole || error) {
    throw std::runtime_error(file + ": cannot be written: " + (error ? error.message() : std::strerror(problem)));
  }
}

ChoiceTable::Column ChoiceTable::column_of(const MeasuredChoices& measured) {
  Column column{measured.ranks, {}};
  for (const auto& [call, rows] : measured.rows) {
    auto& its = column.rows[call];
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const bool last = i + 1 == rows.size();
      its.push_back({last ? std::numeric_limits<std::uint64_t>::max() : middle(rows[i].bytes, rows[i + 1].bytes),
                     rows[i].algorithm});
    }
  }
  return column;
}

ChoiceTable::ChoiceTable(std::vector<MeasuredChoices> measured, std::uint32_t workers, std::uint32_t processes) {
  const auto order = [&](const MeasuredChoices& one) {
    return std::tuple(one.form, one.ranks, distance(one.workers, workers) + distance(one.processes, processes));
  };
  std::ranges::stable_sort(measured, {}, order);
  // Of those with the same number of members the first has the nearest numbers of workers and processes: keep only
  // that.
  const auto [first, last] = std::ranges::unique(
      measured, [](const auto& a, const auto& b) { return a.form == b.form && a.ranks == b.ranks; });
  measured.erase(first, last);
  for (const MeasuredChoices& one : measured) {
    auto& columns = columns_[static_cast<std::size_t>(one.form)];
    if (!columns.empty()) {
      columns.back().most_ranks = middle(columns.back().most_ranks, one.ranks);
    }
    columns.push_back(column_of(one));
  }
  for (auto& columns : columns_) {
    if (!columns.empty()) {
      columns.back().most_ranks = std::numeric_limits<std::uint64_t>::max();
    }
  }
}

std::optional<Algorithm> ChoiceTable::find(CallForm form, Collective call, std::uint32_t ranks,
                                           std::uint64_t bytes) const {
  const auto& columns = columns_[static_cast<std::size_t>(form)];
  const auto column = std::ranges::lower_bound(columns, ranks, {}, &Column::most_ranks);
  if (column == columns.end()) {
    return std::nullopt;
  }
  const auto rows = column->rows.find(call);
  if (rows == column->rows.end() || rows->second.empty()) {
    return std::nullopt;
  }
  return std::ranges::lower_bound(rows->second, bytes, {}, &Row::most_bytes)->algorithm;
}

}  // namespace coll
}  // namespace weft::mpi_shim
