// The older `KEY = value` form of the parameter file, given the names of the tagged form.
#include <map>
#include <sstream>

#include "input/fields.hpp"
#include "input/input_error.hpp"
#include "input/number.hpp"

namespace ondes3d {
namespace {

const std::map<std::string, std::string, std::less<>>& names() {
  static const std::map<std::string, std::string, std::less<>> table{{"XMIN", "xMin"},
                                                                     {"XMAX", "xMax"},
                                                                     {"YMIN", "yMin"},
                                                                     {"YMAX", "yMax"},
                                                                     {"ZMIN", "zMin"},
                                                                     {"TIME_STEPS", "tmax"},
                                                                     {"DS", "ds"},
                                                                     {"DT", "dt"},
                                                                     {"DF", "fd0"},
                                                                     {"I0", "i0"},
                                                                     {"J0", "j0"},
                                                                     {"OUTPUT_DIR", "dir"},
                                                                     {"SOURCES", "fsrcMap"},
                                                                     {"SOURCE_TIME_FUNCTION", "fsrcHist"},
                                                                     {"STATIONS", "fstatMap"},
                                                                     {"NB_LAYERS", "nlayer"},
                                                                     {"MODEL_TYPE", "model"},
                                                                     {"QS_PER_VS", "qs_per_vs"},
                                                                     {"MODEL_FILE", "model_file"},
                                                                     {"IMAX", "imax"},
                                                                     {"JMAX", "jmax"},
                                                                     {"KMAX", "kmax"},
                                                                     {"THETA", "theta"},
                                                                     {"X0", "x0"},
                                                                     {"Y0", "y0"}};
  return table;
}

constexpr const char* kLayerRow = "LAYER_n, roof in km, vp, vs in m/s, rho in kg/m3 and, if you like, Q";

// "LAYER_2  -3.  5750.  3030.  2650.  -1.": number, roof (km), vp, vs, rho, Q.
void add_layer(const std::string& path, const std::string& row, int line, std::vector<Field>& into) {
  std::istringstream words(row);
  std::string key, roof, vp, vs, rho, q, more;
  words >> key >> roof >> vp >> vs >> rho >> q >> more;
  const std::string number = key.substr(std::string("LAYER_").size());
  if (rho.empty() || !more.empty() || to_integer(number).value_or(0) < 1) {
    throw InputError(path, line, in_quotes(row), kLayerRow);
  }
  const std::string layer = "layer" + number;
  into.push_back({layer, "depth", roof, line});
  into.push_back({layer, "vp", vp, line});
  into.push_back({layer, "vs", vs, line});
  into.push_back({layer, "rho", rho, line});
  if (!q.empty()) {
    into.push_back({layer, "q", q, line});
  }
}

// "KEY = value": the key is the first word of the line, and free text follows a #.
struct Assignment {
  std::string key;
  bool assigned = false;
  std::string value;
};

Assignment assignment(std::string_view row) {
  constexpr std::string_view kBlank = " \t\r";
  const auto trimmed = [&](std::string_view text) {
    const auto first = text.find_first_not_of(kBlank);
    return first == std::string_view::npos ? std::string_view{}
                                           : text.substr(first, text.find_last_not_of(kBlank) - first + 1);
  };
  row = trimmed(row.substr(0, row.find('#')));
  const auto end = row.find_first_of(" \t=");
  const std::string key(row.substr(0, end));
  const std::string_view rest = end == std::string_view::npos ? std::string_view{} : trimmed(row.substr(end));
  return rest.starts_with('=') ? Assignment{key, true, std::string(trimmed(rest.substr(1)))}
                               : Assignment{key, false, {}};
}

// A row that is neither a layer nor free text.
void add_row(const std::string& path, const std::string& row, int line, std::vector<Field>& into) {
  const auto [key, assigned, value] = assignment(row);
  if (key == "NDIM" && assigned) {
    if (value != "4") {
      throw InputError(path, line, in_quotes(value), "NDIM with 4, the order of the scheme");
    }
    return;
  }
  const auto name = names().find(key);
  if (name != names().end() && assigned) {
    into.push_back({"", name->second, value, line});
  } else if (name != names().end()) {
    throw InputError(path, line, in_quotes(row), key + " = value");
  } else if (assigned) {
    throw InputError(path, line, key + ", which no case has", "a key that docs/ondes3d.md lists, or free text");
  }
}

}  // namespace

Fields read_keyed(const std::string& path, std::string_view text) {
  std::vector<Field> list;
  std::istringstream lines{std::string(text)};
  int number = 0;
  for (std::string row; std::getline(lines, row);) {
    ++number;
    if (row.starts_with("LAYER_")) {
      add_layer(path, row, number, list);
    } else {
      add_row(path, row, number, list);
    }
  }
  // This form counts z down from the surface: its top plane is 0.
  list.push_back({"", "zMax", "0", number});
  std::map<std::string, std::string> labels;
  for (const auto& [key, name] : names()) {
    labels[name] = key;
  }
  return {path, std::move(list), number, std::move(labels)};
}

}  // namespace ondes3d
