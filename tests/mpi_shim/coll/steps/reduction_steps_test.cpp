// Reductions on 1 to 17 members. The operation is neither commutative nor associative, so that a result shows the tree
// it was computed in: all algorithms must use the one that tree.hpp describes.
#include <cstdint>
#include <numeric>
#include <utility>

#include "mpi_shim/coll/steps/allreduce.hpp"
#include "mpi_shim/coll/steps/combine.hpp"
#include "mpi_shim/coll/steps/intercomm.hpp"
#include "mpi_shim/coll/steps/reduce.hpp"
#include "mpi_shim/coll/steps/reduce_scatter.hpp"
#include "mpi_shim/coll/steps/scan.hpp"
#include "tests/mpi_shim/coll/steps/simulator.hpp"

namespace weft::mpi_shim::steps::test {
namespace {

using Element = std::uint64_t;
using Vector = std::vector<Element>;

Element apply(Element left, Element right) { return left * 1000003 + (right ^ (left >> 7)) * 31 + 17; }
Element input_of(int member, std::size_t i) { return static_cast<Element>(member) * 7919 + i * 104729 + 3; }

// One member's vectors.
class Elements {
 public:
  Elements(Recording& recording, int member, std::size_t count) : input_(count), output_(count), recording_(recording) {
    for (std::size_t i = 0; i < count; ++i) {
      input_[i] = input_of(member, i);
    }
  }
  static Memory slice(void* value, std::size_t first, std::size_t n) {
    return {static_cast<Element*>(value) + first, n * sizeof(Element)};
  }
  Memory input(std::size_t first, std::size_t n) { return slice(input_.data(), first, n); }
  Memory output(std::size_t first, std::size_t n) { return slice(output_.data(), first, n); }
  void* allocate(std::size_t n) { return recording_.scratch(n * sizeof(Element)); }
  void load(void* value, std::size_t first, std::size_t n) { recording_.copy(input(first, n), slice(value, 0, n)); }
  void store(void* value, std::size_t first, std::size_t n, std::size_t place) {
    recording_.copy(slice(value, first, n), output(place, n));
  }
  // Like a user's function: the result overwrites the right operand.
  void combine(void*& left, void*& right, std::size_t n) {
    recording_.act([from = static_cast<Element*>(left), into = static_cast<Element*>(right), n] {
      for (std::size_t i = 0; i < n; ++i) {
        into[i] = apply(from[i], into[i]);
      }
    });
    std::swap(left, right);
  }
  static std::size_t unit() { return 2; }
  const Vector& result() const { return output_; }

 private:
  Vector input_;
  Vector output_;
  Recording& recording_;
};

// A group of the simulation's members, from number `begin` on.
struct Group {
  int begin = 0;
  int size = 0;

