// The station map: count; then `index x y [z] [name]` (m).
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>

#include "input/case.hpp"
#include "input/input_error.hpp"
#include "input/number.hpp"

namespace ondes3d {
namespace {

constexpr const char* kRow = "a station: index x y [z] [name], in m";

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

bool next_row(std::istream& file, std::string& row, int& line) {
  while (std::getline(file, row)) {
    ++line;
    if (row.find_first_not_of(" \t\r") != std::string::npos) {
      return true;
    }
  }
  return false;
}

Station read_station(const std::string& path, const std::string& row, int line) {
  std::istringstream words(row);
  std::string index, x, y, z, name;
  words >> index >> x >> y >> z >> name;
  const auto east = to_number(x), north = to_number(y), up = z.empty() ? std::optional(kNone) : to_number(z);
  if (!to_integer(index) || !east || !north || !up) {
    throw InputError(path, line, quoted(row), kRow);
  }
  if (name.empty()) {
    name = "station" + index;
  }
  if (name.find_first_of("/\\") != std::string::npos || name.size() >= Station{}.name.size()) {
    throw InputError(path, line, quoted(name), "a name of at most 23 letters without slashes: it names a file");
  }
  Station station{{*east, *north, *up}, {}};
  name.copy(station.name.data(), station.name.size() - 1);
  return station;
}

}  // namespace

std::vector<Station> read_stations(const std::string& path) {
  std::ifstream file(path);
  std::string row;
  int line = 0;
  if (!next_row(file, row, line)) {
    throw InputError(path, line, "the end of the file", "the number of stations");
  }
  std::istringstream head(row);
  std::string word;
  head >> word;
  const auto count = to_integer(word);
  if (!count || *count < 0) {
    throw InputError(path, line, quoted(row), "the number of stations");
  }
  std::vector<Station> stations;
  for (int n = 0; n < *count; ++n) {
    if (!next_row(file, row, line)) {
      throw InputError(path, line, "the end of the file after " + std::to_string(n) + " stations",
                       std::to_string(*count) + " of them");
    }
    stations.push_back(read_station(path, row, line));
  }
  return stations;
}

}  // namespace ondes3d
