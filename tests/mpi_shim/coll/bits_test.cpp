// Reductions give the same bits whether members synchronize in memory or exchange messages, and wherever they run.
#include <cstring>

#include "tests/mpi_shim/coll/oracle.hpp"
#include "tests/mpi_shim/mpi_fixture.hpp"

namespace weft::mpi_shim {
namespace {

class CollBits : public MpiTest {};
INSTANTIATE_TEST_SUITE_P(Settings, CollBits,
                         testing::Values(Setting{1, "none"}, Setting{2, "none"}, Setting{3, "rotate"}), name_of);

constexpr int kSizes[] = {1, 2, 3, 5, 6, 7, 8, 13, 33};
// Vectors of one word, of one piece, of several pieces, and of parts that are combined separately.
constexpr std::size_t kCounts[] = {0, 1, 3, 150, 3000, 18000};

// a op b = a * 0.75 + b: neither associative nor commutative in its bits.
void decay(void* in, void* inout, int* length, MPI_Datatype*) {
  for (int i = 0; i < *length; ++i) {
    static_cast<double*>(inout)[i] += 0.75 * static_cast<double*>(in)[i];
  }
}

template <typename T>
std::vector<T> input_of(int rank, std::size_t n) {
  const std::vector<double> wide = rounding_vector(rank, n);
  return {wide.begin(), wide.end()};
}

// All results of a rank, concatenated.
template <typename T>
class Results {
 public:
  Results(int rank, int size) : rank_(rank), size_(size) {}

  void reduce(MPI_Datatype type, MPI_Op op, std::size_t n) {
    const std::vector<T> mine = input_of<T>(rank_, n);
    const int count = static_cast<int>(n);
    const int root = static_cast<int>(n) % size_;
    std::vector<T> all(n), at_root(n), in_place = mine, prefix(n), before(n);
    MPI_Allreduce(mine.data(), all.data(), count, type, op, MPI_COMM_WORLD);
    MPI_Reduce(mine.data(), at_root.data(), count, type, op, root, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, in_place.data(), count, type, op, MPI_COMM_WORLD);
    MPI_Scan(mine.data(), prefix.data(), count, type, op, MPI_COMM_WORLD);
    MPI_Exscan(mine.data(), before.data(), count, type, op, MPI_COMM_WORLD);
    for (const std::vector<T>* const result : {&all, &at_root, &in_place, &prefix, &before}) {
      keep(*result);
    }
    EXPECT_TRUE(n == 0 || std::memcmp(all.data(), in_place.data(), n * sizeof(T)) == 0);
  }

  void reduce_scatter(MPI_Datatype type, MPI_Op op, std::size_t n) {
    const std::vector<T> mine = input_of<T>(rank_, n * static_cast<std::size_t>(size_));
    std::vector<T> block(n), in_place = mine;
    MPI_Reduce_scatter_block(mine.data(), block.data(), static_cast<int>(n), type, op, MPI_COMM_WORLD);
    MPI_Reduce_scatter_block(MPI_IN_PLACE, in_place.data(), static_cast<int>(n), type, op, MPI_COMM_WORLD);
    in_place.resize(n);
    keep(block);
    keep(in_place);
  }

  std::vector<T> values;

 private:
  void keep(const std::vector<T>& more) { values.insert(values.end(), more.begin(), more.end()); }
  const int rank_;
  const int size_;
};

template <typename T>
std::vector<T> results_of(int rank, int size, MPI_Datatype type, bool own_too) {
  MPI_Op own = MPI_OP_NULL;
  MPI_Op_create(decay, 0, &own);
  Results<T> results(rank, size);
  for (const MPI_Op op : own_too ? std::vector<MPI_Op>{MPI_SUM, MPI_PROD, own} : std::vector<MPI_Op>{MPI_SUM}) {
    for (const std::size_t n : kCounts) {
      results.reduce(type, op, n);
      results.reduce_scatter(type, op, n / static_cast<std::size_t>(size));
    }
    MPI_Migrate();
  }
  MPI_Op_free(&own);
  return results.values;
}

TEST_P(CollBits, AreTheSameWhereverMembersLive) {
  for (const int size : kSizes) {
    if (kSanitized && size > 5) {
      continue;
    }
    SCOPED_TRACE(std::to_string(size) + " ranks");
    std::vector<std::vector<double>> doubles[2];
    std::vector<std::vector<float>> floats[2];
    for (const bool as_processes : {false, true}) {
      auto& wide = doubles[as_processes ? 1 : 0];
      auto& narrow = floats[as_processes ? 1 : 0];
      wide.resize(static_cast<std::size_t>(size));
      narrow.resize(static_cast<std::size_t>(size));
      runtime::JobConfig config;
      config.act_as_processes = as_processes;
      run(
          size,
          [&](int rank, int) {
            wide[static_cast<std::size_t>(rank)] = results_of<double>(rank, size, MPI_DOUBLE, true);
            narrow[static_cast<std::size_t>(rank)] = results_of<float>(rank, size, MPI_FLOAT, false);
          },
          config);
    }
    for (std::size_t rank = 0; rank < doubles[0].size(); ++rank) {
      const auto& apart = doubles[1][rank];
      ASSERT_EQ(doubles[0][rank].size(), apart.size());
      ASSERT_EQ(std::memcmp(doubles[0][rank].data(), apart.data(), apart.size() * sizeof(double)), 0) << rank;
      ASSERT_EQ(std::memcmp(floats[0][rank].data(), floats[1][rank].data(), floats[0][rank].size() * sizeof(float)), 0);
    }
  }
}

}  // namespace
}  // namespace weft::mpi_shim