  // The tree's value of members [first, first + n), n a power of two, as far as the group goes.
  Element whole(int first, int n, std::size_t i) const {
    if (n == 1) {
      return input_of(begin + first, i);
    }
    const Element left = whole(first, n / 2, i);
    return first + n / 2 >= size ? left : apply(left, whole(first + n / 2, n / 2, i));
  }
};

Element whole(const Group& group, std::size_t i) { return group.whole(0, 32, i); }
Element whole(int size, std::size_t i) { return whole(Group{0, size}, i); }

// Calls algorithm(recording, members, elements) for each member, runs the simulation and returns the members' outputs.
template <typename Algorithm>
std::vector<Vector> results(int size, std::size_t count, const Algorithm& algorithm) {
  Simulation simulation(size);
  std::vector<std::unique_ptr<Elements>> elements;
  for (int member = 0; member < size; ++member) {
    Recording& to = simulation.recording(member);
    elements.push_back(std::make_unique<Elements>(to, member, count));
    algorithm(to, Members{member, size}, *elements.back());
  }
  simulation.run(static_cast<unsigned>(size));
  std::vector<Vector> all;
  for (const auto& mine : elements) {
    all.push_back(mine->result());
  }
  return all;
}

constexpr std::size_t kCounts[] = {2, 6, 40};  // fewer than members, and more

template <typename Algorithm>
void expect_at_all(const Algorithm& algorithm) {
  for (int size = 1; size <= kMostMembers; ++size) {
    for (const std::size_t count : kCounts) {
      const auto all = results(
          size, count, [&](auto& to, const auto& members, auto& elements) { algorithm(to, members, elements, count); });
      for (const Vector& result : all) {
        for (std::size_t i = 0; i < count; ++i) {
          ASSERT_EQ(result[i], whole(size, i)) << size << " members, element " << i;
        }
      }
    }
  }
}

TEST(Allreduce, AllGetTheWhole) {
  expect_at_all([](auto& to, const auto& members, auto& elements, std::size_t n) {
    allreduce_binomial(to, members, elements, n);
  });
  expect_at_all([](auto& to, const auto& members, auto& elements, std::size_t n) {
    allreduce_recursive_doubling(to, members, elements, n);
  });
  expect_at_all([](auto& to, const auto& members, auto& elements, std::size_t n) {
    allreduce_reduce_scatter_allgather(to, members, elements, n);
  });
}

template <typename Algorithm>
void expect_at_root(const Algorithm& algorithm) {
  for (int size = 1; size <= kMostMembers; ++size) {
    for (int root = 0; root < size; ++root) {
      const std::size_t count = kCounts[static_cast<std::size_t>(root) % std::size(kCounts)];
      const auto all = results(size, count, [&](auto& to, const auto& members, auto& elements) {
        algorithm(to, members, elements, count, root);
      });
      for (std::size_t i = 0; i < count; ++i) {
        ASSERT_EQ(all[static_cast<std::size_t>(root)][i], whole(size, i)) << size << " members, root " << root;
      }
    }
  }
}

TEST(Reduce, TheRootGetsTheWhole) {
  expect_at_root([](auto& to, const auto& members, auto& elements, std::size_t n, int root) {
    reduce_binomial(to, members, elements, n, root);
  });
  expect_at_root([](auto& to, const auto& members, auto& elements, std::size_t n, int root) {
    reduce_reduce_scatter_gather(to, members, elements, n, root);
  });
}

template <typename Algorithm>
void expect_blocks(const Algorithm& algorithm) {
  for (int size = 1; size <= kMostMembers; ++size) {
    std::vector<std::size_t> starts{0};
    for (int i = 0; i < size; ++i) {
      starts.push_back(starts.back() + static_cast<std::size_t>(i % 3));  // some get nothing
    }
    const auto all = results(size, starts.back(), [&](auto& to, const auto& members, auto& elements) {
      algorithm(to, members, elements, std::span<const std::size_t>(starts));
    });
    for (std::size_t member = 0; member + 1 < starts.size(); ++member) {
      for (std::size_t i = starts[member]; i < starts[member + 1]; ++i) {
        ASSERT_EQ(all[member][i - starts[member]], whole(size, i)) << size << " members, member " << member;
      }
    }
  }
}

TEST(ReduceScatter, EachGetsItsBlockOfTheWhole) {
  expect_blocks([](auto& to, const auto& members, auto& elements, auto starts) {
    reduce_scatter_binomial(to, members, elements, starts);
  });
  expect_blocks([](auto& to, const auto& members, auto& elements, auto starts) {
    reduce_scatter_linear(to, members, elements, starts);
  });
}

// Calls algorithm(recording, groups, elements) for each member of two groups, runs the simulation and returns the
// members' outputs.
template <typename Algorithm>
std::vector<Vector> inter_results(const Group& low, const Group& high, std::size_t count, const Algorithm& algorithm) {
  Simulation simulation(low.size + high.size);
  std::vector<std::unique_ptr<Elements>> elements;
  std::vector<Vector> all;
  for (int member = 0; member < low.size + high.size; ++member) {
    Recording& to = simulation.recording(member);
    elements.push_back(std::make_unique<Elements>(to, member, count));
    const bool is_low = member < low.size;
    const Group& own = is_low ? low : high;
    const Group& others = is_low ? high : low;
    const Groups<Members> groups{{member - own.begin, own.size, own.begin}, {0, others.size, others.begin}};
    algorithm(to, groups, *elements.back());
  }
  simulation.run(static_cast<unsigned>(low.size));
  for (const auto& mine : elements) {
    all.push_back(mine->result());
  }
  return all;
}

constexpr int kGroupSizes[] = {1, 2, 3, 4, 7, 8};

template <typename Check>
void for_each_pair_of_groups(const Check& check) {
  for (const int low : kGroupSizes) {
    for (const int high : kGroupSizes) {
      check(Group{0, low}, Group{low, high});
    }
  }
}

TEST(IntercommAllreduce, AllGetTheOtherGroupsWhole) {
  for_each_pair_of_groups([](const Group& low, const Group& high) {
    constexpr std::size_t kElements = 6;
    const auto all = inter_results(low, high, kElements, [](auto& to, const auto& groups, auto& elements) {
      inter_allreduce(to, groups, elements, kElements);
    });
    for (int member = 0; member < low.size + high.size; ++member) {
      for (std::size_t i = 0; i < kElements; ++i) {
        ASSERT_EQ(all[static_cast<std::size_t>(member)][i], whole(member < low.size ? high : low, i));
      }
    }
  });
}

TEST(IntercommReduce, TheRootGetsTheOtherGroupsWhole) {
  for_each_pair_of_groups([](const Group& low, const Group& high) {
    for (int root = 0; root < low.size; ++root) {
      const auto all = inter_results(low, high, 6, [&](auto& to, const auto& groups, auto& elements) {
        if (groups.own.first != 0) {
          inter_reduce(to, groups, elements, 6, root);
        } else if (groups.own.rank() == root) {
          to.receive(groups.others, 0, elements.output(0, 6));
        }
      });
      for (std::size_t i = 0; i < 6; ++i) {
        ASSERT_EQ(all[static_cast<std::size_t>(root)][i], whole(high, i));
      }
    }
  });
}

TEST(IntercommReduceScatter, EachGetsItsBlockOfTheOtherGroupsWhole) {
  for_each_pair_of_groups([](const Group& low, const Group& high) {
    // Both groups distribute the same number of elements.
    const auto elements = static_cast<std::size_t>(low.size) * static_cast<std::size_t>(high.size);
    const auto starts_of = [&](const Group& group) { return equal_parts(elements, 1, group.size); };
    const auto all = inter_results(low, high, elements, [&](auto& to, const auto& groups, auto& values) {
      const std::vector<std::size_t> starts = starts_of(groups.own.first == 0 ? low : high);
      inter_reduce_scatter(to, groups, values, starts);
    });
    for (const auto& [own, others] : {std::pair(low, high), std::pair(high, low)}) {
      const std::vector<std::size_t> starts = starts_of(own);
      for (std::size_t member = 0; member + 1 < starts.size(); ++member) {
        for (std::size_t i = starts[member]; i < starts[member + 1]; ++i) {
          ASSERT_EQ(all[static_cast<std::size_t>(own.begin) + member][i - starts[member]], whole(others, i));
        }
      }
    }
  });
}

TEST(Scan, EachGetsWhatIsBeforeIt) {
  for (int size = 1; size <= kMostMembers; ++size) {
    for (const bool exclusive : {false, true}) {
      const std::size_t count = 10;
      const auto all = results(size, count, [&](auto& to, const auto& members, auto& elements) {
        scan_chain(to, members, elements, {count, 4, exclusive});
      });
      for (std::size_t i = 0; i < count; ++i) {
        Element running = input_of(0, i);
        for (int member = 0; member < size; ++member) {
          const Element before = running;
          running = member == 0 ? running : apply(running, input_of(member, i));
          const Element expected = exclusive ? before : running;
          ASSERT_TRUE((exclusive && member == 0) || all[static_cast<std::size_t>(member)][i] == expected)
              << size << " members, member " << member << (exclusive ? ", exclusive" : "");
        }
      }
    }
  }
}

TEST(Parts, TogetherTheyAreTheVector) {
  for (int members = 1; members <= kMostMembers; ++members) {
    for (const std::size_t elements : {0U, 2U, 10U, 34U, 1000U}) {
      const auto starts = equal_parts(elements, 2, members);
      EXPECT_EQ(starts.front(), 0U);
      EXPECT_EQ(starts.back(), elements);
      for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
        EXPECT_LE(starts[i], starts[i + 1]);
        EXPECT_EQ(starts[i] % 2, 0U);
      }
    }
  }
}

}  // namespace
}  // namespace weft::mpi_shim::steps::test
