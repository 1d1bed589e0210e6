// Gathers, scatters and exchanges of blocks, compared with the values that each block's owner has stored.
#include <algorithm>
#include <array>
#include <numeric>

#include "tests/mpi_shim/coll/oracle.hpp"
#include "tests/mpi_shim/mpi_fixture.hpp"

namespace weft::mpi_shim {
namespace {

class CollBlocks : public MpiTest {};
INSTANTIATE_TEST_SUITE_P(Settings, CollBlocks, kSettings, name_of);

constexpr std::size_t kBlockLengths[] = {0, 1, 2, 3, 700};

// The value that rank `from` sends to rank `to`.
int word(int from, int to, std::size_t i) { return from * 1000003 + to * 1009 + static_cast<int>(i); }

std::vector<int> block(int from, int to, std::size_t n) {
  std::vector<int> result(n);
  for (std::size_t i = 0; i < n; ++i) {
    result[i] = word(from, to, i);
  }
  return result;
}

std::vector<int> joined(int count, const std::function<std::vector<int>(int)>& part) {
  std::vector<int> result;
  for (int i = 0; i < count; ++i) {
    const std::vector<int> more = part(i);
    result.insert(result.end(), more.begin(), more.end());
  }
  return result;
}

// Blocks of different lengths with a gap of one int after each.
struct Ragged {
  std::vector<int> counts, displacements;
  std::size_t length = 0;

  explicit Ragged(int size, const std::function<int(int)>& count) {
    for (int i = 0; i < size; ++i) {
      counts.push_back(count(i));
      displacements.push_back(static_cast<int>(length));
      length += static_cast<std::size_t>(count(i)) + 1;
    }
  }
  std::vector<int> filled(const std::function<std::vector<int>(int)>& part) const {
    std::vector<int> result(length, -1);
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const std::vector<int> data = part(static_cast<int>(i));
      std::copy(data.begin(), data.end(), result.begin() + displacements[i]);
    }
    return result;
  }
};

TEST_P(CollBlocks, GatherAndScatterAtEveryRoot) {
  run_all([](int rank, int size) {
    for (int root = 0; root < size; ++root) {
      const std::size_t n = kBlockLengths[static_cast<std::size_t>(root) % std::size(kBlockLengths)];
      const int count = static_cast<int>(n);
      const std::vector<int> mine = block(rank, root, n);
      const std::vector<int> expected = joined(size, [&](int r) { return block(r, root, n); });
      std::vector<int> all(rank == root ? expected.size() : 0);
      ASSERT_EQ(MPI_Gather(mine.data(), count, MPI_INT, all.data(), count, MPI_INT, root, MPI_COMM_WORLD), MPI_SUCCESS);
      if (rank == root) {
        ASSERT_EQ(all, expected);
      }
      std::vector<int> back(n, -1);
      ASSERT_EQ(MPI_Scatter(all.data(), count, MPI_INT, back.data(), count, MPI_INT, root, MPI_COMM_WORLD),
                MPI_SUCCESS);
      ASSERT_EQ(back, mine);
    }
  });
}

TEST_P(CollBlocks, GatherAndScatterInPlaceAtTheRoot) {
  run_all([](int rank, int size) {
    const int root = size / 2;
    for (const std::size_t n : kBlockLengths) {
      const int count = static_cast<int>(n);
      std::vector<int> mine = block(rank, root, n);
      const std::vector<int> expected = joined(size, [&](int r) { return block(r, root, n); });
      std::vector<int> all(expected.size(), -1);
      std::copy(mine.begin(), mine.end(), all.begin() + std::ptrdiff_t{rank} * count);
      MPI_Gather(rank == root ? MPI_IN_PLACE : mine.data(), count, MPI_INT, all.data(), count, MPI_INT, root,
                 MPI_COMM_WORLD);
      if (rank == root) {
        ASSERT_EQ(all, expected);
      }
      std::fill(mine.begin(), mine.end(), -1);
      MPI_Scatter(all.data(), count, MPI_INT, rank == root ? MPI_IN_PLACE : mine.data(), count, MPI_INT, root,
                  MPI_COMM_WORLD);
      ASSERT_EQ(mine, rank == root ? std::vector<int>(n, -1) : block(rank, root, n));
    }
  });
}

TEST_P(CollBlocks, GathervAndScattervWithGaps) {
  run_all([](int rank, int size) {
    const auto length = [](int r) { return (r * 5) % 7; };
    const Ragged ragged(size, length);
    for (int root = 0; root < size; ++root) {
      const auto part = [&](int r) { return block(r, root, static_cast<std::size_t>(length(r))); };
      const std::vector<int> mine = part(rank);
      std::vector<int> all(ragged.length, -1);
      MPI_Gatherv(mine.data(), length(rank), MPI_INT, all.data(), ragged.counts.data(), ragged.displacements.data(),
                  MPI_INT, root, MPI_COMM_WORLD);
      ASSERT_EQ(all, rank == root ? ragged.filled(part) : std::vector<int>(ragged.length, -1));
      std::vector<int> back(mine.size(), -2);
      MPI_Scatterv(all.data(), ragged.counts.data(), ragged.displacements.data(), MPI_INT, back.data(), length(rank),
                   MPI_INT, root, MPI_COMM_WORLD);
      ASSERT_EQ(back, mine);
    }
  });
}

TEST_P(CollBlocks, AllgatherWithAndWithoutPlace) {
  run_all([](int rank, int size) {
    for (const std::size_t n : kBlockLengths) {
      const int count = static_cast<int>(n);
      const std::vector<int> mine = block(rank, 0, n);
      const std::vector<int> expected = joined(size, [&](int r) { return block(r, 0, n); });
      std::vector<int> all(expected.size(), -1), in_place(expected.size(), -1);
      std::copy(mine.begin(), mine.end(), in_place.begin() + std::ptrdiff_t{rank} * count);
      MPI_Allgather(mine.data(), count, MPI_INT, all.data(), count, MPI_INT, MPI_COMM_WORLD);
      MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in_place.data(), count, MPI_INT, MPI_COMM_WORLD);
      ASSERT_EQ(all, expected);
      ASSERT_EQ(in_place, expected);
    }
  });
}

