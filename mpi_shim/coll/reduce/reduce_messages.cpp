// Reductions. Short vectors go up a tree whose subtrees are those of the fixed association, or are swapped along it
// in both directions; of long ones every member combines a part, in the same tree.
#include "mpi_shim/coll/reduce/reduce_messages.hpp"

#include <algorithm>

#include "mpi_shim/coll/message_algorithms.hpp"

namespace weft::mpi_shim::spread {
namespace {

using runtime::Buffer;

// A member's part must be worth its messages.
constexpr std::size_t kLongPart = 4096;
constexpr std::size_t kLongVector = std::size_t{64} << 10;

std::size_t element_of(const Reduction& reduction) {
  return reduction.own != nullptr ? reduction.type->size() : element_bytes(*reduction.type);
}

Algorithm algorithm_of(CollectiveSteps& steps, const Reduction& reduction, int members) {
  using enum Algorithm;
  const Collective call = choice_of(reduction.call);
  const std::size_t bytes = reduction.elements * element_of(reduction);
  const bool is_long = bytes >= kLongVector && bytes >= kLongPart * static_cast<std::size_t>(members);
  const Algorithm built_in = call == Collective::scan ? chain : is_long ? parts : tree;
  return steps.choose(call, bytes, built_in, algorithms_of(call, Site::processes));
}

// Multiples of `unit`, but for the end.
std::vector<std::size_t> equal_parts(std::size_t elements, std::size_t unit, int members) {
  const auto n = static_cast<std::size_t>(members);
  const std::size_t units = elements / unit;
  std::vector<std::size_t> starts(n + 1);
  for (std::size_t i = 0; i <= n; ++i) {
    starts[i] = (units / n * i + units % n * i / n) * unit;
  }
  return starts;
}

// Member i's part is elements starts[i] … starts[i + 1]: the others send it theirs.
void* combine_part(CollectiveSteps& steps, const Peers& peers, const Reduction& reduction,
                   std::span<const std::size_t> starts) {
  Values values(steps, reduction);
  const auto size = static_cast<std::size_t>(peers.size());
  const auto me = static_cast<std::size_t>(peers.rank());
  const Piece mine{starts[me], starts[me + 1] - starts[me]};
  std::vector<void*> parts(size);
  std::vector<CollectiveSteps::Ticket> receives, sends;
  for (std::size_t from = 0; from < size; ++from) {
    parts[from] = values.room(mine.count);
    if (from != me && mine.count != 0) {
      receives.push_back(steps.start_receive(peers, static_cast<int>(from), values.run(parts[from], 0, mine.count)));
    }
  }
  for (std::size_t step = 1; step < size; ++step) {
    const std::size_t to = (me + step) % size;
    if (const std::size_t n = starts[to + 1] - starts[to]; n != 0) {
      sends.push_back(steps.start_send(peers, static_cast<int>(to), values.input(starts[to], n)));
    }
  }
  values.load(parts[me], mine);
  steps.wait_all(receives);
  for (std::size_t step = 1; step < size; step *= 2) {
    for (std::size_t left = 0; left + step < size; left += 2 * step) {
      values.append(parts[left], parts[left + step], mine.count);
    }
  }
  steps.wait_all(sends);
  return parts.front();
}

void reduce_to_root(CollectiveSteps& steps, const Peers& peers, const Reduction& reduction) {
  Values values(steps, reduction);
  void* const whole = combine(steps, peers, reduction);
  if (peers.rank() == 0 && reduction.root != 0) {
    steps.send(peers, reduction.root, values.run(whole, 0, reduction.elements));
  } else if (peers.rank() == reduction.root && reduction.root == 0) {
    values.store(whole, 0, reduction.elements, 0);
  } else if (peers.rank() == reduction.root) {
    steps.receive(peers, 0, values.output(0, reduction.elements));
  }
}

void reduce_long_to_root(CollectiveSteps& steps, const Peers& peers, const Reduction& reduction) {
  Values values(steps, reduction);
  const std::vector<std::size_t> starts = equal_parts(reduction.elements, values.unit(), peers.size());
  void* const part = combine_part(steps, peers, reduction, starts);
  const auto me = static_cast<std::size_t>(peers.rank());
  const std::size_t n = starts[me + 1] - starts[me];
  if (peers.rank() != reduction.root) {
    steps.send(peers, reduction.root, values.run(part, 0, n));
    return;
  }
  std::vector<CollectiveSteps::Ticket> receives;
  for (std::size_t from = 0; from + 1 < starts.size(); ++from) {
    if (from != me) {
      const Buffer place = values.output(starts[from], starts[from + 1] - starts[from]);
      receives.push_back(steps.start_receive(peers, static_cast<int>(from), place));
    }
  }
  values.store(part, 0, n, starts[me]);
  steps.wait_all(receives);
}

void reduce_to_all(CollectiveSteps& steps, const Peers& peers, const Reduction& reduction) {
  Values values(steps, reduction);
  void* const whole = combine(steps, peers, reduction);
  if (peers.rank() == 0) {
    values.store(whole, 0, reduction.elements, 0);
  }
  hand_down(steps, peers, 0, values.output(0, reduction.elements));
}

void reduce_long_to_all(CollectiveSteps& steps, const Peers& peers, const Reduction& reduction) {
  Values values(steps, reduction);
  const std::vector<std::size_t> starts = equal_parts(reduction.elements, values.unit(), peers.size());
  void* const part = combine_part(steps, peers, reduction, starts);
  const auto place = [&](int member) {
    const auto i = static_cast<std::size_t>(member);
    return values.output(starts[i], starts[i + 1] - starts[i]);
  };
  const auto me = static_cast<std::size_t>(peers.rank());
  values.store(part, 0, starts[me + 1] - starts[me], starts[me]);
  pass_around(steps, peers, place);
}

// What a member receives at a level of the tree from the block beside its own: all members of a block of `step`
// neighbours hold the block's value. Where the upper block is shorter, its members tell several of the lower one.
struct Swap {
  int from = 0;
  int first = 0;  // receivers are `first`, and with `stride` those behind it, up to `end`
  int stride = 1;
  int end = 0;
  bool upper = false;
};

Swap swap_at(int rank, int size, int step) {
  const int base = rank & ~(2 * step - 1);
  const int middle = base + step;
  const int above = std::min(step, size - middle);  // members of the upper block
  if (rank >= middle) {
    return {rank - step, rank - step, above, middle, true};
  }
  const int place = rank - base;
  return {middle + place % above, middle + place, 1, place < above ? middle + place + 1 : 0, false};
}

void reduce_by_doubling(CollectiveSteps& steps, const Peers& peers, const Reduction& reduction) {
  Values values(steps, reduction);
  const std::size_t n = reduction.elements;
  void* running = values.room(n);
  void* other = values.room(n);
  values.load(running, {0, n});
  std::vector<CollectiveSteps::Ticket> messages;
  for (int step = 1; step < peers.size(); step *= 2) {
    if ((peers.rank() & ~(2 * step - 1)) + step >= peers.size()) {
      continue;  // nobody is above this member's block
    }
    const Swap swap = swap_at(peers.rank(), peers.size(), step);
    messages.push_back(steps.start_receive(peers, swap.from, values.run(other, 0, n)));
    for (int to = swap.first; to < swap.end; to += swap.stride) {
      messages.push_back(steps.start_send(peers, to, values.run(running, 0, n)));
    }
    steps.wait_all(messages);
    if (swap.upper) {
      std::swap(running, other);
    }
    values.append(running, other, n);
  }
  values.store(running, 0, n, 0);
}

void reduce_scatter(CollectiveSteps& steps, const Peers& peers, const Reduction& reduction, bool in_parts) {
  if (!in_parts) {
    take_block(steps, peers, reduction, combine(steps, peers, reduction));
    return;
  }
  const auto me = static_cast<std::size_t>(peers.rank());
  void* const block = combine_part(steps, peers, reduction, reduction.starts);
  Values(steps, reduction).store(block, 0, reduction.starts[me + 1] - reduction.starts[me], 0);
}

}  // namespace

void* combine(CollectiveSteps& steps, const Peers& peers, const Reduction& reduction) {
  Values values(steps, reduction);
  const std::size_t n = reduction.elements;
  const Tree tree(peers.rank(), peers.size());
  if (const Buffer mine = values.input(0, n); tree.extent() == 1 && !tree.is_root() && mine.layout == nullptr) {
    steps.send(peers, tree.parent(), mine);
    return nullptr;
  }
  void* running = values.room(n);
  values.load(running, {0, n});
  if (tree.extent() > 1) {
    void* right = values.room(n);
    tree.up([&](int child, int) {
      steps.receive(peers, child, values.run(right, 0, n));
      values.append(running, right, n);
    });
  }
  if (!tree.is_root()) {
    steps.send(peers, tree.parent(), values.run(running, 0, n));
  }
  return running;
}

void take_block(CollectiveSteps& steps, const Peers& peers, const Reduction& reduction, void* whole) {
  Values values(steps, reduction);
  const auto& starts = reduction.starts;
  if (peers.rank() == 0) {
    std::vector<CollectiveSteps::Ticket> sends;
    for (std::size_t to = 1; to + 1 < starts.size(); ++to) {
      if (const std::size_t n = starts[to + 1] - starts[to]; n != 0) {
        sends.push_back(steps.start_send(peers, static_cast<int>(to), values.run(whole, starts[to], n)));
      }
    }
    values.store(whole, 0, starts[1], 0);
    steps.wait_all(sends);
    return;
  }
  const auto me = static_cast<std::size_t>(peers.rank());
  if (const std::size_t n = starts[me + 1] - starts[me]; n != 0) {
    steps.receive(peers, 0, values.output(0, n));
  }
}

void reduce(CollectiveSteps& steps, const Reduction& reduction) {
  steps.reduces(reduction);
  const Peers peers = steps.members(reduction.call);
  const Algorithm chosen = algorithm_of(steps, reduction, peers.size());
  const bool in_parts = chosen == Algorithm::parts;
  switch (reduction.outcome) {
    case Outcome::at_root:
      in_parts ? reduce_long_to_root(steps, peers, reduction) : reduce_to_root(steps, peers, reduction);
      break;
    case Outcome::at_all:
      if (chosen == Algorithm::doubling) {
        reduce_by_doubling(steps, peers, reduction);
      } else {
        in_parts ? reduce_long_to_all(steps, peers, reduction) : reduce_to_all(steps, peers, reduction);
      }
      break;
    case Outcome::spread:
      reduce_scatter(steps, peers, reduction, in_parts);
      break;
    case Outcome::scan:
    case Outcome::exscan:
      combine_prefixes(steps, peers, reduction);
      break;
  }
}

}  // namespace weft::mpi_shim::spread
