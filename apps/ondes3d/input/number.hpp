// Numbers as the Ondes3D files write them: 6000. , 0.355E+19, -00, +1.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ondes3d {

// The whole of `text` as a finite number, else nothing.
[[nodiscard]] std::optional<double> to_number(std::string_view text);
[[nodiscard]] std::optional<int> to_integer(std::string_view text);

// A number as a message shows it: six digits.
[[nodiscard]] std::string shown(double value);

}  // namespace ondes3d