TEST_P(CollBlocks, AllgathervWithGaps) {
  run_all([](int rank, int size) {
    const auto length = [](int r) { return (r * 3) % 5; };
    const auto part = [&](int r) { return block(r, 0, static_cast<std::size_t>(length(r))); };
    const Ragged ragged(size, length);
    const std::vector<int> mine = part(rank);
    std::vector<int> all(ragged.length, -1), in_place(ragged.length, -1);
    std::copy(mine.begin(), mine.end(), in_place.begin() + ragged.displacements[static_cast<std::size_t>(rank)]);
    MPI_Allgatherv(mine.data(), length(rank), MPI_INT, all.data(), ragged.counts.data(), ragged.displacements.data(),
                   MPI_INT, MPI_COMM_WORLD);
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_INT, in_place.data(), ragged.counts.data(), ragged.displacements.data(),
                   MPI_INT, MPI_COMM_WORLD);
    ASSERT_EQ(all, ragged.filled(part));
    ASSERT_EQ(in_place, ragged.filled(part));
  });
}

TEST_P(CollBlocks, AlltoallWithAndWithoutPlace) {
  run_all([](int rank, int size) {
    for (const std::size_t n : kBlockLengths) {
      const int count = static_cast<int>(n);
      const std::vector<int> out = joined(size, [&](int r) { return block(rank, r, n); });
      const std::vector<int> expected = joined(size, [&](int r) { return block(r, rank, n); });
      std::vector<int> in(out.size(), -1), in_place = out;
      MPI_Alltoall(out.data(), count, MPI_INT, in.data(), count, MPI_INT, MPI_COMM_WORLD);
      MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INT, in_place.data(), count, MPI_INT, MPI_COMM_WORLD);
      ASSERT_EQ(in, expected);
      ASSERT_EQ(in_place, expected);
    }
  });
}

TEST_P(CollBlocks, AlltoallvWithGaps) {
  run_all([](int rank, int size) {
    const auto length = [](int from, int to) { return (from * 3 + to * 2) % 5; };
    const auto part = [&](int from, int to) { return block(from, to, static_cast<std::size_t>(length(from, to))); };
    const Ragged sends(size, [&](int r) { return length(rank, r); });
    const Ragged receives(size, [&](int r) { return length(r, rank); });
    const std::vector<int> out = sends.filled([&](int r) { return part(rank, r); });
    std::vector<int> in(receives.length, -1);
    MPI_Alltoallv(out.data(), sends.counts.data(), sends.displacements.data(), MPI_INT, in.data(),
                  receives.counts.data(), receives.displacements.data(), MPI_INT, MPI_COMM_WORLD);
    ASSERT_EQ(in, receives.filled([&](int r) { return part(r, rank); }));
  });
}

