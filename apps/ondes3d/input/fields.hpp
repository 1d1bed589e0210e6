// A parameter file as a list of named values, in either of its two forms.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "input/plausible.hpp"

namespace ondes3d {

// One `<name> value </name>`; `within` is the enclosing tag ("layer2"), empty at the top.
struct Field {
  std::string within;
  std::string name;
  std::string value;
  int line = 0;
};

// Looks values up and says in one line what is wrong with them.
class Fields {
 public:
  // `labels` are the names under which the file itself knows top fields, where those differ. Throws InputError for a
  // field that is there twice, or that no case has: a name that is misspelt would else be left out without a word.
  Fields(std::string path, std::vector<Field> list, int last_line, std::map<std::string, std::string> labels = {});

  [[nodiscard]] const Field* find(std::string_view within, std::string_view name) const;
  [[nodiscard]] bool has(std::string_view within, std::string_view name) const { return find(within, name) != nullptr; }

  // Throws for a `<layerN>` whose N is above `count`.
  void expect_layers(int count) const;

  // `what` describes the value for the message: "the time step in s". Throw InputError.
  [[nodiscard]] std::string text(std::string_view within, std::string_view name, const std::string& what) const;
  [[nodiscard]] int integer(std::string_view within, std::string_view name, const std::string& what) const;
  [[nodiscard]] double number(std::string_view within, std::string_view name, const std::string& what) const;
  [[nodiscard]] double number_above(double least, std::string_view within, std::string_view name,
                                    const std::string& what) const;
  [[nodiscard]] double number_within(const Range& range, std::string_view within, std::string_view name,
                                     const std::string& what) const;
  // Names the field's line, or the end of the file when there is no such field.
  [[noreturn]] void fail(std::string_view within, std::string_view name, const std::string& found,
                         const std::string& expected) const;

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  void check_names() const;
  // The field as the file writes it: "<layer2><vp>", "DT".
  [[nodiscard]] std::string label(std::string_view within, std::string_view name) const;

  std::string path_;
  std::vector<Field> list_;
  int last_line_;
  std::map<std::string, std::string> labels_;
};

// `<name> value </name>` with free text around; a tag may enclose others.
[[nodiscard]] Fields read_tagged(const std::string& path, std::string_view text);

// The older `KEY = value` form with LAYER_n rows, given the names of the tagged form.
[[nodiscard]] Fields read_keyed(const std::string& path, std::string_view text);

// Reads the file and picks the form by what it holds.
[[nodiscard]] Fields read_fields(const std::string& path);

}  // namespace ondes3d
