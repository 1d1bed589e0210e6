// Algorithms that move data, on 1 to 17 members, compared with the collective's definition.
#include <algorithm>
#include <cstdint>

#include "mpi_shim/coll/steps/allgather.hpp"
#include "mpi_shim/coll/steps/alltoall.hpp"
#include "mpi_shim/coll/steps/barrier.hpp"
#include "mpi_shim/coll/steps/bcast.hpp"
#include "mpi_shim/coll/steps/gather.hpp"
#include "mpi_shim/coll/steps/scatter.hpp"
#include "tests/mpi_shim/coll/steps/simulator.hpp"

namespace weft::mpi_shim::steps::test {
namespace {

using Bytes = std::vector<std::byte>;

Memory all_of(Bytes& bytes) { return {bytes.data(), bytes.size()}; }

// The value that member `from` sends to member `to`.
Bytes block_of(int from, int to, std::size_t bytes) {
  Bytes block(bytes);
  for (std::size_t i = 0; i < bytes; ++i) {
    block[i] = static_cast<std::byte>(static_cast<unsigned>(from) * 37 + static_cast<unsigned>(to) * 11 + i * 3 + 1);
  }
  return block;
}

template <typename Barrier>
void expect_barrier(const Barrier& barrier) {
  for (int size = 1; size <= kMostMembers; ++size) {
    for (int last = 0; last < size; ++last) {
      Simulation simulation(size);
      for (int member = 0; member < size; ++member) {
        simulation.recording(member).act([] {});  // so that a member begins before its first message
        barrier(simulation.recording(member), Members{member, size});
      }
      simulation.run(static_cast<unsigned>(size), last);
      if (size > 1) {
        EXPECT_EQ(simulation.begun.back(), last);
      }
      EXPECT_EQ(simulation.ended.size(), static_cast<std::size_t>(size));
      EXPECT_EQ(simulation.ended_before_last_began, 0U) << size << " members, the last is " << last;
    }
  }
}

TEST(Barrier, NobodyLeavesBeforeAllHaveEntered) {
  expect_barrier([](Recording& to, const Members& members) { barrier_binomial(to, members); });
  expect_barrier([](Recording& to, const Members& members) { barrier_dissemination(to, members); });
}

template <typename Broadcast>
void expect_bcast(std::size_t bytes, int size, int root, const Broadcast& broadcast) {
  for (const bool with_layout : {false, true}) {
    const Bytes message = block_of(root, root, bytes);
    std::vector<Bytes> buffers(static_cast<std::size_t>(size), Bytes(2 * bytes + 1));
    Simulation simulation(size);
    for (int member = 0; member < size; ++member) {
      Bytes& buffer = buffers[static_cast<std::size_t>(member)];
      const Memory memory{buffer.data(), bytes, with_layout ? &buffer : nullptr};
      for (std::size_t i = 0; member == root && i < bytes; ++i) {
        memory.at(i) = message[i];
      }
      broadcast(simulation.recording(member), Members{member, size}, root, memory);
    }
    simulation.run(static_cast<unsigned>(size));
    for (Bytes& buffer : buffers) {
      Bytes got(bytes);
      transfer({buffer.data(), bytes, with_layout ? &buffer : nullptr}, all_of(got));
      ASSERT_TRUE(got == message) << size << " members, root " << root;
    }
  }
}

TEST(Bcast, AllGetTheRootsMessage) {
  const auto binomial = [](Recording& to, const Members& members, int root, const Memory& memory) {
    bcast_binomial(to, members, root, memory);
  };
  const auto pipelined = [](Recording& to, const Members& members, int root, const Memory& memory) {
    bcast_pipelined(to, members, root, memory);
  };
  for (int size = 1; size <= kMostMembers; ++size) {
    for (int root = 0; root < size; ++root) {
      expect_bcast(0, size, root, binomial);
      expect_bcast(13, size, root, binomial);
      expect_bcast(13, size, root, pipelined);
    }
  }
  expect_bcast(2 * kPipelinedPiece + 5, 5, 3, pipelined);  // three pieces
}

// Blocks of different lengths, where the algorithm allows them.
std::size_t length_of(int member, bool alike) { return alike ? 5 : static_cast<std::size_t>(member % 4) * 3; }

struct Row {
  Row(int size, bool alike) : starts(static_cast<std::size_t>(size) + 1) {
    for (int i = 0; i < size; ++i) {
      starts[static_cast<std::size_t>(i) + 1] = starts[static_cast<std::size_t>(i)] + length_of(i, alike);
    }
    bytes.resize(starts.back());
  }
  Memory blocks(int first, int n) {
    const auto i = static_cast<std::size_t>(first);
    return {bytes.data() + starts[i], starts[i + static_cast<std::size_t>(n)] - starts[i]};
  }
  Memory block(int member) { return blocks(member, 1); }
  void set(int member, Bytes value) { transfer(all_of(value), block(member)); }