TEST_P(CollBlocks, AlltoallvInPlace) {
  run_all([](int rank, int size) {
    const auto length = [](int from, int to) { return (from + to) % 4; };
    const auto part = [&](int from, int to) { return block(from, to, static_cast<std::size_t>(length(from, to))); };
    const Ragged both(size, [&](int r) { return length(rank, r); });
    std::vector<int> data = both.filled([&](int r) { return part(rank, r); });
    MPI_Alltoallv(MPI_IN_PLACE, nullptr, nullptr, MPI_DATATYPE_NULL, data.data(), both.counts.data(),
                  both.displacements.data(), MPI_INT, MPI_COMM_WORLD);
    ASSERT_EQ(data, both.filled([&](int r) { return part(r, rank); }));
  });
}

// Rows are sent and received as columns: a transposition without a copy by the program.
TEST_P(CollBlocks, AlltoallwTransposes) {
  run_all([](int rank, int size) {
    const auto n = static_cast<std::size_t>(size);
    MPI_Datatype column = MPI_DATATYPE_NULL;
    MPI_Type_vector(3, 1, size, MPI_INT, &column);
    MPI_Type_commit(&column);
    const std::vector<int> ones(n, 1), threes(n, 3);
    std::vector<int> rows(n), columns(n);
    const std::vector<MPI_Datatype> ints(n, MPI_INT), column_types(n, column);
    for (std::size_t i = 0; i < n; ++i) {
      rows[i] = static_cast<int>(3 * i * sizeof(int));
      columns[i] = static_cast<int>(i * sizeof(int));
    }
    const std::vector<int> out = joined(size, [&](int r) { return block(rank, r, 3); });
    std::vector<int> in(3 * n, -1);
    MPI_Alltoallw(out.data(), threes.data(), rows.data(), ints.data(), in.data(), ones.data(), columns.data(),
                  column_types.data(), MPI_COMM_WORLD);
    for (std::size_t k = 0; k < 3; ++k) {
      for (int r = 0; r < size; ++r) {
        ASSERT_EQ(in[k * n + static_cast<std::size_t>(r)], word(r, rank, k));
      }
    }
    MPI_Type_free(&column);
  });
}

