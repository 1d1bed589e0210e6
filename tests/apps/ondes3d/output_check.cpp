// Compares files for ParaView of different runs: output_check same|on A B.
//   same: two images hold the same points and values, whatever their pieces.   on: each point of B that is one of A has
//   A's values, and there are some.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>

#include "image_file.hpp"

namespace ondes3d {
namespace {

ImageFile read_any(const std::string& path) { return path.ends_with(".pvti") ? read_pieces(path) : read_image(path); }

// Index of the point of `image` at this coordinate; -1 between points or outside.
int index_of(const ImageFile& image, std::size_t axis, double coordinate) {
  const double at = (coordinate - image.origin[axis]) / image.spacing[axis];
  const int n = static_cast<int>(std::lround(at));
  return std::abs(at - n) < 1e-6 && n >= image.extent[2 * axis] && n <= image.extent[2 * axis + 1] ? n : -1;
}

// Points of `part` found in `all` with the same values; throws at the first that differs.
std::size_t common_points(const ImageFile& all, const ImageFile& part) {
  std::size_t common = 0;
  for (int k = part.extent[4]; k <= part.extent[5]; ++k) {
    for (int j = part.extent[2]; j <= part.extent[3]; ++j) {
      for (int i = part.extent[0]; i <= part.extent[1]; ++i) {
        const std::array<int, 3> n{i, j, k};
        std::array<int, 3> m{};
        for (std::size_t d = 0; d < 3; ++d) {
          m[d] = index_of(all, d, part.origin[d] + n[d] * part.spacing[d]);
        }
        if (*std::min_element(m.begin(), m.end()) < 0) {
          continue;
        }
        const auto theirs = part.values.begin() + static_cast<std::ptrdiff_t>(part.at(i, j, k));
        const auto ours = all.values.begin() + static_cast<std::ptrdiff_t>(all.at(m[0], m[1], m[2]));
        if (!std::equal(theirs, theirs + part.components, ours)) {
          throw std::runtime_error("values differ at a common point");
        }
        ++common;
      }
    }
  }
  return common;
}

int compare(const std::string& how, const std::string& first, const std::string& second) {
  const ImageFile a = read_any(first);
  const ImageFile b = read_any(second);
  const double most = std::abs(*std::max_element(b.values.begin(), b.values.end(),
                                                 [](double x, double y) { return std::abs(x) < std::abs(y); }));
  if (a.type != b.type || a.components != b.components || !(most > 0)) {
    throw std::runtime_error("found " + a.type + " and " + b.type + ", largest value " + std::to_string(most));
  }
  const std::size_t common = common_points(a, b);
  const bool right = how == "same" ? common == a.size() && common == b.size() : common > 0;
  std::printf("%zu common points of %zu and %zu, values up to %g\n", common, a.size(), b.size(), most);
  return right ? 0 : 1;
}

}  // namespace
}  // namespace ondes3d

int main(int argc, char** argv) {
  try {
    return argc == 4 ? ondes3d::compare(argv[1], argv[2], argv[3]) : 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "output_check: %s\n", error.what());
    return 1;
  }
}
