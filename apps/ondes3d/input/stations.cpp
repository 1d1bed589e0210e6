// The station map: count; then `index x y [z] [name]` (m).
#include <limits>
#include <map>
#include <optional>
#include <sstream>
#include <vector>

#include "input/case.hpp"
#include "input/input_error.hpp"
#include "input/number.hpp"
#include "input/token_reader.hpp"

namespace ondes3d {
namespace {

constexpr const char* kRow = "a station: index x y [z] [name], in m";
constexpr const char* kCount = "the number of stations, alone on its line";

// What MPI's counts of bytes hold, and more than a file of a gigabyte.
constexpr int kMost = 20'000'000;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

struct Row {
  std::string text;
  int line;
  std::vector<std::string> words;
};

// The next line that is not blank.
std::optional<Row> next_row(TokenReader& file) {
  if (file.at_end()) {
    return std::nullopt;
  }
  Row row{{}, file.line_number(), {}};
  row.text = file.line(kRow);
  std::istringstream words(row.text);
  for (std::string word; words >> word;) {
    row.words.push_back(word);
  }
  return row;
}

// The line of each station's index, and of its name.
template <typename Key>
using Lines = std::map<Key, int>;

// `key` stands on this line, and on no line before.
template <typename Key>
void expect_new(Lines<Key>& lines, const Key& key, const std::string& path, int line, const std::string& what) {
  if (const auto [before, fresh] = lines.emplace(key, line); !fresh) {
    throw InputError(path, line, what + " a second time, after line " + std::to_string(before->second),
                     "a station with an index and a name of its own");
  }
}

std::string name_of(const std::string& path, const Row& row) {
  std::string name = row.words.size() > 4 ? row.words[4] : "station" + row.words[0];
  if (name.find_first_of("/\\") != std::string::npos || name.size() >= Station{}.name.size()) {
    throw InputError(path, row.line, in_quotes(name), "a name of at most 23 letters without slashes: it names a file");
  }
  return name;
}

Station read_station(const std::string& path, const Row& row) {
  const std::size_t words = row.words.size();
  const auto number = [&](std::size_t n) { return n < words ? to_number(row.words[n]) : std::nullopt; };
  const auto east = number(1), north = number(2), up = words > 3 ? number(3) : std::optional(kNone);
  if (words > 5 || !to_integer(row.words[0]) || !east || !north || !up) {
    throw InputError(path, row.line, in_quotes(row.text), kRow);
  }
  Station station{{*east, *north, *up}, {}};
  name_of(path, row).copy(station.name.data(), station.name.size() - 1);
  return station;
}

int read_count(TokenReader& file) {
  const auto row = next_row(file);
  if (!row) {
    throw InputError(file.path(), 0, "the end of the file", kCount);
  }
  const auto count = row->words.size() == 1 ? to_integer(row->words[0]) : std::nullopt;
  if (!count || *count < 0 || *count > kMost) {
    throw InputError(file.path(), row->line, in_quotes(row->text), kCount);
  }
  return *count;
}

}  // namespace

std::vector<Station> read_stations(const std::string& path) {
  TokenReader file(path, "a station map");
  const int count = read_count(file);
  std::vector<Station> stations;
  Lines<int> indices;
  Lines<std::string> names;
  int last_line = 0;
  for (int n = 0; n < count; ++n) {
    const auto row = next_row(file);
    if (!row) {
      throw InputError(path, last_line, "the end of the file after " + std::to_string(n) + " stations",
                       std::to_string(count) + " of them");
    }
    last_line = row->line;
    stations.push_back(read_station(path, *row));
    expect_new(indices, *to_integer(row->words[0]), path, row->line, "station " + row->words[0]);
    expect_new(names, name_of(path, *row), path, row->line, in_quotes(name_of(path, *row)));
  }
  file.expect_end("the last of " + std::to_string(count) + " stations");
  return stations;
}

}  // namespace ondes3d
