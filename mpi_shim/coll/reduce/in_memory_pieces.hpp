// Reductions in memory, by pieces of the vectors: one member reads a piece of every member's vector, combines them and
// writes the result for all. The algorithms in_memory, in_memory_split and deferred use it.
#pragma once

#include <algorithm>

#include "mpi_shim/coll/reduce/combiner.hpp"

namespace weft::mpi_shim {
inline namespace coll {

// Writes a member's vectors to the first four words of its exchange slot or contribution, and reads them from there.
inline void publish(const Reduction& reduction, const void** words) {
  words[0] = reduction.input;
  words[1] = reduction.output;
  words[2] = reduction.type;
  words[3] = reinterpret_cast<const void*>(reduction.count);
}
inline MemberVectors vectors_in(const void* const* words) {
  return {words[0], const_cast<void*>(words[1]), static_cast<const Datatype*>(words[2]),
          reinterpret_cast<std::size_t>(words[3])};
}

template <typename Combiner, typename Members>
void store_scattered(const Members& members, const Reduction& reduction, const Combiner& combiner, Piece piece) {
  const auto& starts = reduction.starts;
  const std::size_t end = piece.first + piece.count;
  auto block =
      static_cast<std::size_t>(std::upper_bound(starts.begin(), starts.end(), piece.first) - starts.begin()) - 1;
  for (std::size_t at = piece.first; at < end; ++block) {
    const std::size_t n = std::min(end, starts[block + 1]) - at;
    if (n != 0) {
      combiner.store(members.vectors(static_cast<std::uint32_t>(block)), at - piece.first, n, at - starts[block]);
    }
    at += n;
  }
}

template <typename Combiner, typename Members>
void combine_prefixes(const Members& members, Combiner& combiner, Piece piece, bool exclusive) {
  combiner.push(members.vectors(0));
  if (!exclusive) {
    combiner.store(members.vectors(0), 0, piece.count, piece.first);
  }
  for (std::uint32_t member = 1; member < members.size(); ++member) {
    const MemberVectors its = members.vectors(member);
    // In place, a member's output is its input: read before it is written.
    combiner.advance(its);
    if (exclusive) {
      combiner.store(its, 0, piece.count, piece.first);
    }
    combiner.swap();
    if (!exclusive) {
      combiner.store(its, 0, piece.count, piece.first);
    }
  }
}

// Combines the members' elements of one piece and stores the results of all members. `members` has size() and
// vectors(i), member i's MemberVectors.
template <typename Combiner, typename Members>
void combine_piece(const Members& members, const Reduction& reduction, Piece piece) {
  Combiner combiner(reduction, piece, members.size());
  if (reduction.outcome == Outcome::scan || reduction.outcome == Outcome::exscan) {
    combine_prefixes(members, combiner, piece, reduction.outcome == Outcome::exscan);
    return;
  }
  combine_in_tree(combiner, members.size(),
                  [&](std::size_t member) { return members.vectors(static_cast<std::uint32_t>(member)); });
  if (reduction.outcome == Outcome::at_root) {
    combiner.store(members.vectors(static_cast<std::uint32_t>(reduction.root)), 0, piece.count, piece.first);
  } else if (reduction.outcome == Outcome::scattered) {
    store_scattered(members, reduction, combiner, piece);
  } else {
    for (std::uint32_t member = 0; member < members.size(); ++member) {
      combiner.store(members.vectors(member), 0, piece.count, piece.first);
    }
  }
}

}  // namespace coll
}  // namespace weft::mpi_shim
