// How much memory a subdomain takes, before it is made.
#pragma once

#include <cstddef>

#include "physics/subdomain.hpp"

namespace ondes3d {

// Bytes of a subdomain's fields, rock and memory variables: all that grows with its cells.
[[nodiscard]] double footprint(const Model& model, const Box& own, std::size_t bytes_per_value);

}  // namespace ondes3d
