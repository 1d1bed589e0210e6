// MPI_Gather(v) and MPI_Scatter(v): short blocks of one size along a tree, others straight between root and members.
#include "mpi_shim/collective/spread/spread.hpp"

namespace weft::mpi_shim::spread {
namespace {

using runtime::Buffer;

constexpr std::size_t kShortBlock = 2048;

struct Plan {
  Peers peers;
  int root;
  std::size_t block;  // bytes of each, where all are alike
  bool by_tree;

  int member(int number) const { return (number + root) % peers.size(); }
};

Plan plan_of(const Entry& entry, const RootedCall& call, const Rooted& rooted) {
  const bool alike = call.kind == Collective::gather || call.kind == Collective::scatter;
  const std::size_t block = !alike ? 0 : rooted.is_root ? rooted.side.blocks.bytes() : rooted.own.bytes;
  return {members(entry, *rooted.comm, call.kind), call.root, block, alike && block <= kShortBlock};
}

// At the root: a member in whose subtree a block does not fit into its place, or -1.
int gather_along_tree(const Plan& plan, const Rooted& rooted) {
  const Tree tree = Tree::rooted(plan.peers, plan.root);
  std::vector<std::byte> subtree(static_cast<std::size_t>(tree.extent()) * plan.block);
  const auto part = [&](int number, int extent) {
    const auto first =
        static_cast<std::size_t>((plan.peers.rank() - plan.root + plan.peers.size()) % plan.peers.size());
    return Buffer{subtree.data() + (static_cast<std::size_t>(number) - first) * plan.block,
                  static_cast<std::size_t>(extent) * plan.block};
  };
  int too_long = -1;
  tree.up([&](int child, int extent) {
    const Buffer place = part(child, extent);
    too_long = plan.peers.receive(plan.member(child), place) > place.bytes ? plan.member(child) : too_long;
  });
  if (!tree.is_root()) {
    runtime::pack(rooted.own, std::span(subtree).first(plan.block));
    plan.peers.send(plan.member(tree.parent()), {subtree.data(), subtree.size()});
    return -1;
  }
  for (int number = 1; number < plan.peers.size(); ++number) {
    const auto skip = static_cast<std::size_t>(number) * plan.block;
    runtime::unpack(std::span(subtree).subspan(skip, plan.block),
                    rooted.side.blocks[static_cast<std::size_t>(plan.member(number))]);
  }
  return too_long;
}

// A member whose block does not fit into its place, or -1.
int gather_straight(const Plan& plan, const Rooted& rooted) {
  if (!rooted.is_root) {
    plan.peers.send(plan.root, rooted.own);
    return -1;
  }
  std::vector<runtime::Request> receives(static_cast<std::size_t>(plan.peers.size()));
  for (int from = 0; from < plan.peers.size(); ++from) {
    const auto i = static_cast<std::size_t>(from);
    if (from != plan.root) {
      plan.peers.start_receive(from, rooted.side.blocks[i], receives[i]);
    }
  }
  plan.peers.wait(receives);
  for (int from = 0; from < plan.peers.size(); ++from) {
    if (receives[static_cast<std::size_t>(from)].truncated) {
      return from;
    }
  }
  return -1;
}

// Bytes that the root has for this member.
std::uint64_t scatter_along_tree(const Plan& plan, const Rooted& rooted) {
  const Tree tree = Tree::rooted(plan.peers, plan.root);
  const int first = (plan.peers.rank() - plan.root + plan.peers.size()) % plan.peers.size();
  std::vector<std::byte> subtree(static_cast<std::size_t>(tree.extent()) * plan.block);
  std::uint64_t block = 0;
  if (tree.is_root()) {
    for (int number = 1; number < plan.peers.size(); ++number) {
      runtime::pack(rooted.side.blocks[static_cast<std::size_t>(plan.member(number))],
                    std::span(subtree).subspan(static_cast<std::size_t>(number) * plan.block, plan.block));
    }
  } else {
    const std::uint64_t sent = plan.peers.receive(plan.member(tree.parent()), {subtree.data(), subtree.size()});
    block = sent / static_cast<std::uint64_t>(tree.extent());
    runtime::unpack(std::span(subtree).first(plan.block), rooted.own);
  }
  tree.down([&](int child, int extent) {
    plan.peers.send(plan.member(child), {subtree.data() + static_cast<std::size_t>(child - first) * plan.block,
                                         static_cast<std::size_t>(extent) * plan.block});
  });
  return block;
}

// The same.
std::uint64_t scatter_straight(const Plan& plan, const Rooted& rooted) {
  if (!rooted.is_root) {
    return plan.peers.receive(plan.root, rooted.own);
  }
  std::vector<runtime::Request> sends(static_cast<std::size_t>(plan.peers.size()));
  for (int to = 0; to < plan.peers.size(); ++to) {
    const auto i = static_cast<std::size_t>(to);
    if (to != plan.root) {
      plan.peers.start_send(to, rooted.side.blocks[i], sends[i]);
    }
  }
  plan.peers.wait(sends);
  return 0;
}

}  // namespace

int gather(const Entry& entry, const RootedCall& call, const Rooted& rooted) {
  const Plan plan = plan_of(entry, call, rooted);
  int too_long = -1;
  if (plan.by_tree && plan.block != 0) {
    too_long = gather_along_tree(plan, rooted);
  } else if (!plan.by_tree) {
    too_long = gather_straight(plan, rooted);
  }
  if (rooted.is_root && !rooted.in_place) {
    const Buffer place = rooted.side.blocks[static_cast<std::size_t>(call.root)];
    runtime::transfer(rooted.own, place);
    too_long = rooted.own.bytes > place.bytes ? call.root : too_long;
  }
  return too_long < 0 ? MPI_SUCCESS
                      : entry.raise(call.comm, MPI_ERR_TRUNCATE, "rank {} sends more than the {} bytes of its place",
                                    too_long, rooted.side.blocks[static_cast<std::size_t>(too_long)].bytes);
}

int scatter(const Entry& entry, const RootedCall& call, const Rooted& rooted) {
  const Plan plan = plan_of(entry, call, rooted);
  std::uint64_t sent = 0;
  if (plan.by_tree && plan.block != 0) {
    sent = scatter_along_tree(plan, rooted);
  } else if (!plan.by_tree) {
    sent = scatter_straight(plan, rooted);
  }
  if (rooted.is_root && !rooted.in_place) {
    const Buffer block = rooted.side.blocks[static_cast<std::size_t>(call.root)];
    runtime::transfer(block, rooted.own);
    sent = block.bytes;
  }
  return sent <= rooted.own.bytes || rooted.in_place
             ? MPI_SUCCESS
             : raise_too_long(entry, call.comm, call.root, sent, rooted.own.bytes);
}

}  // namespace weft::mpi_shim::spread
