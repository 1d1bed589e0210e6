// Places for labels where they overlap neither each other nor what is drawn.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "pictures/geometry.hpp"

namespace ondes3d {

class LabelPlacer {
 public:
  // Labels stay within `bounds`.
  explicit LabelPlacer(const Area& bounds) : bounds_(bounds) {}

  void block(const Area& area) { areas_.push_back(area); }
  void block(const Segment& segment) { segments_.push_back(segment); }

  // The first of the boxes that is free, which is then taken.
  [[nodiscard]] std::optional<Area> take_first(std::span<const Area> candidates);

  struct Label {
    Area box;
    std::optional<Segment> leader;  // from what it names, where it stands away from it
  };
  // A box of this size beside a mark that reaches `reach` around its middle, as near as there is room: in eight
  // directions, right and left first. Nothing where all are taken.
  [[nodiscard]] std::optional<Label> place_beside(Point mark, double reach, Extent size);

 private:
  [[nodiscard]] bool is_free(const Area& box) const;
  [[nodiscard]] bool is_free(const Segment& leader) const;

  Area bounds_;
  std::vector<Area> areas_;
  std::vector<Segment> segments_;
};

}  // namespace ondes3d
