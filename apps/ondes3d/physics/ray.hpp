// Travel times of direct rays through the layers.
#pragma once

#include "physics/medium.hpp"

namespace ondes3d {

enum class Wave { kP, kS };

// Time (s) of the ray that rises or falls from `from` to `to` (m) without turning, by Snell's law. Infinite where an S
// wave meets the sea.
[[nodiscard]] double direct_time(const Layers& layers, const Vec3& from, const Vec3& to, Wave wave);

}  // namespace ondes3d
