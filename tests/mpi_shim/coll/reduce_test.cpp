// MPI_Reduce, MPI_Allreduce, MPI_Scan, MPI_Exscan against sums computed one by one: reductions in
// the tree over the ranks, prefixes in rank order.
#include <algorithm>
#include <cstring>

#include "tests/mpi_shim/coll/oracle.hpp"
#include "tests/mpi_shim/mpi_fixture.hpp"

namespace weft::mpi_shim {
namespace {

class CollReduce : public MpiTest {};
INSTANTIATE_TEST_SUITE_P(Settings, CollReduce, kSettings, name_of);

// ((r0 + r1) + r2) … of the first `ranks` ranks.
std::vector<double> sum_in_order(int ranks, std::size_t n) {
  std::vector<double> sum = rounding_vector(0, n);
  for (int rank = 1; rank < ranks; ++rank) {
    const std::vector<double> term = rounding_vector(rank, n);
    for (std::size_t i = 0; i < n; ++i) {
      sum[i] += term[i];
    }
  }
  return sum;
}

// The tree's value of ranks [first, first + reach), reach a power of two, as far as there are `ranks`.
std::vector<double> sum_of_range(int first, int reach, int ranks, std::size_t n) {
  if (reach == 1) {
    return rounding_vector(first, n);
  }
  std::vector<double> sum = sum_of_range(first, reach / 2, ranks, n);
  if (first + reach / 2 < ranks) {
    const std::vector<double> right = sum_of_range(first + reach / 2, reach / 2, ranks, n);
    for (std::size_t i = 0; i < n; ++i) {
      sum[i] += right[i];
    }
  }
  return sum;
}

std::vector<double> sum_in_tree(int ranks, std::size_t n) {
  int reach = 1;
  while (reach < ranks) {
    reach *= 2;
  }
  return sum_of_range(0, reach, ranks, n);
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

TEST_P(CollReduce, AllreduceHasTheBitsOfTheSumInTheTree) {
  run_all([](int rank, int size) {
    for (const std::size_t n : kLengths) {
      const std::vector<double> mine = rounding_vector(rank, n);
      std::vector<double> sum(n);
      ASSERT_EQ(MPI_Allreduce(mine.data(), sum.data(), static_cast<int>(n), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD),
                MPI_SUCCESS);
      ASSERT_TRUE(same_bits(sum, sum_in_tree(size, n))) << n;
    }
  });
}

TEST_P(CollReduce, AllreduceInPlace) {
  run_all([](int rank, int size) {
    for (const std::size_t n : kLengths) {
      std::vector<double> both = rounding_vector(rank, n);
      ASSERT_EQ(MPI_Allreduce(MPI_IN_PLACE, both.data(), static_cast<int>(n), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD),
                MPI_SUCCESS);
      ASSERT_TRUE(same_bits(both, sum_in_tree(size, n))) << n;
      MPI_Migrate();
    }
  });
}

TEST_P(CollReduce, ReduceToEveryRoot) {
  run_all([](int rank, int size) {
    for (int root = 0; root < size; ++root) {
      const std::size_t n = kLengths[static_cast<std::size_t>(root) % std::size(kLengths)];
      const std::vector<double> mine = rounding_vector(rank, n);
      std::vector<double> sum(n, -1.0);
      MPI_Reduce(mine.data(), rank == root ? sum.data() : nullptr, static_cast<int>(n), MPI_DOUBLE, MPI_SUM, root,
                 MPI_COMM_WORLD);
      ASSERT_TRUE(same_bits(sum, rank == root ? sum_in_tree(size, n) : std::vector<double>(n, -1.0))) << n;
    }
  });
}

TEST_P(CollReduce, ReduceInPlaceAtTheRoot) {
  run_all([](int rank, int size) {
    for (const std::size_t n : kLengths) {
      std::vector<double> both = rounding_vector(rank, n);
      const int root = size - 1;
      MPI_Reduce(rank == root ? MPI_IN_PLACE : both.data(), both.data(), static_cast<int>(n), MPI_DOUBLE, MPI_SUM, root,
                 MPI_COMM_WORLD);
      ASSERT_TRUE(same_bits(both, rank == root ? sum_in_tree(size, n) : rounding_vector(rank, n))) << n;
    }
  });
}

TEST_P(CollReduce, ScanAndExscan) {
  run_all([](int rank, int) {
    for (const std::size_t n : kLengths) {
      const int count = static_cast<int>(n);
      const std::vector<double> mine = rounding_vector(rank, n);
      std::vector<double> scan(n), exscan(n, 5.0), in_place = mine, exscan_in_place = mine;
      MPI_Scan(mine.data(), scan.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      MPI_Scan(MPI_IN_PLACE, in_place.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      MPI_Exscan(mine.data(), exscan.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      MPI_Exscan(MPI_IN_PLACE, exscan_in_place.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      ASSERT_TRUE(same_bits(scan, sum_in_order(rank + 1, n))) << n;
      ASSERT_TRUE(same_bits(in_place, scan)) << n;
      ASSERT_TRUE(same_bits(exscan, rank == 0 ? std::vector<double>(n, 5.0) : sum_in_order(rank, n))) << n;
      ASSERT_TRUE(same_bits(exscan_in_place, rank == 0 ? mine : exscan)) << n;
    }
  });
}

template <typename T>
void expect_sum_and_maximum(int rank, int size, MPI_Datatype type) {
  for (const std::size_t n : {1U, 3U, 3000U}) {
    const std::vector<T> mine = vector_of<T>(rank, n);
    std::vector<T> sum(n), most(n);
    MPI_Allreduce(mine.data(), sum.data(), static_cast<int>(n), type, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(mine.data(), most.data(), static_cast<int>(n), type, MPI_MAX, MPI_COMM_WORLD);
    for (std::size_t i = 0; i < n; ++i) {
      T expected_sum{}, expected_most{};
      for (int r = 0; r < size; ++r) {
        expected_sum = static_cast<T>(expected_sum + static_cast<T>(value(r, i)));
        expected_most = std::max(expected_most, static_cast<T>(value(r, i)));
      }
      ASSERT_EQ(sum[i], expected_sum);
      ASSERT_EQ(most[i], expected_most);
    }
  }
}

TEST_P(CollReduce, EveryWidth) {
  run_all([](int rank, int size) {
    expect_sum_and_maximum<std::int8_t>(rank, size, MPI_INT8_T);
    expect_sum_and_maximum<std::uint16_t>(rank, size, MPI_UINT16_T);
    expect_sum_and_maximum<int>(rank, size, MPI_INT);
    expect_sum_and_maximum<long>(rank, size, MPI_LONG);
    expect_sum_and_maximum<float>(rank, size, MPI_FLOAT);
    expect_sum_and_maximum<long double>(rank, size, MPI_LONG_DOUBLE);
  });
}

// 2 x 2 matrices, whose product does not commute.
void multiply(void* in, void* inout, int* length, MPI_Datatype*) {
  const auto* a = static_cast<const std::uint64_t*>(in);
  auto* b = static_cast<std::uint64_t*>(inout);
  for (int i = 0; i < *length; ++i, a += 4, b += 4) {
    const std::uint64_t product[4] = {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2],
                                      a[2] * b[1] + a[3] * b[3]};
    std::copy_n(product, 4, b);
  }
}

std::vector<std::uint64_t> matrices(int rank, std::size_t n) {
  std::vector<std::uint64_t> result(4 * n);
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] = static_cast<std::uint64_t>(value(rank, i));
  }
  return result;
}

TEST_P(CollReduce, UserOperationThatDoesNotCommute) {
  run_all([](int rank, int size) {
    MPI_Datatype matrix = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(4, MPI_UINT64_T, &matrix);
    MPI_Type_commit(&matrix);
    MPI_Op product = MPI_OP_NULL;
    MPI_Op_create(multiply, 0, &product);
    for (const std::size_t n : {1U, 10U, 2000U}) {
      const int count = static_cast<int>(n);
      std::vector<std::uint64_t> expected = matrices(0, n), prefix = expected;
      for (int r = 1; r < size; ++r) {
        std::vector<std::uint64_t> next = matrices(r, n);
        int length = count;
        multiply(expected.data(), next.data(), &length, &matrix);
        expected = next;
        if (r == rank) {
          prefix = expected;
        }
      }
      const std::vector<std::uint64_t> mine = matrices(rank, n);
      std::vector<std::uint64_t> all(mine.size()), some(mine.size()), at_root(mine.size());
      MPI_Allreduce(mine.data(), all.data(), count, matrix, product, MPI_COMM_WORLD);
      MPI_Scan(mine.data(), some.data(), count, matrix, product, MPI_COMM_WORLD);
      MPI_Reduce(mine.data(), at_root.data(), count, matrix, product, 0, MPI_COMM_WORLD);
      ASSERT_EQ(all, expected);
      ASSERT_EQ(some, prefix);
      if (rank == 0) {
        ASSERT_EQ(at_root, expected);
      }
    }
    MPI_Op_free(&product);
    MPI_Type_free(&matrix);
  });
}

void add_ints(void* in, void* inout, int* length, MPI_Datatype* type) {
  // Every second int is data: the type has gaps.
  MPI_Aint lower = 0, extent = 0;
  MPI_Type_get_extent(*type, &lower, &extent);
  const auto stride = static_cast<std::size_t>(extent) / sizeof(int);
  for (std::size_t i = 0; i < static_cast<std::size_t>(*length); ++i) {
    static_cast<int*>(inout)[i * stride] += static_cast<const int*>(in)[i * stride];
  }
}

TEST_P(CollReduce, TypesWithGapsKeepTheirGaps) {
  run_all([](int rank, int size) {
    MPI_Datatype sparse = MPI_DATATYPE_NULL;
    MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &sparse);
    MPI_Type_commit(&sparse);
    MPI_Op add = MPI_OP_NULL;
    MPI_Op_create(add_ints, 1, &add);
    for (const MPI_Op op : {add, MPI_SUM}) {
      for (const std::size_t n : {1U, 50U, 6000U}) {
        std::vector<int> mine(2 * n, -3), sum(2 * n, -5);
        for (std::size_t i = 0; i < n; ++i) {
          mine[2 * i] = value(rank, i);
        }
        MPI_Allreduce(mine.data(), sum.data(), static_cast<int>(n), sparse, op, MPI_COMM_WORLD);
        for (std::size_t i = 0; i < n; ++i) {
          int expected = 0;
          for (int r = 0; r < size; ++r) {
            expected += value(r, i);
          }
          ASSERT_EQ(sum[2 * i], expected);
          ASSERT_EQ(sum[2 * i + 1], -5);
        }
      }
    }
    MPI_Op_free(&add);
    MPI_Type_free(&sparse);
  });
}

TEST_P(CollReduce, OneBufferForBothSidesIsAnError) {
  run_all([](int rank, int size) {
    std::vector<int> data(static_cast<std::size_t>(size), rank);
    const std::vector<int> ones(static_cast<std::size_t>(size), 1);
    int* const both = data.data();
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    EXPECT_EQ(MPI_Allreduce(both, both, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Allreduce(both, both, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
    EXPECT_EQ(MPI_Scan(both, both, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Exscan(both, both, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Reduce_scatter(both, both, ones.data(), MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Reduce_local(both, both, 1, MPI_INT, MPI_SUM), MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Reduce_local(both, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM), MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Alltoall(both, 1, MPI_INT, both, 1, MPI_INT, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Allgather(both + rank, 1, MPI_INT, both, 1, MPI_INT, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    if (rank == 0) {
      EXPECT_EQ(MPI_Reduce(both, both, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD), MPI_ERR_BUFFER);
      EXPECT_EQ(MPI_Gather(both, 1, MPI_INT, both, 1, MPI_INT, 0, MPI_COMM_WORLD), MPI_ERR_BUFFER);
      EXPECT_EQ(MPI_Scatter(both, 1, MPI_INT, both, 1, MPI_INT, 0, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    }
    EXPECT_EQ(data, std::vector<int>(static_cast<std::size_t>(size), rank));
  });
}

}  // namespace
}  // namespace weft::mpi_shim
