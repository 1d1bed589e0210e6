// weftinfo's options and texts, for the program and its manual page.
#pragma once

#include <array>

#include "base/options.hpp"
#include "base/options_text.hpp"

namespace weft::tools {

inline constexpr std::array kInfoOptions = {
    base::Option{"functions", "", "", base::OptionKind::kFlag, "no", "",
                 "List the MPI functions that this version does not have."},
    base::Option{"version", "V", "", base::OptionKind::kFlag, "no", "", "Print the version and end."},
    base::Option{"help", "h", "", base::OptionKind::kFlag, "no", "", "Print this help and end."},
};

inline constexpr base::CommandText kInfoText = {
    .name = "weftinfo",
    .summary = "shows what this Weft can do here",
    .usage = "[options]",
    .details =
        "weftinfo shows the version, the cores and the limits of this machine (ranks per process, address space) and "
        "the settings of weftrun that the environment puts in force.",
    .examples = "",
    .version = WEFT_VERSION_TEXT,
};

}  // namespace weft::tools
