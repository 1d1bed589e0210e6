#include "input/fields.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <span>
#include <sstream>
#include <utility>

#include "input/input_error.hpp"
#include "input/number.hpp"
#include "input/text_file.hpp"

namespace ondes3d {
namespace {

// What the parameters of a case may name, beside its layers, and what a layer may.
constexpr std::array<std::string_view, 29> kTop{
    "dt",   "ds",       "tmax",    "xMin",     "xMax",   "yMin", "yMax",      "zMin",       "zMax", "fd0",
    "dir",  "i0",       "j0",      "k0",       "nlayer", "fgeo", "x0",        "y0",         "z0",   "model",
    "imax", "fstatMap", "fsrcMap", "fsrcHist", "jmax",   "kmax", "qs_per_vs", "model_file", "theta"};
constexpr std::array<std::string_view, 11> kOfLayer{"name", "depth", "rho", "vp", "vs", "Qp",
                                                    "Qs",   "qp",    "qs",  "q",  "q0"};
constexpr std::string_view kLayer = "layer";
// Of a parameter file, bytes: what is larger is another file.
constexpr std::size_t kLargest = std::size_t{16} << 20;

// The number of a layer's tag, 0 for anything else.
int layer_of(std::string_view within) {
  if (!within.starts_with(kLayer)) {
    return 0;
  }
  const std::string_view digits = within.substr(kLayer.size());
  const auto number = to_integer(digits);
  return number && *number > 0 && std::to_string(*number) == digits ? *number : 0;
}

// Quality factors have several names.
std::string one_spelling(const std::string& name) {
  return name == "Qp" ? "qp" : name == "Qs" ? "qs" : name == "q0" ? "q" : name;
}

// One that the file may have written for this one: equal but for case and an order of letters, or one letter apart.
std::string_view nearest(std::string_view name, std::span<const std::string_view> known) {
  const auto sorted = [](std::string_view text) {
    std::string letters(text);
    std::transform(letters.begin(), letters.end(), letters.begin(), [](unsigned char c) { return std::tolower(c); });
    std::sort(letters.begin(), letters.end());
    return letters;
  };
  const std::string mine = sorted(name);
  for (const std::string_view other : known) {
    std::string apart;
    const std::string its = sorted(other);
    std::set_symmetric_difference(mine.begin(), mine.end(), its.begin(), its.end(), std::back_inserter(apart));
    if (apart.size() <= 2) {
      return other;
    }
  }
  return {};
}

std::string tag(std::string_view name) {
  std::string text("<");
  text += name;
  text += '>';
  return text;
}

}  // namespace

Fields::Fields(std::string path, std::vector<Field> list, int last_line, std::map<std::string, std::string> labels)
    : path_(std::move(path)), list_(std::move(list)), last_line_(last_line), labels_(std::move(labels)) {
  check_names();
}

void Fields::check_names() const {
  std::map<std::pair<std::string, std::string>, int> lines;
  for (const Field& field : list_) {
    const bool top = field.within.empty();
    const std::span<const std::string_view> known = top ? std::span<const std::string_view>(kTop) : kOfLayer;
    const bool is_known = std::find(known.begin(), known.end(), field.name) != known.end();
    if (!is_known || (!top && layer_of(field.within) == 0)) {
      const std::string_view meant = top || layer_of(field.within) > 0 ? nearest(field.name, known) : "";
      throw InputError(path_, field.line, label(field.within, field.name) + ", which no case has",
                       meant.empty() ? "a name that docs/ondes3d.md lists, or free text without tags"
                                     : label(field.within, meant) + " or free text without tags");
    }
    if (const auto [before, fresh] = lines.emplace(std::pair{field.within, one_spelling(field.name)}, field.line);
        !fresh) {
      throw InputError(path_, field.line,
                       label(field.within, field.name) + " a second time, after line " + std::to_string(before->second),
                       "each name once");
    }
  }
}

void Fields::expect_layers(int count) const {
  for (const Field& field : list_) {
    if (layer_of(field.within) > count) {
      throw InputError(path_, field.line, label("", field.within),
                       "layers up to " + std::to_string(count) + ", as " + label("", "nlayer") + " says");
    }
  }
}

std::string Fields::label(std::string_view within, std::string_view name) const {
  const auto own = within.empty() ? labels_.find(std::string(name)) : labels_.end();
  return own != labels_.end() ? own->second : within.empty() ? tag(name) : tag(within) + tag(name);
}

const Field* Fields::find(std::string_view within, std::string_view name) const {
  for (const Field& field : list_) {
    if (field.within == within && field.name == name) {
      return &field;
    }
  }
  return nullptr;
}

void Fields::fail(std::string_view within, std::string_view name, const std::string& found,
                  const std::string& expected) const {
  const Field* const field = find(within, name);
  throw InputError(path_, field != nullptr ? field->line : last_line_, found,
                   label(within, name) + " with " + expected);
}

std::string Fields::text(std::string_view within, std::string_view name, const std::string& what) const {
  const Field* const field = find(within, name);
  if (field == nullptr) {
    fail(within, name, "the end of the file", what);
  }
  if (field->value.empty()) {
    fail(within, name, "nothing", what);
  }
  return field->value;
}

int Fields::integer(std::string_view within, std::string_view name, const std::string& what) const {
  const std::string value = text(within, name, what);
  const auto number = to_integer(value);
  if (!number) {
    fail(within, name, in_quotes(value), what + ", a whole number");
  }
  return *number;
}

double Fields::number(std::string_view within, std::string_view name, const std::string& what) const {
  const std::string value = text(within, name, what);
  const auto number = to_number(value);
  if (!number) {
    fail(within, name, in_quotes(value), what + ", a number");
  }
  return *number;
}

double Fields::number_above(double least, std::string_view within, std::string_view name,
                            const std::string& what) const {
  const double value = number(within, name, what);
  if (value <= least) {
    std::ostringstream bound;
    bound << what << ", above " << least;
    fail(within, name, text(within, name, what), bound.str());
  }
  return value;
}

double Fields::number_within(const Range& range, std::string_view within, std::string_view name,
                             const std::string& what) const {
  const double value = number(within, name, what);
  if (!range.holds(value)) {
    fail(within, name, text(within, name, what), what + ", from " + shown(range.least) + " to " + shown(range.most));
  }
  return value;
}

Fields read_fields(const std::string& path) {
  TextFile file(path, "a parameter file");
  std::string text;
  std::array<char, 4096> block{};
  while (const std::size_t got = file.read(block.data(), block.size())) {
    if (text.append(block.data(), got).size() > kLargest) {
      throw InputError(path, 0, "more than " + std::to_string(kLargest) + " bytes", "a parameter file");
    }
  }
  return text.find("<dt>") == std::string::npos && text.find("XMIN") != std::string::npos ? read_keyed(path, text)
                                                                                          : read_tagged(path, text);
}

}  // namespace ondes3d
