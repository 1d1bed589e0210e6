// The older `KEY = value` form of the parameter file, given the names of the tagged form.
#include <map>
#include <sstream>

#include "input/fields.hpp"
#include "input/input_error.hpp"

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

// "LAYER_2  -3.  5750.  3030.  2650.  -1.": number, roof (km), vp, vs, rho, Q.
void add_layer(const std::string& path, const std::string& row, int line, std::vector<Field>& into) {
  std::istringstream words(row);
  std::string key, roof, vp, vs, rho, q;
  words >> key >> roof >> vp >> vs >> rho >> q;
  if (rho.empty()) {
    throw InputError(path, line, quoted(row), "LAYER_n, roof in km, vp, vs in m/s, rho in kg/m3");
  }
  const std::string layer = "layer" + key.substr(std::string("LAYER_").size());
  into.push_back({layer, "depth", roof, line});
  into.push_back({layer, "vp", vp, line});
  into.push_back({layer, "vs", vs, line});
  into.push_back({layer, "rho", rho, line});
  if (!q.empty()) {
    into.push_back({layer, "q", q, line});
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
      continue;
    }
    std::istringstream words(row);
    std::string key, equals, value;
    words >> key >> equals >> value;
    if (const auto name = names().find(key); equals == "=" && name != names().end()) {
      list.push_back({"", name->second, value, number});
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