TEST_P(CollBlocks, ReduceScatterWithAndWithoutPlace) {
  run_all([](int rank, int size) {
    for (const int scale : {1, 40, 900}) {
      std::vector<int> counts;
      for (int r = 0; r < size; ++r) {
        counts.push_back((r * 3) % 4 * scale);
      }
      const auto total = static_cast<std::size_t>(std::accumulate(counts.begin(), counts.end(), 0));
      const auto before = static_cast<std::size_t>(std::accumulate(counts.begin(), counts.begin() + rank, 0));
      const auto mine = static_cast<std::size_t>(counts[static_cast<std::size_t>(rank)]);
      const std::vector<long> input = vector_of<long>(rank, total);
      std::vector<long> output(mine, -1), in_place = input, expected(mine);
      for (std::size_t i = 0; i < mine; ++i) {
        for (int r = 0; r < size; ++r) {
          expected[i] += value(r, before + i);
        }
      }
      MPI_Reduce_scatter(input.data(), output.data(), counts.data(), MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
      MPI_Reduce_scatter(MPI_IN_PLACE, in_place.data(), counts.data(), MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
      in_place.resize(mine);
      ASSERT_EQ(output, expected);
      ASSERT_EQ(in_place, expected);
    }
  });
}

// All blocks together are at most a word; ranks that receive nothing pass a null buffer.
TEST_P(CollBlocks, ReduceScatterOfAWord) {
  run_all([](int rank, int size) {
    for (const int first : {0, 1, 3}) {
      std::vector<int> counts(static_cast<std::size_t>(size));
      counts.front() = first;
      counts.back() += 5 - first;
      const int mine = counts[static_cast<std::size_t>(rank)];
      const int before = rank == 0 ? 0 : first;
      std::array<signed char, 5> input{}, in_place{}, output{};
      for (int i = 0; i < 5; ++i) {
        input[static_cast<std::size_t>(i)] = static_cast<signed char>((rank + i) % 7 - 3);
      }
      in_place = input;
      MPI_Reduce_scatter(input.data(), mine == 0 ? nullptr : output.data(), counts.data(), MPI_SIGNED_CHAR, MPI_MAX,
                         MPI_COMM_WORLD);
      MPI_Reduce_scatter(MPI_IN_PLACE, in_place.data(), counts.data(), MPI_SIGNED_CHAR, MPI_MAX, MPI_COMM_WORLD);
      for (int i = 0; i < mine; ++i) {
        int greatest = -3;
        for (int r = 0; r < size; ++r) {
          greatest = std::max(greatest, (r + before + i) % 7 - 3);
        }
        ASSERT_EQ(output[static_cast<std::size_t>(i)], greatest);
        ASSERT_EQ(in_place[static_cast<std::size_t>(i)], greatest);
      }
      for (auto i = static_cast<std::size_t>(mine); i < 5; ++i) {
        ASSERT_EQ(output[i], 0);
        ASSERT_EQ(in_place[i], input[i]);
      }
    }
  });
}

TEST_P(CollBlocks, ReduceScatterBlockWithAndWithoutPlace) {
  run_all([](int rank, int size) {
    for (const std::size_t n : kBlockLengths) {
      const std::size_t total = n * static_cast<std::size_t>(size);
      const std::vector<long> input = vector_of<long>(rank, total);
      std::vector<long> output(n, -1), in_place = input, expected(n);
      for (std::size_t i = 0; i < n; ++i) {
        for (int r = 0; r < size; ++r) {
          expected[i] += value(r, static_cast<std::size_t>(rank) * n + i);
        }
      }
      MPI_Reduce_scatter_block(input.data(), output.data(), static_cast<int>(n), MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
      MPI_Reduce_scatter_block(MPI_IN_PLACE, in_place.data(), static_cast<int>(n), MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
      in_place.resize(n);
      ASSERT_EQ(output, expected);
      ASSERT_EQ(in_place, expected);
    }
  });
}

TEST_P(CollBlocks, ABlockLongerThanItsPlaceIsAnError) {
  run(3, [goes_by_messages = by_messages()](int rank, int size) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    const std::vector<int> data(10, rank);
    const std::vector<int> counts(3, 5), displacements{0, 5, 10};
    std::vector<int> all(15, -1);
    int error_class = MPI_SUCCESS;
    const int code = MPI_Gatherv(data.data(), rank == 1 ? 6 : 5, MPI_INT, all.data(), counts.data(),
                                 displacements.data(), MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Error_class(code, &error_class);
    // By messages the sender does not learn of it.
    EXPECT_EQ(error_class, rank == 2 || (rank == 1 && goes_by_messages) ? MPI_SUCCESS : MPI_ERR_TRUNCATE);
    if (rank == 0) {
      EXPECT_EQ(all, (std::vector<int>{0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2}));
    }
    MPI_Error_class(MPI_Scatter(data.data(), 2, MPI_INT, all.data(), rank == 2 ? 1 : 2, MPI_INT, 0, MPI_COMM_WORLD),
                    &error_class);
    EXPECT_EQ(error_class, rank != 2 && goes_by_messages ? MPI_SUCCESS : MPI_ERR_TRUNCATE);
    EXPECT_EQ(size, 3);
  });
}

// Owners overwrite their blocks immediately after each call: a late reader would see the new values.
TEST_P(CollBlocks, CallsInARow) {
  run_all([](int rank, int size) {
    const auto n = static_cast<std::size_t>(size);
    std::vector<int> out(n), in(n), all(n), wide(40 * n), wide_in(40 * n);
    for (int round = 0; round < 60; ++round) {
      for (std::size_t i = 0; i < n; ++i) {
        out[i] = word(rank, static_cast<int>(i), static_cast<std::size_t>(round));
      }
      std::fill(wide.begin(), wide.end(), rank + round);
      MPI_Alltoall(out.data(), 1, MPI_INT, in.data(), 1, MPI_INT, MPI_COMM_WORLD);
      std::fill(out.begin(), out.end(), -1);
      MPI_Alltoall(wide.data(), 40, MPI_INT, wide_in.data(), 40, MPI_INT, MPI_COMM_WORLD);
      std::fill(wide.begin(), wide.end(), -1);
      int mine = rank * round;
      MPI_Allgather(&mine, 1, MPI_INT, all.data(), 1, MPI_INT, MPI_COMM_WORLD);
      mine = -1;
      if (round % 4 == 0) {
        MPI_Migrate();
      }
      for (int r = 0; r < size; ++r) {
        const auto i = static_cast<std::size_t>(r);
        ASSERT_EQ(in[i], word(r, rank, static_cast<std::size_t>(round)));
        ASSERT_EQ(wide_in[40 * i + 39], r + round);
        ASSERT_EQ(all[i], r * round);
      }
    }
  });
}

}  // namespace
}  // namespace weft::mpi_shim
