#include "tests/mpi_shim/error/argument_numbers.hpp"

#include <climits>
#include <cstddef>
#include <iterator>

#include "mpi.h"
#include "tests/mpi_shim/error/argument_holdings.hpp"

namespace weft::mpi_shim::fuzz {

namespace {

// clang-format off
constexpr std::int64_t kAny[] = {
    0, 1, 2, 3, 4, 5, 7, 8, 32, 100, -1, -2, -3, -4, -5, INT_MAX, INT_MIN, INT_MAX - 1, MPI_UNDEFINED, MPI_ORDER_C,
    MPI_ORDER_FORTRAN, MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_DFLT_DARG,
    MPI_SEEK_SET, MPI_SEEK_CUR, MPI_SEEK_END, MPI_COMM_TYPE_SHARED, MPI_COMM_TYPE_HW_GUIDED,
    MPI_COMM_TYPE_RESOURCE_GUIDED, MPI_LOCK_EXCLUSIVE, MPI_LOCK_SHARED, MPI_TYPECLASS_INTEGER, MPI_TYPECLASS_REAL,
    MPI_TYPECLASS_COMPLEX, MPI_THREAD_MULTIPLE, MPI_ERR_OTHER, MPI_ERR_LASTCODE, MPI_ERR_LASTCODE + 1,
    MPI_ERR_LASTCODE + 2};
constexpr std::int64_t kSmall[] = {0, 1, 2, 3, 5, 0, 1};
constexpr std::int64_t kLengths[] = {0, 1, 1, 2, 2, 3, 5, -1, INT_MIN};
constexpr std::int64_t kBytes[] = {0, 1, 4, 64, 1000, -1, INT_MIN};
constexpr std::int64_t kRanks[] = {0, 0, 0, 0, MPI_PROC_NULL, MPI_PROC_NULL, MPI_ANY_SOURCE, 1, 2, -1, -2, MPI_ROOT,
    INT_MAX, INT_MIN, -77};
constexpr std::int64_t kTags[] = {0, 0, 1, 2, MPI_ANY_TAG, MPI_ANY_TAG, -1, -5, INT_MAX, INT_MIN, 1 << 20};
constexpr std::int64_t kCounts[] = {0, 1, 1, 2, 3, 8, 16, 100, 512, -1, INT_MIN, INT_MAX, INT64_C(1) << 31,
    INT64_C(1) << 40, INT64_MAX, INT64_MIN};
constexpr std::int64_t kWide[] = {0, 1, 2, 4, 8, 16, 24, 100, -1, -4, -8, -16, INT_MAX, INT_MIN, INT64_C(1) << 31,
    -(INT64_C(1) << 40), INT64_C(1) << 62, INT64_MAX, INT64_MIN, INT64_MIN + 1,
    INT64_MAX - 7, -(INT64_C(1) << 62)};
constexpr std::int64_t kKeyvals[] = {MPI_KEYVAL_INVALID, MPI_TAG_UB, MPI_IO, MPI_UNIVERSE_SIZE, MPI_LASTUSEDCODE,
    MPI_APPNUM, MPI_WIN_BASE, MPI_WIN_SIZE, MPI_WIN_CREATE_FLAVOR, MPI_WIN_MODEL,
    -1, 1, 777, INT_MAX, INT_MIN};
constexpr std::int64_t kClosed[] = {-1, 1000000, INT_MAX, INT_MIN};
// clang-format on

template <typename Range>
std::int64_t pick(Random& random, const Range& range) {
  return range[static_cast<std::size_t>(below(random, static_cast<int>(std::size(range))))];
}

}  // namespace

std::int64_t choose_number(Random& random, Numbers kind, const std::vector<int>& keyvals) {
  switch (kind) {
    case Numbers::any:
      return one_in(random, 3) ? pick(random, kSmall) : pick(random, kAny);
    case Numbers::length:
      return pick(random, kLengths);
    case Numbers::bytes:
      return one_in(random, 3) ? Holdings::kRoom : pick(random, kBytes);
    case Numbers::closed:
      return pick(random, kClosed);
    case Numbers::rank:
      return pick(random, kRanks);
    case Numbers::tag:
      return pick(random, kTags);
    case Numbers::count:
    case Numbers::displ:
      return one_in(random, 2) ? pick(random, kSmall) : pick(random, kCounts);
    case Numbers::logical:
      return one_in(random, 8) ? pick(random, kAny) : below(random, 2);
    case Numbers::keyval:
      return one_in(random, 2) && !keyvals.empty() ? pick(random, keyvals) : pick(random, kKeyvals);
    case Numbers::wide:
      return one_in(random, 3) ? pick(random, kSmall) : pick(random, kWide);
    case Numbers::mode:
      return one_in(random, 4) ? pick(random, kAny)
                               : (below(random, 1 << 15) & below(random, 1 << 15) & below(random, 1 << 15));
  }
  return 0;
}

}  // namespace weft::mpi_shim::fuzz
