// Colours of pictures: ink, lines that colour-blind eyes tell apart, colour maps.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace ondes3d {

struct Colour {
  double red = 0, green = 0, blue = 0;  // sRGB, 0 to 1
};

inline constexpr Colour kInk{0.13, 0.14, 0.17};
inline constexpr Colour kGrey{0.42, 0.43, 0.46};
inline constexpr Colour kFaint{0.86, 0.87, 0.88};
inline constexpr Colour kPaper{1, 1, 1};
// Blue, vermilion, bluish green of Okabe & Ito 2008, "Color Universal Design" (Wong 2011, Nature Methods 8, 441).
inline constexpr std::array<Colour, 3> kLines{{{0, 0.447, 0.698}, {0.835, 0.369, 0}, {0, 0.620, 0.451}}};

class ColourMap {
 public:
  // `stops` (RRGGBB) are evenly spaced, the first one is the colour of 0; linear between them.
  ColourMap(const char* name, std::span<const std::uint32_t> stops);

  [[nodiscard]] const char* name() const { return name_; }
  // The colour of a share of the scale, 0 to 1, as 0xRRGGBB; what lies outside, or is no number, has the colour of the
  // nearer end, that of 0.
  [[nodiscard]] std::uint32_t pixel(double share) const;
  [[nodiscard]] Colour colour(double share) const;

 private:
  static constexpr std::size_t kEntries = 1024;
  const char* name_;
  std::array<std::uint32_t, kEntries> table_{};
};

// Colour maps by F. Crameri: of even steps for the eye, in order of lightness also in grey print, and told apart by
// colour-blind eyes. Crameri 2018, Scientific colour maps, Zenodo, doi:10.5281/zenodo.1243862; Crameri, Shephard &
// Heron 2020, Nature Communications 11, 5444, doi:10.1038/s41467-020-19160-7. Seventeen of the 256 published colours
// of each; between them the straight lines stay within 2 of CIE76's colour difference.
[[nodiscard]] const ColourMap& lajolla();  // from light (0) to dark (1): its published order turned round
[[nodiscard]] const ColourMap& vik();      // blue, nearly white in the middle, brown

}  // namespace ondes3d
