// The costs of messages in text form.
#pragma once

#include <string>
#include <string_view>

#include "lb/strategy.hpp"

namespace weft::lb {

// "0.08:0.01,0.15:0.02,0.3:0.04,1:0.2,20:1": by Distance, microseconds for each message and nanoseconds for each byte.
// Throws base::OptionError.
Links parse_links(std::string_view text);
std::string text_of(const Links& links);

}  // namespace weft::lb
