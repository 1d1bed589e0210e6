// Documentation generated from a table of options: --help, the man page and docs/knobs.md.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/options.hpp"

namespace weft::base {

struct CommandText {
  std::string_view name;      // "weftrun"
  std::string_view summary;   // one line
  std::string_view usage;     // "[options] program [arguments]"
  std::string_view details;   // paragraphs, separated by an empty line
  std::string_view examples;  // lines; each "command  # what it does"
  std::string_view version;
  // Of the manual page: lines "=HEADING", "term<tab>what it is", or a paragraph.
  std::string_view sections = {};
};

std::string render_help(const CommandText& command, std::span<const Option> table);
std::string render_man(const CommandText& command, std::span<const Option> table);       // troff, section 1
std::string render_markdown(const CommandText& command, std::span<const Option> table);  // docs/knobs.md

}  // namespace weft::base
