// MPI_Gather(v) and MPI_Scatter(v): short blocks of one size along a tree, others straight between root and members.
#include "mpi_shim/coll/message_algorithms.hpp"

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

Plan plan_of(CollectiveSteps& steps, const RootedCall& call, const Rooted& rooted) {
  const bool gathers = call.kind == Collective::gather || call.kind == Collective::gatherv;
  const bool alike = call.kind == Collective::gather || call.kind == Collective::scatter;
  const std::size_t block = !alike ? 0 : rooted.is_root ? rooted.side.blocks.bytes() : rooted.own.bytes;
  const Algorithm built_in = alike && block <= kShortBlock ? Algorithm::tree : Algorithm::straight;
  const Algorithm chosen =
      steps.choose(gathers ? Collective::gather : Collective::scatter, block, built_in,
                   alike ? set_of(Algorithm::tree, Algorithm::straight) : set_of(Algorithm::straight));
  return {steps.members(call.kind), call.root, block, chosen == Algorithm::tree};
}

// Blocks of this member's subtree, in a row.
class Subtree {
 public:
  Subtree(CollectiveSteps& steps, const Plan& plan, const Tree& tree)
      : block_(plan.block),
        first_((plan.peers.rank() - plan.root + plan.peers.size()) % plan.peers.size()),
        extent_(tree.extent()),
        data_(steps.scratch(static_cast<std::size_t>(extent_) * block_)) {}
  Buffer part(int number, int extent) const {
    return {data_ + static_cast<std::size_t>(number - first_) * block_, static_cast<std::size_t>(extent) * block_};
  }
  Buffer whole() const { return part(first_, extent_); }
  Buffer own() const { return part(first_, 1); }

 private:
  const std::size_t block_;
  const int first_;
  const int extent_;
  std::byte* const data_;
};

void gather_along_tree(CollectiveSteps& steps, const Plan& plan, const Rooted& rooted) {
  const Tree tree = Tree::rooted(plan.peers, plan.root);
  const Subtree subtree(steps, plan, tree);
  tree.up([&](int child, int extent) { steps.receive(plan.peers, plan.member(child), subtree.part(child, extent)); });
  if (!tree.is_root()) {
    steps.copy(rooted.own, subtree.own());
    steps.send(plan.peers, plan.member(tree.parent()), subtree.whole());
    return;
  }
  for (int number = 1; number < plan.peers.size(); ++number) {
    steps.copy(subtree.part(number, 1), rooted.side.blocks[static_cast<std::size_t>(plan.member(number))]);
  }
}

void gather_straight(CollectiveSteps& steps, const Plan& plan, const Rooted& rooted) {
  if (!rooted.is_root) {
    steps.send(plan.peers, plan.root, rooted.own);
    return;
  }
  std::vector<CollectiveSteps::Ticket> receives;
  for (int from = 0; from < plan.peers.size(); ++from) {
    if (from != plan.root) {
      receives.push_back(steps.start_receive(plan.peers, from, rooted.side.blocks[static_cast<std::size_t>(from)]));
    }
  }
  steps.wait_all(receives);
}

void scatter_along_tree(CollectiveSteps& steps, const Plan& plan, const Rooted& rooted) {
  const Tree tree = Tree::rooted(plan.peers, plan.root);
  const Subtree subtree(steps, plan, tree);
  if (tree.is_root()) {
    for (int number = 1; number < plan.peers.size(); ++number) {
      steps.copy(rooted.side.blocks[static_cast<std::size_t>(plan.member(number))], subtree.part(number, 1));
    }
  } else {
    steps.receive(plan.peers, plan.member(tree.parent()), subtree.whole());
    steps.copy(subtree.own(), rooted.own);
  }
  tree.down([&](int child, int extent) { steps.send(plan.peers, plan.member(child), subtree.part(child, extent)); });
}

void scatter_straight(CollectiveSteps& steps, const Plan& plan, const Rooted& rooted) {
  if (!rooted.is_root) {
    steps.receive(plan.peers, plan.root, rooted.own);
    return;
  }
  std::vector<CollectiveSteps::Ticket> sends;
  for (int to = 0; to < plan.peers.size(); ++to) {
    if (to != plan.root) {
      sends.push_back(steps.start_send(plan.peers, to, rooted.side.blocks[static_cast<std::size_t>(to)]));
    }
  }
  steps.wait_all(sends);
}

}  // namespace

void gather(CollectiveSteps& steps, const RootedCall& call, const Rooted& rooted) {
  const Plan plan = plan_of(steps, call, rooted);
  if (plan.by_tree && plan.block != 0) {
    gather_along_tree(steps, plan, rooted);
  } else if (!plan.by_tree) {
    gather_straight(steps, plan, rooted);
  }
  if (rooted.is_root && !rooted.in_place) {
    steps.copy(rooted.own, rooted.side.blocks[static_cast<std::size_t>(call.root)], call.root);
  }
}

void scatter(CollectiveSteps& steps, const RootedCall& call, const Rooted& rooted) {
  const Plan plan = plan_of(steps, call, rooted);
  if (plan.by_tree && plan.block != 0) {
    scatter_along_tree(steps, plan, rooted);
  } else if (!plan.by_tree) {
    scatter_straight(steps, plan, rooted);
  }
  if (rooted.is_root && !rooted.in_place) {
    steps.copy(rooted.side.blocks[static_cast<std::size_t>(call.root)], rooted.own, call.root);
  }
}

}  // namespace weft::mpi_shim::spread
