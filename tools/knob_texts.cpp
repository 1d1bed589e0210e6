// Writes the texts that are generated from the tables of options: knob_texts man | weftinfo-man | knobs |
// weftrun-completion SHELL | weftinfo-completion SHELL. SHELL is bash or zsh.
#include <iostream>
#include <string>
#include <string_view>

#include "base/options_text.hpp"
#include "tools/completion/balancing_choices.hpp"
#include "tools/completion/sources.hpp"
#include "tools/knobs.hpp"
#include "tools/weftinfo_options.hpp"

namespace {

std::string completion(const weft::tools::CompletedCommand& command, std::string_view shell) {
  return shell == "zsh" ? weft::tools::zsh_completion(command) : weft::tools::bash_completion(command);
}

}  // namespace

int main(int argc, char** argv) {
  using namespace weft;
  const std::string_view which = argc > 1 ? argv[1] : "";
  const std::string_view shell = argc == 3 ? argv[2] : "";
  if (which == "man") {
    std::cout << base::render_man(tools::weftrun_text(), tools::knobs());
  } else if (which == "weftinfo-man") {
    std::cout << base::render_man(tools::kInfoText, tools::kInfoOptions);
  } else if (which == "knobs") {
    std::cout << base::render_markdown(tools::weftrun_text(), tools::knobs());
  } else if (which == "weftrun-completion") {
    std::cout << completion(tools::completed_command(tools::weftrun_text(), tools::knobs(), tools::balancing_choices()),
                            shell);
  } else if (which == "weftinfo-completion") {
    std::cout << completion(tools::completed_command(tools::kInfoText, tools::kInfoOptions, {}), shell);
  } else {
    std::cerr << "knob_texts: say man, weftinfo-man, knobs, weftrun-completion or weftinfo-completion\n";
    return 1;
  }
  return 0;
}
