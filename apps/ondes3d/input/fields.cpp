#include "input/fields.hpp"

#include <fstream>
#include <sstream>
#include <utility>

#include "input/input_error.hpp"
#include "input/number.hpp"

namespace ondes3d {
namespace {

std::string tag(std::string_view name) {
  std::string text("<");
  text += name;
  text += '>';
  return text;
}

}  // namespace

Fields::Fields(std::string path, std::vector<Field> list, int last_line, std::map<std::string, std::string> labels)
    : path_(std::move(path)), list_(std::move(list)), last_line_(last_line), labels_(std::move(labels)) {}

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
  const auto label = within.empty() ? labels_.find(std::string(name)) : labels_.end();
  const std::string where = label != labels_.end() ? label->second
                            : within.empty()       ? tag(name)
                                                   : tag(within) + tag(name);
  throw InputError(path_, field != nullptr ? field->line : last_line_, found, where + " with " + expected);
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
    fail(within, name, quoted(value), what + ", a whole number");
  }
  return *number;
}

double Fields::number(std::string_view within, std::string_view name, const std::string& what) const {
  const std::string value = text(within, name, what);
  const auto number = to_number(value);
  if (!number) {
    fail(within, name, quoted(value), what + ", a number");
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

Fields read_fields(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream all;
  all << file.rdbuf();
  if (!file) {
    throw InputError(path, 0, "no readable file", "a parameter file");
  }
  const std::string text = all.str();
  return text.find("<dt>") == std::string::npos && text.find("XMIN") != std::string::npos ? read_keyed(path, text)
                                                                                          : read_tagged(path, text);
}

}  // namespace ondes3d
