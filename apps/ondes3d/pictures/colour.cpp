#include "pictures/colour.hpp"

#include <algorithm>
#include <cmath>

namespace ondes3d {
namespace {

constexpr std::array<std::uint32_t, 17> kLajolla{0xfffecb, 0xfcef9f, 0xf7d971, 0xf1c159, 0xecac54, 0xe99a52,
                                                 0xe58751, 0xe1744f, 0xd9604e, 0xc54f4a, 0xa64644, 0x853e39,
                                                 0x67342a, 0x4d2b1c, 0x372411, 0x271e08, 0x191900};
constexpr std::array<std::uint32_t, 17> kVik{0x001261, 0x022b71, 0x034481, 0x0c5e92, 0x307da6, 0x619ebd,
                                             0x94bed2, 0xc6dbe6, 0xece5e0, 0xe9ccba, 0xdcac90, 0xcf8e68,
                                             0xc37243, 0xb3531f, 0x942f06, 0x741506, 0x590008};

std::uint32_t mixed(std::uint32_t a, std::uint32_t b, double share) {
  std::uint32_t colour = 0;
  for (const unsigned shift : {0U, 8U, 16U}) {
    const double from = (a >> shift) & 0xffU;
    const double to = (b >> shift) & 0xffU;
    colour |= static_cast<std::uint32_t>(std::lround(from + share * (to - from))) << shift;
  }
  return colour;
}

}  // namespace

ColourMap::ColourMap(const char* name, std::span<const std::uint32_t> stops) : name_(name) {
  const auto last = static_cast<double>(stops.size() - 1);
  for (std::size_t n = 0; n < kEntries; ++n) {
    const double at = last * static_cast<double>(n) / (kEntries - 1);
    const std::size_t stop = std::min(static_cast<std::size_t>(at), stops.size() - 2);
    table_[n] = mixed(stops[stop], stops[stop + 1], at - static_cast<double>(stop));
  }
}

std::uint32_t ColourMap::pixel(double share) const {
  const double within = share > 0 ? std::min(share, 1.0) : 0;
  return table_[static_cast<std::size_t>(std::lround(within * (kEntries - 1)))];
}

Colour ColourMap::colour(double share) const {
  const std::uint32_t all = pixel(share);
  return {((all >> 16U) & 0xffU) / 255.0, ((all >> 8U) & 0xffU) / 255.0, (all & 0xffU) / 255.0};
}

const ColourMap& lajolla() {
  static const ColourMap map("lajolla", kLajolla);
  return map;
}

const ColourMap& vik() {
  static const ColourMap map("vik", kVik);
  return map;
}

}  // namespace ondes3d
