// The program's tallies in three parts: open (not sent), batch (sent) and credited.
#pragma once

#include <cstdint>
#include <vector>

#include "iterations/roles.hpp"

namespace weft::iterations {

// One array of the program, borrowed until restore().
template <class Number>
class Tally {
 public:
  Tally(Number* open, int length)
      : open_(open), batch_(static_cast<std::size_t>(length)), credited_(static_cast<std::size_t>(length)) {
    drop_open();
  }

  void apply(TallyEvent event) {
    switch (event) {
      case TallyEvent::close:
        batch_.assign(open_, open_ + batch_.size());
        drop_open();
        break;
      case TallyEvent::credit:
        for (std::size_t i = 0; i < batch_.size(); ++i) {
          credited_[i] += batch_[i];
        }
        break;
      case TallyEvent::drop_batch:
        break;
      case TallyEvent::drop_open:
        drop_open();
        break;
    }
  }

  // Copies the credited sums to the program's array.
  void restore() {
    for (std::size_t i = 0; i < credited_.size(); ++i) {
      open_[i] = credited_[i];
    }
  }

 private:
  void drop_open() {
    for (std::size_t i = 0; i < batch_.size(); ++i) {
      open_[i] = Number{};
    }
  }

  Number* open_;
  std::vector<Number> batch_, credited_;
};

// All tallies of a rank.
struct Tallies {
  void apply(TallyEvent event) {
    counts.apply(event);
    sums.apply(event);
  }
  void restore() {
    counts.restore();
    sums.restore();
  }

  Tally<std::int64_t> counts;
  Tally<double> sums;
};

}  // namespace weft::iterations
