#include "iterations/message.hpp"

#include <array>
#include <bit>

namespace weft::iterations {
namespace {

constexpr std::size_t kHeader = 11;  // four integers, seven numbers

}  // namespace

void append(std::vector<std::int64_t>& words, std::span<const RangeSet* const> sets) {
  for (const RangeSet* set : sets) {
    words.push_back(static_cast<std::int64_t>(set->ranges().size()));
  }
  for (const RangeSet* set : sets) {
    for (const Range& range : set->ranges()) {
      words.push_back(range.first);
      words.push_back(range.count);
    }
  }
}

bool take(std::span<const std::int64_t> words, std::span<RangeSet* const> sets) {
  if (words.size() < sets.size()) {
    return false;
  }
  const std::span<const std::int64_t> counts = words.first(sets.size());
  std::span<const std::int64_t> rest = words.subspan(sets.size());
  for (std::size_t i = 0; i < sets.size(); ++i) {
    if (counts[i] < 0 || static_cast<std::size_t>(counts[i]) > rest.size() / 2) {
      return false;
    }
    for (std::int64_t range = 0; range < counts[i]; ++range) {
      if (!sets[i]->add(Range{rest[0], rest[1]})) {
        return false;
      }
      rest = rest.subspan(2);
    }
  }
  return rest.empty();
}

std::vector<std::int64_t> pack(const Message& message) {
  std::vector<std::int64_t> words{static_cast<std::int64_t>(message.kind), message.epoch, message.serial,
                                  message.grants};
  for (const double number : {message.done, message.elapsed, message.progress, message.target, message.interval,
                              message.seconds_left, message.spread}) {
    words.push_back(std::bit_cast<std::int64_t>(number));
  }
  append(words, std::array{&message.batch, &message.returned, &message.granted});
  return words;
}

bool unpack(std::span<const std::int64_t> words, Message& message) {
  message = {};
  if (words.size() < kHeader || words[0] < 0 || words[0] > static_cast<std::int64_t>(MessageKind::hand_back)) {
    return false;
  }
  message.kind = static_cast<MessageKind>(words[0]);
  message.epoch = words[1];
  message.serial = words[2];
  message.grants = words[3];
  std::size_t next = 4;
  for (double* number : {&message.done, &message.elapsed, &message.progress, &message.target, &message.interval,
                         &message.seconds_left, &message.spread}) {
    *number = std::bit_cast<double>(words[next++]);
  }
  return take(words.subspan(next), std::array{&message.batch, &message.returned, &message.granted});
}

}  // namespace weft::iterations
