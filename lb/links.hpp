// What messages cost, as users write and read it.
#pragma once

#include <string>
#include <string_view>

#include "lb/strategy.hpp"

namespace weft::lb {

// "0.08:0.01,0.15:0.02,0.3:0.04,1:0.2,20:1" by Distance: microseconds for a message and nanoseconds for each of its
// bytes. Throws base::OptionError.
Links parse_links(std::string_view text);
std::string text_of(const Links& links);

}  // namespace weft::lb
