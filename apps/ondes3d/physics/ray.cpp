#include "physics/ray.hpp"

#include <cmath>
#include <limits>

namespace ondes3d {
namespace {

struct Leg {
  double height;
  double speed;
};

// The parts of the way through each layer.
std::vector<Leg> legs(const Layers& layers, double low, double high, Wave wave) {
  const double far = std::numeric_limits<double>::infinity();
  std::vector<Leg> list;
  for (std::size_t n = 0; n < layers.size(); ++n) {
    const double top = n == 0 ? far : layers[n].roof;
    const double bottom = n + 1 < layers.size() ? layers[n + 1].roof : -far;
    const double height = std::min(top, high) - std::max(bottom, low);
    if (height > 0) {
      list.push_back({height, wave == Wave::kP ? layers[n].vp : layers[n].vs});
    }
  }
  return list;
}

// Horizontal reach and time of the ray with this slowness along the surface.
std::pair<double, double> shoot(const std::vector<Leg>& list, double slowness) {
  double reach = 0;
  double time = 0;
  for (const Leg& leg : list) {
    const double sine = slowness * leg.speed;
    const double cosine = std::sqrt(1 - sine * sine);
    reach += leg.height * sine / cosine;
    time += leg.height / (leg.speed * cosine);
  }
  return {reach, time};
}

}  // namespace

double direct_time(const Layers& layers, const Vec3& from, const Vec3& to, Wave wave) {
  const double distance = std::hypot(to[0] - from[0], to[1] - from[1]);
  const auto list = legs(layers, std::min(from[2], to[2]), std::max(from[2], to[2]), wave);
  double fastest = 0;
  for (const Leg& leg : list) {
    if (leg.speed <= 0) {
      return std::numeric_limits<double>::infinity();
    }
    fastest = std::max(fastest, leg.speed);
  }
  if (list.empty()) {  // the same depth: straight through the layer there
    const auto across = legs(layers, from[2], from[2] + 1, wave);
    return across.front().speed > 0 ? distance / across.front().speed : std::numeric_limits<double>::infinity();
  }
  double low = 0;
  double high = 1 / fastest;
  for (int n = 0; n < 100; ++n) {
    const double middle = (low + high) / 2;
    (shoot(list, middle).first < distance ? low : high) = middle;
  }
  return shoot(list, low).second;
}

}  // namespace ondes3d
