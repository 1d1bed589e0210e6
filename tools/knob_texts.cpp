// Writes the texts that come from the tables of options: knob_texts man | weftinfo-man | knobs.
#include <iostream>
#include <string_view>

#include "base/options_text.hpp"
#include "tools/knobs.hpp"
#include "tools/weftinfo_options.hpp"

int main(int argc, char** argv) {
  const std::string_view which = argc == 2 ? argv[1] : "";
  if (which == "man") {
    std::cout << weft::base::render_man(weft::tools::weftrun_text(), weft::tools::knobs());
  } else if (which == "weftinfo-man") {
    std::cout << weft::base::render_man(weft::tools::kInfoText, weft::tools::kInfoOptions);
  } else if (which == "knobs") {
    std::cout << weft::base::render_markdown(weft::tools::weftrun_text(), weft::tools::knobs());
  } else {
    std::cerr << "knob_texts: say man, weftinfo-man or knobs\n";
    return 1;
  }
  return 0;
}
