// Lists of ranges of a rank's memory: what it has mapped there.
#pragma once

#include <stddef.h>
#include <stdlib.h>

namespace weft::shim {

// Whole pages. Ranges in a list do not overlap.
template <typename Of>
struct MappedRange {
  MappedRange* next;
  char *begin, *end;
  Of of;  // what it belongs to
};

// False if there is no memory.
template <typename Of>
bool add(MappedRange<Of>*& list, char* begin, char* end, Of of) {
  auto* const range = static_cast<MappedRange<Of>*>(malloc(sizeof(MappedRange<Of>)));
  if (range != nullptr) {
    *range = {list, begin, end, of};
    list = range;
  }
  return range != nullptr;
}

template <typename Of>
bool overlaps(const MappedRange<Of>& range, const char* begin, const char* end) {
  return range.begin < end && begin < range.end;
}

// The first range in the list that overlaps [begin, end); null if none does.
template <typename Of>
MappedRange<Of>* find_overlapping(MappedRange<Of>* list, const char* begin, const char* end) {
  while (list != nullptr && !overlaps(*list, begin, end)) {
    list = list->next;
  }
  return list;
}

template <typename Of>
size_t length(const MappedRange<Of>* list) {
  size_t count = 0;
  for (; list != nullptr; list = list->next) {
    ++count;
  }
  return count;
}

template <typename Of>
bool has_parts(const MappedRange<Of>* list, Of of) {
  while (list != nullptr && list->of != of) {
    list = list->next;
  }
  return list != nullptr;
}

// Removes [begin, end) from the list: calls out(from, to, of) for each removed part. False if there is no memory: some
// parts may remain.
template <typename Of, typename Out>
bool take_out(MappedRange<Of>*& list, char* begin, char* end, const Out& out) {
  auto left = static_cast<size_t>(end - begin);
  for (MappedRange<Of>** link = &list; *link != nullptr && left != 0;) {
    MappedRange<Of>& range = **link;
    if (!overlaps(range, begin, end)) {
      link = &range.next;
      continue;
    }
    char* const from = begin > range.begin ? begin : range.begin;
    char* const to = end < range.end ? end : range.end;
    const Of of = range.of;
    if (from > range.begin && to < range.end && !add(range.next, to, range.end, of)) {
      return false;
    }
    if (from > range.begin) {
      range.end = from;
      link = &range.next;
    } else if (to < range.end) {
      range.begin = to;
      link = &range.next;
    } else {
      *link = range.next;
      free(&range);
    }
    left -= static_cast<size_t>(to - from);
    out(from, to, of);
  }
  return true;
}

}  // namespace weft::shim
