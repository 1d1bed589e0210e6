#include "pictures/panel.hpp"

#include <array>
#include <cmath>

#include "pictures/labels.hpp"

namespace ondes3d {
namespace {

constexpr std::array<const char*, 3> kNames{"East", "North", "Up"};
constexpr double kLeastHeight = 30, kLeastWidth = 60;
constexpr double kMark = 5, kReach = 9, kLabelSize = 12;
constexpr std::size_t kMostNames = 40;

struct StationMark {
  Point at;
  std::string names;  // of all stations there
};

std::vector<StationMark> marks(const Panel& panel, const std::vector<SceneStation>& stations) {
  std::vector<StationMark> list;
  for (const SceneStation& station : stations) {
    const Point at = panel.place(station.position);
    const auto same = std::find_if(list.begin(), list.end(), [&](const StationMark& mark) {
      return std::hypot(mark.at.x - at.x, mark.at.y - at.y) < 1;
    });
    if (same == list.end()) {
      list.push_back({at, station.name});
    } else {
      same->names += ", " + station.name;
    }
  }
  return list;
}

}  // namespace

Panel::Panel(const Scene& scene, const Plane& plane, const Area& room)
    : scene_(scene), plane_(plane), across_(plane.axis == 0 ? 1 : 0), up_(plane.axis == 2 ? 1 : 2), area_(room) {
  const double ratio = cells(up_) / cells(across_);
  area_.width = std::max(kLeastWidth, std::min(room.width, room.height / ratio));
  area_.height = std::max(kLeastHeight, std::min(room.height, area_.width * ratio));
}

Point Panel::place(const Vec3& position) const {
  const Vec3 at = scene_.grid.in_cells(position);
  const auto share = [&](std::size_t axis) { return (at[axis] - plane_.lattice.first[axis]) / cells(axis); };
  return {area_.corner.x + area_.width * share(across_), area_.corner.y + area_.height * (1 - share(up_))};
}

int Panel::dots(double length, const Sheet& sheet) {
  return std::max(1, static_cast<int>(std::lround(length * sheet.density())));
}

AxisRange Panel::km(std::size_t axis) const {
  const double low = plane_.lattice.origin(scene_.grid)[axis];
  return {low / 1000, (low + cells(axis) * scene_.grid.spacing) / 1000};
}

Panel::Nodes Panel::nodes(double share, std::size_t axis) const {
  const double at = share * cells(axis);
  const int last = count(axis) - 1;
  const int first = std::clamp(static_cast<int>(at), 0, std::max(0, last - 1));
  return {static_cast<std::size_t>(first), static_cast<std::size_t>(std::min(first + 1, last)), at - first};
}

void Panel::across_axis(Sheet& sheet, bool named) const {
  horizontal_axis(sheet, area_, km(across_), named ? std::string(kNames[across_]) + " (km)" : "");
}

void Panel::up_axis(Sheet& sheet, bool named) const {
  vertical_axis(sheet, area_, km(up_), named ? std::string(kNames[up_]) + " (km)" : "");
}

void Panel::mark_hypocentre(Sheet& sheet, double size) const {
  const Point p = place(scene_.hypocentre);
  std::array<Point, 10> star;
  for (std::size_t n = 0; n < star.size(); ++n) {
    const double angle = 0.62831853 * static_cast<double>(n);
    const double radius = n % 2 == 0 ? size : 0.42 * size;
    star[n] = {p.x + radius * std::sin(angle), p.y - radius * std::cos(angle)};
  }
  sheet.polygon(star, kPaper, kInk);
}

std::size_t Panel::mark_stations(Sheet& sheet) const {
  const auto list = marks(*this, scene_.stations);
  LabelPlacer placer(area_.grown(-2));
  const auto square = [](Point at, double half) { return Area{{at.x - half, at.y - half}, 2 * half, 2 * half}; };
  placer.block(square(place(scene_.hypocentre), 8));
  for (const StationMark& mark : list) {
    placer.block(square(mark.at, kMark + 0.5));
  }
  std::size_t nameless = 0;
  const bool named = list.size() <= kMostNames;
  std::vector<std::pair<Area, std::string>> labels;
  for (const StationMark& mark : list) {
    const double width = text_width(mark.names, kLabelSize);
    const auto label =
        named ? placer.place_beside(mark.at, kReach, {width + 2, (kAscent + kDescent) * kLabelSize + 1}) : std::nullopt;
    if (!label) {
      ++nameless;
      continue;
    }
    if (label->leader) {
      sheet.segment(*label->leader, kInk, 0.8);
    }
    labels.emplace_back(label->box, mark.names);
  }
  for (const StationMark& mark : list) {
    const auto& [x, y] = mark.at;
    sheet.polygon(std::array<Point, 3>{{{x, y - kMark}, {x + kMark, y + 0.8 * kMark}, {x - kMark, y + 0.8 * kMark}}},
                  kPaper, kInk);
  }
  for (const auto& [box, names] : labels) {
    sheet.text({box.corner.x + 1, box.corner.y + 0.5 + kAscent * kLabelSize}, names,
               {.size = kLabelSize, .halo = true});
  }
  return nameless;
}

void Panel::mark_layers(Sheet& sheet) const {
  if (plane_.axis == 2) {
    return;
  }
  for (const double roof : scene_.roofs) {
    const double y = place({0, 0, roof}).y;
    if (y > area_.corner.y + 1 && y < area_.bottom() - 1) {
      sheet.segment({{area_.corner.x, y}, {area_.right(), y}}, {0.6, 0.61, 0.64}, 0.8);
    }
  }
}

std::string where(const Grid& grid, const Plane& plane) {
  if (plane.is_ground()) {
    return "on the ground";
  }
  const auto axis = static_cast<std::size_t>(plane.axis);
  return std::string("in the plane ") + kNames[axis] + " = " + number_text(plane.lattice.origin(grid)[axis] / 1000) +
         " km";
}

}  // namespace ondes3d
