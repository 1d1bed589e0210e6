// Exchanges between neighbours and between the two groups of an intercommunicator.
#include <algorithm>
#include <cstdint>
#include <random>

#include "mpi_shim/coll/steps/intercomm.hpp"
#include "mpi_shim/coll/steps/neighbour.hpp"
#include "tests/mpi_shim/coll/steps/simulator.hpp"

namespace weft::mpi_shim::steps::test {
namespace {

using Word = std::uint64_t;
using Words = std::vector<Word>;

Memory memory_of(Word& word) { return {&word, sizeof word}; }

// The value that member `from` sends to member `to` in block i.
Word word_of(int from, int to, std::size_t i) {
  return static_cast<Word>(from) * 1'000'000 + static_cast<Word>(to) * 1'000 + i + 1;
}

struct Lists {
  std::vector<int> sources, destinations;
};

// The blocks that each member has received, by source.
std::vector<Words> exchange(const std::vector<Lists>& lists, bool is_grid, unsigned seed) {
  const int size = static_cast<int>(lists.size());
  Simulation simulation(size);
  std::vector<Words> blocks(lists.size());
  std::vector<Words> places(lists.size());
  for (int member = 0; member < size; ++member) {
    const auto m = static_cast<std::size_t>(member);
    places[m].resize(lists[m].sources.size());
    for (std::size_t i = 0; i < lists[m].destinations.size(); ++i) {
      blocks[m].push_back(word_of(member, lists[m].destinations[i], i));
    }
    neighbour_linear(
        simulation.recording(member), Members{member, size}, {lists[m].sources, lists[m].destinations, is_grid},
        [&out = blocks[m]](std::size_t i) { return memory_of(out[i]); },
        [&in = places[m]](std::size_t i) { return memory_of(in[i]); });
  }
  simulation.run(seed);
  return places;
}

// Along one dimension of a grid; negative beyond the ends, unless it is a ring.
int beside(int member, int distance, int size, bool ring) {
  const int other = member + distance;
  return ring ? (other + size) % size : (other < 0 || other >= size ? -3 : other);
}

TEST(Neighbours, InAGridWhatIsSentDownArrivesFromAbove) {
  for (const bool ring : {false, true}) {
    for (int size = 1; size <= 6; ++size) {  // 1 and 2: both neighbours are the same member
      std::vector<Lists> lists;
      for (int member = 0; member < size; ++member) {
        const std::vector<int> both{beside(member, -1, size, ring), beside(member, 1, size, ring)};
        lists.push_back({both, both});
      }
      const std::vector<Words> got = exchange(lists, true, static_cast<unsigned>(size));
      for (int member = 0; member < size; ++member) {
        const auto m = static_cast<std::size_t>(member);
        const int below = lists[m].sources[0];
        const int above = lists[m].sources[1];
        EXPECT_EQ(got[m][0], below < 0 ? 0 : word_of(below, member, 1)) << size << " members, member " << member;
        EXPECT_EQ(got[m][1], above < 0 ? 0 : word_of(above, member, 0)) << size << " members, member " << member;
      }
    }
  }
}

TEST(Neighbours, SeveralEdgesBetweenTwoMembersKeepTheirOrder) {
  std::mt19937 random(7);
  for (unsigned round = 0; round < 50; ++round) {
    const int size = 1 + static_cast<int>(random() % 6);
    std::vector<Lists> lists(static_cast<std::size_t>(size));
    for (int edge = 0; edge < 3 * size; ++edge) {
      const auto from = random() % lists.size();
      const auto to = random() % lists.size();
      lists[from].destinations.push_back(static_cast<int>(to));
      lists[to].sources.push_back(static_cast<int>(from));
    }
    const std::vector<Words> got = exchange(lists, false, round);
    for (int to = 0; to < size; ++to) {
      const auto t = static_cast<std::size_t>(to);
      std::vector<std::size_t> next(lists.size());  // of each source's destinations, the first not yet received
      for (std::size_t i = 0; i < lists[t].sources.size(); ++i) {
        const auto from = static_cast<std::size_t>(lists[t].sources[i]);
        const auto begin = lists[from].destinations.begin() + static_cast<std::ptrdiff_t>(next[from]);
        const auto edge = std::find(begin, lists[from].destinations.end(), to);
        const auto index = static_cast<std::size_t>(edge - lists[from].destinations.begin());
        next[from] = index + 1;
        ASSERT_EQ(got[t][i], word_of(lists[t].sources[i], to, index)) << "round " << round;
      }
    }
  }
}

constexpr int kGroupSizes[] = {1, 2, 3, 4, 7, 8};

// Calls check(low, high) with the sizes of two groups, of which the second one's members follow the first one's.
template <typename Check>
void for_each_pair_of_groups(const Check& check) {
  for (const int low : kGroupSizes) {
    for (const int high : kGroupSizes) {
      check(low, high);
    }
  }
}

Groups<Members> groups_of(int member, int low, int high) {
  if (member < low) {
    return {{member, low, 0}, {0, high, low}};
  }
  return {{member - low, high, low}, {0, low, 0}};
}

TEST(IntercommBarrier, NobodyLeavesBeforeAllOfBothGroupsHaveEntered) {
  for_each_pair_of_groups([](int low, int high) {
    for (int last = 0; last < low + high; ++last) {
      Simulation simulation(low + high);
      for (int member = 0; member < low + high; ++member) {
        simulation.recording(member).act([] {});
        inter_barrier(simulation.recording(member), groups_of(member, low, high));
      }
      simulation.run(1, last);
      EXPECT_EQ(simulation.begun.back(), last);
      EXPECT_EQ(simulation.ended_before_last_began, 0U) << low << " and " << high << " members, the last is " << last;
    }
  });
}

TEST(IntercommBcast, TheOtherGroupGetsTheRootsMessage) {
  for_each_pair_of_groups([](int low, int high) {
    for (int root = 0; root < low; ++root) {
      Simulation simulation(low + high);
      Words words(static_cast<std::size_t>(low + high));
      words[static_cast<std::size_t>(root)] = 42;
      for (int member = 0; member < low + high; ++member) {
        const Groups<Members> groups = groups_of(member, low, high);
        const Memory memory = memory_of(words[static_cast<std::size_t>(member)]);
        if (member == root) {
          simulation.recording(member).send(groups.others, 0, memory);
        } else if (member >= low) {
          inter_bcast(simulation.recording(member), groups, root, memory);
        }
      }
      simulation.run(static_cast<unsigned>(root));
      for (int member = low; member < low + high; ++member) {
        ASSERT_EQ(words[static_cast<std::size_t>(member)], 42U);
      }
    }
  });
}

TEST(IntercommAlltoall, EachGetsItsBlockOfEachOfTheOthers) {
  for_each_pair_of_groups([](int low, int high) {
    Simulation simulation(low + high);
    std::vector<Words> blocks(static_cast<std::size_t>(low + high));
    std::vector<Words> places(blocks.size());
    for (int member = 0; member < low + high; ++member) {
      const Groups<Members> groups = groups_of(member, low, high);
      Words& out = blocks[static_cast<std::size_t>(member)];
      Words& in = places[static_cast<std::size_t>(member)];
      in.resize(static_cast<std::size_t>(groups.others.size()));
      for (int to = 0; to < groups.others.size(); ++to) {
        out.push_back(word_of(member, groups.others.first + to, 0));
      }
      inter_alltoall(
          simulation.recording(member), groups.others,
          [&out](int to) { return memory_of(out[static_cast<std::size_t>(to)]); },
          [&in](int from) { return memory_of(in[static_cast<std::size_t>(from)]); });
    }
    simulation.run(3);
    for (int member = 0; member < low + high; ++member) {
      const Groups<Members> groups = groups_of(member, low, high);
      for (int from = 0; from < groups.others.size(); ++from) {
        ASSERT_EQ(places[static_cast<std::size_t>(member)][static_cast<std::size_t>(from)],
                  word_of(groups.others.first + from, member, 0));
      }
    }
  });
}

TEST(IntercommGather, TheRootGetsABlockOfEachOfTheOthersAndScatterGivesThem) {
  for_each_pair_of_groups([](int low, int high) {
    const int root = low - 1;
    Simulation simulation(low + high);
    Words gathered(static_cast<std::size_t>(high));
    Words given(static_cast<std::size_t>(high));
    Words own(static_cast<std::size_t>(high));
    const auto block = [](Words& words) {
      return [&words](int member) { return memory_of(words[static_cast<std::size_t>(member)]); };
    };
    const Members others = groups_of(root, low, high).others;
    receive_of_all(simulation.recording(root), others, block(gathered));
    send_to_all(simulation.recording(root), others, block(gathered));
    for (int member = 0; member < high; ++member) {
      const auto m = static_cast<std::size_t>(member);
      own[m] = word_of(member, root, 0);
      const Members back = groups_of(low + member, low, high).others;
      simulation.recording(low + member).send(back, root, memory_of(own[m]));
      simulation.recording(low + member).receive(back, root, memory_of(given[m]));
    }
    simulation.run(5);
    EXPECT_EQ(gathered, own);
    EXPECT_EQ(given, own);
  });
}

}  // namespace
}  // namespace weft::mpi_shim::steps::test