  std::vector<std::size_t> starts;
  Bytes bytes;
};

template <typename Allgather>
void expect_allgather(const Allgather& allgather) {
  for (int size = 1; size <= kMostMembers; ++size) {
    for (const bool alike : {true, false}) {
      Row expected(size, alike);
      std::vector<Row> rows(static_cast<std::size_t>(size), Row(size, alike));
      Simulation simulation(size);
      for (int member = 0; member < size; ++member) {
        Row& row = rows[static_cast<std::size_t>(member)];
        row.set(member, block_of(member, 0, length_of(member, alike)));
        expected.set(member, block_of(member, 0, length_of(member, alike)));
        allgather(simulation.recording(member), Members{member, size}, row);
      }
      simulation.run(static_cast<unsigned>(size));
      for (const Row& row : rows) {
        ASSERT_TRUE(row.bytes == expected.bytes) << size << " members";
      }
    }
  }
}

TEST(Allgather, AllGetAllBlocks) {
  expect_allgather([](Recording& to, const Members& members, Row& row) {
    allgather_ring(to, members, [&row](int member) { return row.block(member); });
  });
  expect_allgather([](Recording& to, const Members& members, Row& row) {
    allgather_binomial(to, members, [&row](int first, int n) { return row.blocks(first, n); });
  });
}

TEST(Alltoall, EachGetsItsBlockOfEach) {
  for (const int size : {1, 2, 3, 4, 5, 8, 13, 17, 40}) {  // 40 members: not all pairs at once
    std::vector<Row> blocks(static_cast<std::size_t>(size), Row(size, true));
    std::vector<Row> places(static_cast<std::size_t>(size), Row(size, true));
    Simulation simulation(size);
    for (int member = 0; member < size; ++member) {
      Row& out = blocks[static_cast<std::size_t>(member)];
      Row& in = places[static_cast<std::size_t>(member)];
      for (int to = 0; to < size; ++to) {
        out.set(to, block_of(member, to, length_of(to, true)));
      }
      alltoall_linear(
          simulation.recording(member), Members{member, size}, [&out](int to) { return out.block(to); },
          [&in](int from) { return in.block(from); });
    }
    simulation.run(1);
    for (int member = 0; member < size; ++member) {
      for (int from = 0; from < size; ++from) {
        Bytes got(length_of(0, true));
        transfer(places[static_cast<std::size_t>(member)].block(from), all_of(got));
        if (from != member) {
          ASSERT_TRUE(got == block_of(from, member, got.size())) << size << " members";
        }
      }
    }
  }
}

enum class Way : std::uint8_t { gather_binomial, gather_linear, scatter_binomial, scatter_linear };

// Runs a gather or a scatter: `rooted` is the root's blocks, `own` each member's.
void run_rooted(Way way, int root, Row& rooted, std::vector<Bytes>& own) {
  const int size = static_cast<int>(own.size());
  Simulation simulation(size);
  for (int member = 0; member < size; ++member) {
    Recording& to = simulation.recording(member);
    const Members members{member, size};
    const auto block = [&rooted](int i) { return rooted.block(i); };
    const RootedPlaces<Recording, decltype(block)> places{root, all_of(own[static_cast<std::size_t>(member)]), block};
    switch (way) {
      case Way::gather_binomial:
        gather_binomial(to, members, length_of(0, true), places);
        break;
      case Way::gather_linear:
        gather_linear(to, members, places);
        break;
      case Way::scatter_binomial:
        scatter_binomial(to, members, length_of(0, true), places);
        break;
      case Way::scatter_linear:
        scatter_linear(to, members, places);
        break;
    }
  }
  simulation.run(static_cast<unsigned>(root));
}

void expect_rooted(Way way) {
  const bool gathers = way == Way::gather_binomial || way == Way::gather_linear;
  const bool alike = way == Way::gather_binomial || way == Way::scatter_binomial;
  for (int size = 1; size <= kMostMembers; ++size) {
    for (int root = 0; root < size; ++root) {
      Row rooted(size, alike);
      std::vector<Bytes> own(static_cast<std::size_t>(size));
      for (int member = 0; member < size; ++member) {
        const Bytes block = block_of(member, root, length_of(member, alike));
        own[static_cast<std::size_t>(member)] = gathers ? block : Bytes(block.size());
        if (!gathers) {
          rooted.set(member, block);
        }
      }
      run_rooted(way, root, rooted, own);
      for (int member = 0; member < size; ++member) {
        const Bytes block = block_of(member, root, length_of(member, alike));
        Bytes got(block.size());
        transfer(gathers ? rooted.block(member) : all_of(own[static_cast<std::size_t>(member)]), all_of(got));
        ASSERT_TRUE(member == root || got == block) << size << " members, root " << root << ", member " << member;
      }
    }
  }
}

TEST(Gather, TheRootGetsAllBlocks) {
  expect_rooted(Way::gather_binomial);
  expect_rooted(Way::gather_linear);
}

TEST(Scatter, EachGetsItsBlock) {
  expect_rooted(Way::scatter_binomial);
  expect_rooted(Way::scatter_linear);
}

}  // namespace
}  // namespace weft::mpi_shim::steps::test
