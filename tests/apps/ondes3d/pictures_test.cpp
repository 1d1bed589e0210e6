// What draws the pictures: round ticks, scales and colour maps, labels that do not overlap, files that others can read.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <random>
#include <set>

#include "image_file.hpp"
#include "output_fixture.hpp"
#include "pictures/labels.hpp"
#include "pictures/movie.hpp"
#include "pictures/panel.hpp"
#include "pictures/plane_pictures.hpp"
#include "pictures/record_section.hpp"
#include "pictures/scale.hpp"

namespace ondes3d {
namespace {

bool is_round(double value) {
  if (value == 0) {
    return true;
  }
  const double digits = std::abs(value) / std::pow(10.0, std::floor(std::log10(std::abs(value))));
  return std::abs(digits * 4 - std::round(digits * 4)) < 1e-6;
}

TEST(Ticks, AreRoundAndFew) {
  for (const AxisRange range : {AxisRange{0, 94.7},
                                {-44, 44},
                                {-31.6, 0},
                                {0, 28},
                                {1.7e-7, 9.1e-7},
                                {-2e6, 7e6},
                                {1234.5, 1236.1},
                                {-0.3, 1.2}}) {
    for (int most = 3; most <= 9; ++most) {
      const Ticks ticks = round_ticks(range, most);
      ASSERT_GE(ticks.values.size(), 2U) << range.low << " to " << range.high << ", " << most;
      EXPECT_LE(ticks.values.size(), static_cast<std::size_t>(most));
      const double step = ticks.values[1] - ticks.values[0];
      const double digits = step / std::pow(10.0, std::floor(std::log10(step * 1.0000001)));
      EXPECT_TRUE(std::abs(digits - 1) < 1e-5 || std::abs(digits - 2) < 1e-5 || std::abs(digits - 2.5) < 1e-5 ||
                  std::abs(digits - 5) < 1e-5)
          << step;
      for (std::size_t n = 0; n < ticks.values.size(); ++n) {
        EXPECT_GE(ticks.values[n], range.low - 1e-9 * step);
        EXPECT_LE(ticks.values[n], range.high + 1e-9 * step);
        EXPECT_NEAR(ticks.values[n] / step, std::round(ticks.values[n] / step), 1e-6) << "a multiple of the step";
      }
    }
  }
  const Ticks quarters = round_ticks({0, 1}, 5);
  ASSERT_EQ(quarters.values.size(), 5U);
  EXPECT_EQ(quarters.label(1), "0.25");
  EXPECT_EQ(round_ticks({-50, 50}, 5).label(0), "\u221240");
  EXPECT_TRUE(round_ticks({3, 3}, 5).values.empty());
}

TEST(Ticks, OfBothSignsReachTheEnds) {
  for (const double end : {1.0, 0.15, 200.0, 2.5e-3, 30.0, 4.0, 50.0, 6.0, 80.0}) {
    for (int most = 3; most <= 11; ++most) {
      const Ticks ticks = symmetric_ticks(end, most);
      ASSERT_GE(ticks.values.size(), 3U);
      EXPECT_LE(ticks.values.size(), static_cast<std::size_t>(most));
      EXPECT_NEAR(ticks.values.front(), -end, 1e-9 * end);
      EXPECT_NEAR(ticks.values.back(), end, 1e-9 * end);
      for (std::size_t n = 0; n < ticks.values.size(); ++n) {
        EXPECT_TRUE(is_round(ticks.values[n]));
        std::string label = ticks.label(n);
        if (label.starts_with("\u2212")) {
          label.replace(0, 3, "-");
        }
        EXPECT_NEAR(std::stod(label), ticks.values[n], 1e-9 * end) << "the label has all digits";
      }
    }
  }
  EXPECT_EQ(symmetric_ticks(50, 9).label(1), "\u221225");
}

TEST(ColourScale, EndsAtARoundNumberAndSaysItsLaw) {
  const ColourScale peaks = ColourScale::of_peaks(0.947);
  EXPECT_DOUBLE_EQ(peaks.limit(), 1);
  EXPECT_NEAR(peaks.share(0.25), 0.5, 1e-12) << "the root";
  std::vector<std::string> labels;
  for (const auto& [share, label] : peaks.ticks(0.05)) {
    EXPECT_TRUE(is_round(std::stod(label))) << label;
    EXPECT_NEAR(peaks.share(std::stod(label) / 100), share, 1e-9) << label;
    labels.push_back(label);
  }
  EXPECT_EQ(labels.front(), "0");
  EXPECT_EQ(labels.back(), "100");
  EXPECT_GE(labels.size(), 6U);
  EXPECT_NE(peaks.description().find("square-root scale"), std::string::npos) << peaks.description();
  EXPECT_NE(peaks.description().find("94.7 cm/s"), std::string::npos) << peaks.description();
  EXPECT_FALSE(peaks.has_higher_values());
  EXPECT_STREQ(ColourScale::of_peaks(3e-6).unit().name, "\u00b5m/s");
  EXPECT_GT(ColourScale::of_peaks(0).limit(), 0);
}

TEST(ColourScale, SaysWhereItSaturates) {
  std::vector<PlaneResult::Snapshot> snapshots{{1, std::vector<float>(3000, 0.17F)}};
  EXPECT_EQ(ColourScale::of_fields(snapshots).description().find("beyond"), std::string::npos);
  snapshots[0].up[5] = 0.742F;
  const ColourScale scale = ColourScale::of_fields(snapshots);
  EXPECT_NEAR(scale.limit(), 0.2, 1e-12);
  EXPECT_TRUE(scale.has_higher_values());
  EXPECT_FALSE(scale.has_lower_values());
  EXPECT_NE(scale.description().find("beyond \u00b120 cm/s"), std::string::npos) << scale.description();
  EXPECT_NE(scale.description().find("74.2 cm/s"), std::string::npos) << scale.description();
  EXPECT_EQ(scale.pixel(0.742), scale.map().pixel(1));
  EXPECT_EQ(scale.ticks(0.12).front().label, "\u221220");
  EXPECT_EQ(scale.ticks(0.12).back().label, "20");
  EXPECT_EQ(ColourScale::of_fields({}).ticks(0.2).size(), 5U) << "nothing moves";
}

// Lightness of CIELAB (CIE 15:2004), D65; sRGB by IEC 61966-2-1.
double lightness(const Colour& colour) {
  const auto linear = [](double part) {
    return part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
  };
  const double y = 0.2126729 * linear(colour.red) + 0.7151522 * linear(colour.green) + 0.0721750 * linear(colour.blue);
  return y > 216.0 / 24389 ? 116 * std::cbrt(y) - 16 : 24389.0 / 27 * y;
}

TEST(ColourMap, IsInOrderOfLightness) {
  // Published ends of the maps.
  EXPECT_EQ(lajolla().pixel(0), 0xfffecbU);
  EXPECT_EQ(lajolla().pixel(1), 0x191900U);
  EXPECT_EQ(vik().pixel(0), 0x001261U);
  EXPECT_EQ(vik().pixel(0.5), 0xece5e0U);
  EXPECT_EQ(vik().pixel(1), 0x590008U);
  for (int n = 1; n <= 100; ++n) {
    const double before = (n - 1) / 100.0, here = n / 100.0;
    EXPECT_LT(lightness(lajolla().colour(here)), lightness(lajolla().colour(before))) << n;
    const double step = lightness(vik().colour(here)) - lightness(vik().colour(before));
    EXPECT_TRUE(n <= 50 ? step > 0 : step < 0) << n;
  }
  EXPECT_GT(lightness(lajolla().colour(0)), 95) << "paper under what hardly moves";
  EXPECT_LT(lightness(lajolla().colour(1)), 15);
  EXPECT_EQ(vik().pixel(-3), vik().pixel(0));
  EXPECT_EQ(vik().pixel(7), vik().pixel(1));
  EXPECT_EQ(vik().pixel(std::nan("")), vik().pixel(0));
}

TEST(Labels, OverlapNothing) {
  std::mt19937 random(7);
  for (const std::size_t count : {5U, 40U, 400U}) {
    const Area bounds{{10, 20}, 500, 400};
    std::uniform_real_distribution<double> x(bounds.corner.x, bounds.right()), y(bounds.corner.y, bounds.bottom());
    LabelPlacer placer(bounds);
    std::vector<Area> marks, boxes;
    std::vector<Segment> leaders;
    for (std::size_t n = 0; n < count; ++n) {
      marks.push_back(Area{{x(random), y(random)}, 0, 0}.grown(5));
      placer.block(marks.back());
    }
    for (const Area& mark : marks) {
      const auto label = placer.place_beside({mark.corner.x + 5, mark.corner.y + 5}, 9, {60, 13});
      if (label) {
        boxes.push_back(label->box);
        if (label->leader) {
          leaders.push_back(*label->leader);
        }
      }
    }
    EXPECT_GE(boxes.size(), std::min<std::size_t>(count, 20)) << count;
    for (std::size_t n = 0; n < boxes.size(); ++n) {
      EXPECT_TRUE(bounds.holds(boxes[n]));
      for (std::size_t m = 0; m < n; ++m) {
        EXPECT_FALSE(boxes[n].overlaps(boxes[m])) << n << " and " << m << " of " << count;
      }
      for (const Area& mark : marks) {
        EXPECT_FALSE(boxes[n].overlaps(mark));
      }
      EXPECT_TRUE(std::none_of(leaders.begin(), leaders.end(), [&](const Segment& l) { return crosses(l, boxes[n]); }));
    }
  }
}

TEST(Labels, OfArrivalsMeetNoTrace) {
  const Area row{{100, 200}, 350, 46};
  const std::array<double, 2> bars{180, 186};
  std::vector<Point> flat, swing, wild;
  for (int n = 0; n <= 700; ++n) {
    const double x = row.corner.x + n * 0.5;
    flat.push_back({x, 223});
    swing.push_back({x, 223 - 20 * std::sin((x - 180) / 9)});
    wild.push_back({x, n % 2 == 0 ? 201.0 : 245.0});
  }
  for (const auto& trace : {flat, swing}) {
    const auto boxes = place_letters(trace, bars, row, {7, 9});
    ASSERT_EQ(boxes.size(), 2U);
    ASSERT_TRUE(boxes[0] && boxes[1]);
    EXPECT_FALSE(boxes[0]->overlaps(*boxes[1]));
    for (const auto& box : boxes) {
      EXPECT_TRUE(row.holds(*box));
      for (std::size_t n = 1; n < trace.size(); ++n) {
        EXPECT_FALSE(crosses({trace[n - 1], trace[n]}, *box));
      }
      for (const double x : bars) {
        EXPECT_FALSE(crosses({{x, 206}, {x, 240}}, *box));
      }
    }
  }
  EXPECT_FALSE(place_letters(wild, bars, row, {7, 9})[0]) << "rather none than one on the trace";
}

TEST(Geometry, SegmentsCrossBoxes) {
  const Area box{{10, 10}, 10, 10};
  EXPECT_TRUE(crosses({{0, 0}, {30, 30}}, box));
  EXPECT_TRUE(crosses({{12, 13}, {14, 12}}, box)) << "inside";
  EXPECT_TRUE(crosses({{15, 0}, {15, 11}}, box));
  EXPECT_FALSE(crosses({{0, 11}, {9, 30}}, box));
  EXPECT_FALSE(crosses({{21, 0}, {21, 40}}, box));
  EXPECT_FALSE(crosses({{15, 0}, {15, 9}}, box)) << "ends before";
}

// A scene of the small case, with what happens at one sample of each plane, and a station more.
Scene small_scene() {
  const Case c = small_case();
  Scene scene{c.model.grid, c.hypocentre, 2, {0, -500}, {{{400, 200, 0}, "Lighthouse", 0.005, 0.02}}, {kTrace}, {}};
  scene.stations.push_back({{450, 250, 0}, "a name \xff of old", kNoArrival, kNoArrival});
  scene.stations.push_back({{400, 200, -300}, "Well", 0.004, 0.01});
  scene.traces.resize(3, kTrace);
  for (const Plane& plane : planes_of(c)) {
    PlaneResult result{plane, std::vector<double>(plane.lattice.box().volume(), 0.01), {}};
    result.peak[3] = 2.0 / 3;
    for (const double step : {1, 2, 3}) {
      result.snapshots.push_back({step * c.model.grid.timestep, {result.peak.begin(), result.peak.end()}});
    }
    scene.planes.push_back(result);
  }
  return scene;
}

std::vector<Picture> all_pictures(const Scene& scene) {
  std::vector<Picture> pictures{record_section(scene)};
  for (const PlaneResult& result : scene.planes) {
    pictures.push_back(peak_velocity_picture(scene, result));
    pictures.push_back(wave_field_picture(scene, result));
  }
  return pictures;
}

TEST(Picture, NoWordsOverlapOrLeaveThePage) {
  Scene scene = small_scene();
  // Stations in a crowd.
  for (int n = 0; n < 12; ++n) {
    scene.stations.push_back({{300.0 + 15 * n, 100.0 + 20 * (n % 5), 0}, "Station " + std::to_string(n), 0.01, 0.011});
    scene.traces.push_back(kTrace);
  }
  for (const Picture& picture : all_pictures(scene)) {
    Sheet sheet(picture.size, 0.25);
    picture.draw(sheet);
    const auto& words = sheet.words();
    EXPECT_GE(words.size(), 8U) << picture.stem;
    for (std::size_t n = 0; n < words.size(); ++n) {
      EXPECT_TRUE((Area{{0, 0}, sheet.width(), sheet.height()}.holds(words[n])))
          << picture.stem << ": " << words[n].corner.x << ", " << words[n].corner.y << ", " << words[n].width;
      for (std::size_t m = 0; m < n; ++m) {
        EXPECT_FALSE(words[n].overlaps(words[m]))
            << picture.stem << ": " << words[n].corner.x << ", " << words[n].corner.y << " and " << words[m].corner.x
            << ", " << words[m].corner.y;
      }
    }
  }
}

// The hot sample's colour appears at the place where the axes put its coordinates, in each orientation.
TEST(Panel, PaintsASampleWhereItStands) {
  Scene scene = small_scene();
  for (PlaneResult& result : scene.planes) {
    const Plane& plane = result.plane;
    const Lattice& lattice = plane.lattice;
    const std::size_t across = plane.axis == 0 ? 1 : 0, up = plane.axis == 2 ? 1 : 2;
    const int column = 7, row = 9;
    result.peak.assign(result.peak.size(), 0);
    result.peak[static_cast<std::size_t>(row) * static_cast<std::size_t>(lattice.count[across]) +
                static_cast<std::size_t>(column)] = 1;
    Index3 sample{};
    sample[across] = column;
    sample[up] = row;
    const Index3 node = lattice.node(sample);
    Vec3 position{};
    for (std::size_t d = 0; d < 3; ++d) {
      position[d] = scene.grid.corner[d] + node[d] * scene.grid.spacing;
    }
    const Panel panel(scene, plane, {{10, 20}, 190, 230});
    Sheet sheet({210, 260}, 1);
    panel.paint(sheet, result.peak, [](double v) { return v > 0.9 ? 0xff0000U : 0xffffffU; });
    const Point expected = panel.place(position);
    const auto [dots, columns] = sheet.pixels();
    double x = 0, y = 0, red = 0;
    for (std::size_t n = 0; n < dots.size(); ++n) {
      if ((dots[n] & 0xff00U) == 0) {
        const std::size_t line = n / columns;
        x += static_cast<double>(n % columns) + 0.5;
        y += static_cast<double>(line) + 0.5;
        ++red;
      }
    }
    ASSERT_GT(red, 0) << plane.name;
    EXPECT_NEAR(x / red, expected.x, 1) << plane.name;
    EXPECT_NEAR(y / red, expected.y, 1) << plane.name;
  }
}

TEST(Panel, OfAFlatOrNarrowPlaneCanBeSeen) {
  Scene scene = small_scene();
  for (const Index3& count : {Index3{1000, 2, 1}, Index3{2, 1000, 1}, Index3{1, 1, 1}}) {
    PlaneResult& result = scene.planes[0];
    result.plane.lattice.count = count;
    result.peak.assign(result.plane.lattice.box().volume(), 0.1);
    result.snapshots.assign(1, {0.03, std::vector<float>(result.peak.begin(), result.peak.end())});
    for (const Picture& picture : {peak_velocity_picture(scene, result), wave_field_picture(scene, result)}) {
      EXPECT_LT(picture.size.height, 2000);
      EXPECT_GE(picture.size.width, 300);
      Sheet sheet(picture.size, 0.25);
      picture.draw(sheet);
    }
  }
}

TEST(Panel, SaysWhereItLiesWithATrueMinusSign) {
  const Scene scene = small_scene();
  EXPECT_EQ(where(scene.grid, scene.planes[0].plane), "on the ground");
  EXPECT_NE(where(scene.grid, scene.planes[3].plane).find("Up = \u2212"), std::string::npos);
}

TEST(Picture, OfAMomentIsThatOfThePanels) {
  Scene scene = small_scene();
  EXPECT_EQ(panel_moments(scene, scene.planes[0]), (std::vector<std::size_t>{1, 2})) << "at 1.5 steps and at the end";
  scene.panels = 50;
  EXPECT_EQ(panel_moments(scene, scene.planes[0]), (std::vector<std::size_t>{0, 1, 2}));
  scene.panels = 0;
  EXPECT_TRUE(panel_moments(scene, scene.planes[0]).empty());
}

TEST_F(Output, PicturesAreFilesThatOthersRead) {
  const Scene scene = small_scene();
  for (const Picture& picture : {record_section(scene), peak_velocity_picture(scene, scene.planes[0]),
                                 wave_field_picture(scene, scene.planes[1])}) {
    const std::string stem = path(picture.stem);
    write_picture(picture, stem + ".png", PictureFormat::kPng, 48);
    write_picture(picture, stem + ".pdf", PictureFormat::kPdf, 48);
    write_picture(picture, stem + ".svg", PictureFormat::kSvg, 48);
    const std::unique_ptr<cairo_surface_t, decltype(&cairo_surface_destroy)> image(
        cairo_image_surface_create_from_png((stem + ".png").c_str()), &cairo_surface_destroy);
    ASSERT_EQ(cairo_surface_status(image.get()), CAIRO_STATUS_SUCCESS) << stem;
    EXPECT_EQ(cairo_image_surface_get_width(image.get()), static_cast<int>(std::ceil(picture.size.width / 2)));
    const auto* const dots = reinterpret_cast<const std::uint32_t*>(cairo_image_surface_get_data(image.get()));
    const auto count = cairo_image_surface_get_stride(image.get()) / 4 * cairo_image_surface_get_height(image.get());
    EXPECT_GT(std::set<std::uint32_t>(dots, dots + count).size(), 20U) << stem << " is empty";
    const std::string pdf = bytes_of(stem + ".pdf");
    EXPECT_TRUE(pdf.starts_with("%PDF-1.")) << stem;
    EXPECT_TRUE(pdf.ends_with("%%EOF\n")) << stem;
    EXPECT_NE(pdf.find("/FontFile"), std::string::npos) << "text as text in " << stem;
    const std::string svg = bytes_of(stem + ".svg");
    EXPECT_NE(svg.find("<svg xmlns=\"http://www.w3.org/2000/svg\""), std::string::npos) << stem;
    EXPECT_TRUE(svg.ends_with("</svg>\n")) << stem;
    // Again: the same bytes.
    write_picture(picture, stem + "-again.pdf", PictureFormat::kPdf, 48);
    EXPECT_TRUE(bytes_of(stem + "-again.pdf") == pdf) << stem;
  }
  for (const PictureFormat format : {PictureFormat::kPng, PictureFormat::kPdf, PictureFormat::kSvg}) {
    EXPECT_THROW(write_picture(record_section(scene), "/nowhere/at/all", format, 96), std::runtime_error);
  }
}

TEST(PictureFormats, AreNamedByTheirEndings) {
  EXPECT_EQ(picture_formats("png,svg,png"), (std::vector{PictureFormat::kPng, PictureFormat::kSvg}));
  for (const char* wrong : {"", "gif", "png,", ",pdf", "PNG", "png pdf"}) {
    EXPECT_FALSE(picture_formats(wrong)) << wrong;
  }
  EXPECT_NE(picture_formats_complaint("gif").find("found \"gif\"; expected png, pdf, svg"), std::string::npos);
  EXPECT_EQ(picture_formats_complaint("svg"), "");
}

}  // namespace
}  // namespace ondes3d
