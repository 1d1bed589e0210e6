#include "lb/hierarchical.hpp"

#include "lb/job_tree.hpp"
#include "lb/loads.hpp"

namespace weft::lb {
namespace {

Plan balance_processes(const JobTree& tree, const Strategy& inner, const Instance& instance) {
  Plan plan(instance.ranks.size());
  for (std::size_t p = 0; p < tree.process_count(); ++p) {
    tree.balance_process(p, inner, plan);
  }
  return plan;
}

}  // namespace

Plan Hierarchical::solve(const Instance& instance) const {
  check_instance(instance);
  JobTree tree(instance);
  if (tree.has_parents()) {
    tree.exchange(*outer_);
    Plan plan = not_worse(instance, balance_processes(tree, *inner_, instance));
    if (moves_of(instance, plan).ranks > 0) {
      return plan;
    }
  }
  // Exchange between processes gains nothing: balances only within them.
  return not_worse(instance, balance_processes(JobTree(instance), *inner_, instance));
}

}  // namespace weft::lb
