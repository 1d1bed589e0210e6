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

Plan plan_of(Course& course, const RootedCall& call, const Rooted& rooted) {
  const bool gathers = call.kind == Collective::gather || call.kind == Collective::gatherv;
  const bool alike = call.kind == Collective::gather || call.kind == Collective::scatter;
  const std::size_t block = !alike ? 0 : rooted.is_root ? rooted.side.blocks.bytes() : rooted.own.bytes;
  const Algorithm built_in = alike && block <= kShortBlock ? Algorithm::tree : Algorithm::straight;
  const Algorithm chosen =
      course.choose(gathers ? Collective::gather : Collective::scatter, block, built_in,
                    alike ? set_of(Algorithm::tree, Algorithm::straight) : set_of(Algorithm::straight));
  return {course.members(call.kind), call.root, block, chosen == Algorithm::tree};
}

// Blocks of this member's subtree, in a row.
class Subtree {
 public:
  Subtree(Course& course, const Plan& plan, const Tree& tree)
      : block_(plan.block),
        first_((plan.peers.rank() - plan.root + plan.peers.size()) % plan.peers.size()),
        extent_(tree.extent()),
        data_(course.scratch(static_cast<std::size_t>(extent_) * block_)) {}
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

void gather_along_tree(Course& course, const Plan& plan, const Rooted& rooted) {
  const Tree tree = Tree::rooted(plan.peers, plan.root);
  const Subtree subtree(course, plan, tree);
  tree.up([&](int child, int extent) { course.receive(plan.peers, plan.member(child), subtree.part(child, extent)); });
  if (!tree.is_root()) {
    course.copy(rooted.own, subtree.own());
    course.send(plan.peers, plan.member(tree.parent()), subtree.whole());
    return;
  }
  for (int number = 1; number < plan.peers.size(); ++number) {
    course.copy(subtree.part(number, 1), rooted.side.blocks[static_cast<std::size_t>(plan.member(number))]);
  }
}

void gather_straight(Course& course, const Plan& plan, const Rooted& rooted) {
  if (!rooted.is_root) {
    course.send(plan.peers, plan.root, rooted.own);
    return;
  }
  std::vector<Course::Ticket> receives;
  for (int from = 0; from < plan.peers.size(); ++from) {
    if (from != plan.root) {
      receives.push_back(course.start_receive(plan.peers, from, rooted.side.blocks[static_cast<std::size_t>(from)]));
    }
  }
  course.wait_all(receives);
}

void scatter_along_tree(Course& course, const Plan& plan, const Rooted& rooted) {
  const Tree tree = Tree::rooted(plan.peers, plan.root);
  const Subtree subtree(course, plan, tree);
  if (tree.is_root()) {
    for (int number = 1; number < plan.peers.size(); ++number) {
      course.copy(rooted.side.blocks[static_cast<std::size_t>(plan.member(number))], subtree.part(number, 1));
    }
  } else {
    course.receive(plan.peers, plan.member(tree.parent()), subtree.whole());
    course.copy(subtree.own(), rooted.own);
  }
  tree.down([&](int child, int extent) { course.send(plan.peers, plan.member(child), subtree.part(child, extent)); });
}

void scatter_straight(Course& course, const Plan& plan, const Rooted& rooted) {
  if (!rooted.is_root) {
    course.receive(plan.peers, plan.root, rooted.own);
    return;
  }
  std::vector<Course::Ticket> sends;
  for (int to = 0; to < plan.peers.size(); ++to) {
    if (to != plan.root) {
      sends.push_back(course.start_send(plan.peers, to, rooted.side.blocks[static_cast<std::size_t>(to)]));
    }
  }
  course.wait_all(sends);
}

}  // namespace

void gather(Course& course, const RootedCall& call, const Rooted& rooted) {
  const Plan plan = plan_of(course, call, rooted);
  if (plan.by_tree && plan.block != 0) {
    gather_along_tree(course, plan, rooted);
  } else if (!plan.by_tree) {
    gather_straight(course, plan, rooted);
  }
  if (rooted.is_root && !rooted.in_place) {
    course.copy(rooted.own, rooted.side.blocks[static_cast<std::size_t>(call.root)], call.root);
  }
}

void scatter(Course& course, const RootedCall& call, const Rooted& rooted) {
  const Plan plan = plan_of(course, call, rooted);
  if (plan.by_tree && plan.block != 0) {
    scatter_along_tree(course, plan, rooted);
  } else if (!plan.by_tree) {
    scatter_straight(course, plan, rooted);
  }
  if (rooted.is_root && !rooted.in_place) {
    course.copy(rooted.side.blocks[static_cast<std::size_t>(call.root)], rooted.own, call.root);
  }
}

}  // namespace weft::mpi_shim::spread
