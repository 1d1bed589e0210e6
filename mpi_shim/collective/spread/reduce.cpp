// Reductions. Short vectors go up a tree whose subtrees are those of the fixed association; of long ones every member
// combines a part, in the same tree.
#include "mpi_shim/collective/spread/reduce.hpp"

#include <algorithm>

#include "mpi_shim/collective/spread/spread.hpp"

namespace weft::mpi_shim::spread {
namespace {

// A member's part must be worth its messages.
constexpr std::size_t kLongPart = 4096;
constexpr std::size_t kLongVector = std::size_t{64} << 10;

std::size_t element_of(const Reduction& reduction) {
  return reduction.own != nullptr ? reduction.type->size() : element_bytes(*reduction.type);
}

bool is_long(const Reduction& reduction, int members) {
  const std::size_t bytes = reduction.elements * element_of(reduction);
  return bytes >= kLongVector && bytes >= kLongPart * static_cast<std::size_t>(members);
}

std::vector<std::size_t> equal_parts(std::size_t elements, int members) {
  const auto n = static_cast<std::size_t>(members);
  std::vector<std::size_t> starts(n + 1);
  for (std::size_t i = 0; i <= n; ++i) {
    starts[i] = elements / n * i + elements % n * i / n;
  }
  return starts;
}

// Member i's part is elements starts[i] … starts[i + 1]: the others send it theirs.
Partial combine_part(const Peers& peers, const Reduction& reduction, std::span<const std::size_t> starts) {
  const auto size = static_cast<std::size_t>(peers.size());
  const auto me = static_cast<std::size_t>(peers.rank());
  const Piece mine{starts[me], starts[me + 1] - starts[me]};
  std::vector<Partial> parts;
  parts.reserve(size);
  std::vector<runtime::Request> receives(size), sends(size);
  for (std::size_t from = 0; from < size; ++from) {
    parts.emplace_back(reduction, mine);
    if (from != me && mine.count != 0) {
      peers.start_receive(static_cast<int>(from), parts[from].buffer(), receives[from]);
    }
  }
  const Vector input(reduction, reduction.input, true);
  for (std::size_t step = 1; step < size; ++step) {
    const std::size_t to = (me + step) % size;
    if (const std::size_t n = starts[to + 1] - starts[to]; n != 0) {
      peers.start_send(static_cast<int>(to), input.run(starts[to], n), sends[to]);
    }
  }
  parts[me].load();
  peers.wait(receives);
  for (std::size_t step = 1; step < size; step *= 2) {
    for (std::size_t left = 0; left + step < size; left += 2 * step) {
      parts[left].append(parts[left + step]);
    }
  }
  peers.wait(sends);
  return std::move(parts.front());
}

void reduce_to_root(const Peers& peers, const Reduction& reduction) {
  const Partial whole = combine(peers, reduction);
  if (peers.rank() == 0 && reduction.root != 0) {
    peers.send(reduction.root, whole.buffer());
  } else if (peers.rank() == reduction.root && reduction.root == 0) {
    whole.store(0, whole.count(), 0);
  } else if (peers.rank() == reduction.root) {
    Partial result(reduction, {0, reduction.elements});
    peers.receive(0, result.buffer());
    result.store(0, result.count(), 0);
  }
}

void reduce_long_to_root(const Peers& peers, const Reduction& reduction) {
  const std::vector<std::size_t> starts = equal_parts(reduction.elements, peers.size());
  const Partial part = combine_part(peers, reduction, starts);
  if (peers.rank() != reduction.root) {
    peers.send(reduction.root, part.buffer());
    return;
  }
  Vector output(reduction, reduction.output, false);
  std::vector<runtime::Request> receives(starts.size() - 1);
  for (std::size_t from = 0; from < receives.size(); ++from) {
    const runtime::Buffer place = output.run(starts[from], starts[from + 1] - starts[from]);
    if (static_cast<int>(from) == peers.rank()) {
      runtime::transfer(part.buffer(), place);
    } else {
      peers.start_receive(static_cast<int>(from), place, receives[from]);
    }
  }
  peers.wait(receives);
  output.finish();
}

void reduce_to_all(const Peers& peers, const Reduction& reduction) {
  const Partial whole = combine(peers, reduction);
  hand_down(peers, 0, whole.buffer());
  whole.store(0, whole.count(), 0);
}

void reduce_long_to_all(const Peers& peers, const Reduction& reduction) {
  const std::vector<std::size_t> starts = equal_parts(reduction.elements, peers.size());
  const Partial part = combine_part(peers, reduction, starts);
  Vector output(reduction, reduction.output, false);
  const auto place = [&](int member) {
    const auto i = static_cast<std::size_t>(member);
    return output.run(starts[i], starts[i + 1] - starts[i]);
  };
  runtime::transfer(part.buffer(), place(peers.rank()));
  pass_around(peers, place);
  output.finish();
}

void reduce_scatter(const Peers& peers, const Reduction& reduction) {
  if (!is_long(reduction, peers.size())) {
    take_block(peers, reduction, combine(peers, reduction));
    return;
  }
  const Partial block = combine_part(peers, reduction, reduction.starts);
  block.store(0, block.count(), 0);
}

}  // namespace

Partial combine(const Peers& peers, const Reduction& reduction) {
  Partial running(reduction, {0, reduction.elements});
  running.load();
  const Tree tree(peers.rank(), peers.size());
  if (tree.extent() > 1) {
    Partial right(reduction, {0, reduction.elements});
    tree.up([&](int child, int) {
      peers.receive(child, right.buffer());
      running.append(right);
    });
  }
  if (!tree.is_root()) {
    peers.send(tree.parent(), running.buffer());
  }
  return running;
}

void take_block(const Peers& peers, const Reduction& reduction, const Partial& whole) {
  const auto& starts = reduction.starts;
  if (peers.rank() == 0) {
    std::vector<runtime::Request> sends(static_cast<std::size_t>(peers.size()));
    for (std::size_t to = 1; to < sends.size(); ++to) {
      if (const std::size_t n = starts[to + 1] - starts[to]; n != 0) {
        peers.start_send(static_cast<int>(to), whole.run(starts[to], n), sends[to]);
      }
    }
    whole.store(0, starts[1], 0);
    peers.wait(sends);
    return;
  }
  const auto me = static_cast<std::size_t>(peers.rank());
  const Piece mine{starts[me], starts[me + 1] - starts[me]};
  if (mine.count != 0) {
    Partial block(reduction, mine);
    peers.receive(0, block.buffer());
    block.store(0, mine.count, 0);
  }
}

int reduce_together(const Entry& entry, const Communicator& comm, const Reduction& reduction) {
  const Peers peers = members(entry, comm, reduction.call);
  const bool in_parts = is_long(reduction, comm.size());
  switch (reduction.outcome) {
    case Outcome::at_root:
      in_parts ? reduce_long_to_root(peers, reduction) : reduce_to_root(peers, reduction);
      break;
    case Outcome::at_all:
      in_parts ? reduce_long_to_all(peers, reduction) : reduce_to_all(peers, reduction);
      break;
    case Outcome::spread:
      reduce_scatter(peers, reduction);
      break;
    case Outcome::scan:
    case Outcome::exscan:
      combine_prefixes(peers, reduction);
      break;
  }
  return MPI_SUCCESS;
}

}  // namespace weft::mpi_shim::spread
