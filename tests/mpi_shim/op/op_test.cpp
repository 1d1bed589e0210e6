// Predefined operations on the types that the standard gives them, and the calls about operations.
#include <array>
#include <complex>

#include "tests/mpi_shim/mpi_fixture.hpp"

namespace weft::mpi_shim {
namespace {

// inout = in op inout on one rank.
template <typename T>
T combined(MPI_Op op, MPI_Datatype type, T in, T inout) {
  T both[1] = {inout};
  EXPECT_EQ(MPI_Reduce_local(&in, both, 1, type, op), MPI_SUCCESS);
  return both[0];
}

class OpTest : public MpiTest {
 protected:
  void alone(const std::function<void()>& body) {
    run(1, [&](int, int) { body(); });
  }
};
INSTANTIATE_TEST_SUITE_P(Settings, OpTest, testing::Values(Setting{1, "none"}), name_of);

template <typename T>
void expect_integer(MPI_Datatype type) {
  EXPECT_EQ(combined<T>(MPI_SUM, type, 12, 10), 22);
  EXPECT_EQ(combined<T>(MPI_PROD, type, 12, 10), 120);
  EXPECT_EQ(combined<T>(MPI_MIN, type, 12, 10), 10);
  EXPECT_EQ(combined<T>(MPI_MAX, type, 12, 10), 12);
  EXPECT_EQ(combined<T>(MPI_LAND, type, 12, 10), 1);
  EXPECT_EQ(combined<T>(MPI_LAND, type, 12, 0), 0);
  EXPECT_EQ(combined<T>(MPI_LOR, type, 0, 10), 1);
  EXPECT_EQ(combined<T>(MPI_LXOR, type, 12, 10), 0);
  EXPECT_EQ(combined<T>(MPI_LXOR, type, 12, 0), 1);
  EXPECT_EQ(combined<T>(MPI_BAND, type, 12, 10), 8);
  EXPECT_EQ(combined<T>(MPI_BOR, type, 12, 10), 14);
  EXPECT_EQ(combined<T>(MPI_BXOR, type, 12, 10), 6);
}

TEST_P(OpTest, Integers) {
  alone([] {
    expect_integer<signed char>(MPI_SIGNED_CHAR);
    expect_integer<unsigned char>(MPI_UNSIGNED_CHAR);
    expect_integer<short>(MPI_SHORT);
    expect_integer<unsigned short>(MPI_UNSIGNED_SHORT);
    expect_integer<int>(MPI_INT);
    expect_integer<unsigned>(MPI_UNSIGNED);
    expect_integer<long>(MPI_LONG);
    expect_integer<unsigned long>(MPI_UNSIGNED_LONG);
    expect_integer<long long>(MPI_LONG_LONG);
    expect_integer<std::int8_t>(MPI_INT8_T);
    expect_integer<std::uint64_t>(MPI_UINT64_T);
    expect_integer<MPI_Aint>(MPI_AINT);
    expect_integer<MPI_Count>(MPI_COUNT);
    expect_integer<MPI_Offset>(MPI_OFFSET);
    expect_integer<int>(MPI_INTEGER);
    expect_integer<std::int16_t>(MPI_INTEGER2);
    expect_integer<std::int64_t>(MPI_INTEGER8);
  });
}

TEST_P(OpTest, SignsCountInOrderButNotInBits) {
  alone([] {
    EXPECT_EQ(combined<int>(MPI_MIN, MPI_INT, -1, 1), -1);
    EXPECT_EQ(combined<unsigned>(MPI_MIN, MPI_UNSIGNED, ~0U, 1), 1U);
    EXPECT_EQ(combined<signed char>(MPI_SUM, MPI_SIGNED_CHAR, 100, 100), static_cast<signed char>(200));
    EXPECT_EQ(combined<int>(MPI_BOR, MPI_INT, -8, 3), -5);
    EXPECT_EQ(combined<unsigned short>(MPI_PROD, MPI_UNSIGNED_SHORT, 65535, 65535), 1);
  });
}

template <typename T>
void expect_floating(MPI_Datatype type) {
  EXPECT_EQ(combined<T>(MPI_SUM, type, T(1.5), T(0.25)), T(1.75));
  EXPECT_EQ(combined<T>(MPI_PROD, type, T(1.5), T(0.25)), T(0.375));
  EXPECT_EQ(combined<T>(MPI_MIN, type, T(-1.5), T(0.25)), T(-1.5));
  EXPECT_EQ(combined<T>(MPI_MAX, type, T(-1.5), T(0.25)), T(0.25));
}

TEST_P(OpTest, FloatingPoint) {
  alone([] {
    expect_floating<float>(MPI_FLOAT);
    expect_floating<double>(MPI_DOUBLE);
    expect_floating<long double>(MPI_LONG_DOUBLE);
    expect_floating<float>(MPI_REAL);
    expect_floating<double>(MPI_DOUBLE_PRECISION);
    expect_floating<float>(MPI_REAL4);
    expect_floating<double>(MPI_REAL8);
  });
}

template <typename T>
void expect_complex(MPI_Datatype type) {
  const T a(1, 2), b(3, -1);
  EXPECT_EQ(combined<T>(MPI_SUM, type, a, b), T(4, 1));
  EXPECT_EQ(combined<T>(MPI_PROD, type, a, b), T(5, 5));
}

TEST_P(OpTest, Complex) {
  alone([] {
    expect_complex<std::complex<float>>(MPI_C_FLOAT_COMPLEX);
    expect_complex<std::complex<double>>(MPI_C_DOUBLE_COMPLEX);
    expect_complex<std::complex<long double>>(MPI_C_LONG_DOUBLE_COMPLEX);
    expect_complex<std::complex<float>>(MPI_CXX_FLOAT_COMPLEX);
    expect_complex<std::complex<float>>(MPI_COMPLEX);
    expect_complex<std::complex<double>>(MPI_DOUBLE_COMPLEX);
  });
}

__extension__ using Integer128 = __int128;
__extension__ using Quadruple = __float128;

// Their handles are not those of MPI_INTEGER16, MPI_REAL16 and MPI_COMPLEX32.
TEST_P(OpTest, FortransLargestKinds) {
  alone([] {
    MPI_Datatype integer, real, complex;
    MPI_Type_create_f90_integer(38, &integer);
    MPI_Type_create_f90_real(33, MPI_UNDEFINED, &real);
    MPI_Type_create_f90_complex(33, MPI_UNDEFINED, &complex);
    const Integer128 large = Integer128{1} << 100;
    EXPECT_TRUE(combined<Integer128>(MPI_SUM, integer, large, 1) == large + 1);
    EXPECT_TRUE(combined<Quadruple>(MPI_SUM, real, 1.5, 0.25) == 1.75);
    using Complex = std::array<Quadruple, 2>;
    EXPECT_TRUE((combined<Complex>(MPI_SUM, complex, {1.0, 2.0}, {3.0, -1.0}) == Complex{4.0, 1.0}));
  });
}

TEST_P(OpTest, TruthAndBytes) {
  alone([] {
    EXPECT_TRUE(combined<bool>(MPI_LOR, MPI_C_BOOL, true, false));
    EXPECT_FALSE(combined<bool>(MPI_LAND, MPI_CXX_BOOL, true, false));
    EXPECT_EQ(combined<int>(MPI_LXOR, MPI_LOGICAL, 1, 0), 1);
    EXPECT_EQ(combined<std::uint8_t>(MPI_LAND, MPI_LOGICAL1, 1, 1), 1);
    EXPECT_EQ(combined<std::uint64_t>(MPI_LOR, MPI_LOGICAL8, 0, 0), 0U);
    EXPECT_EQ(combined<std::uint8_t>(MPI_BXOR, MPI_BYTE, 0xf0, 0xff), 0x0f);
  });
}

template <typename Value, typename Index>
void expect_location(MPI_Datatype type) {
  struct Pair {
    Value value;
    Index index;
  };
  const Pair low{2, 7}, high{3, 5}, low_again{2, 4};
  EXPECT_EQ(combined(MPI_MINLOC, type, low, high).index, Index(7));
  EXPECT_EQ(combined(MPI_MAXLOC, type, low, high).index, Index(5));
  EXPECT_EQ(combined(MPI_MINLOC, type, low, low_again).index, Index(4));
  EXPECT_EQ(combined(MPI_MAXLOC, type, low_again, low).index, Index(4));
}

TEST_P(OpTest, Locations) {
  alone([] {
    expect_location<float, int>(MPI_FLOAT_INT);
    expect_location<double, int>(MPI_DOUBLE_INT);
    expect_location<long, int>(MPI_LONG_INT);
    expect_location<int, int>(MPI_2INT);
    expect_location<short, int>(MPI_SHORT_INT);
    expect_location<long double, int>(MPI_LONG_DOUBLE_INT);
    expect_location<float, float>(MPI_2REAL);
    expect_location<double, double>(MPI_2DOUBLE_PRECISION);
    expect_location<int, int>(MPI_2INTEGER);
  });
}

TEST_P(OpTest, PairsThatTheStandardDoesNotDefineAreRefused) {
  alone([] {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    const std::pair<MPI_Op, MPI_Datatype> undefined[] = {{MPI_BAND, MPI_DOUBLE}, {MPI_MIN, MPI_C_DOUBLE_COMPLEX},
                                                         {MPI_SUM, MPI_BYTE},    {MPI_MINLOC, MPI_INT},
                                                         {MPI_SUM, MPI_2INT},    {MPI_SUM, MPI_C_BOOL}};
    for (const auto& [op, type] : undefined) {
      double a[4] = {}, b[4] = {};
      int error_class = 0;
      MPI_Error_class(MPI_Reduce_local(a, b, 1, type, op), &error_class);
      EXPECT_EQ(error_class, MPI_ERR_OP);
    }
  });
}

void keep_first(void* in, void* inout, int* length, MPI_Datatype*) {
  std::copy_n(static_cast<int*>(in), *length, static_cast<int*>(inout));
}

TEST_P(OpTest, UserOperationsSayWhetherTheyCommuteAndAreFreed) {
  alone([] {
    MPI_Op op = MPI_OP_NULL;
    int commutes = 1;
    ASSERT_EQ(MPI_Op_create(keep_first, 0, &op), MPI_SUCCESS);
    EXPECT_EQ(MPI_Op_commutative(op, &commutes), MPI_SUCCESS);
    EXPECT_EQ(commutes, 0);
    EXPECT_EQ(combined<int>(op, MPI_INT, 3, 4), 3);
    EXPECT_EQ(MPI_Op_commutative(MPI_SUM, &commutes), MPI_SUCCESS);
    EXPECT_EQ(commutes, 1);
    EXPECT_EQ(MPI_Op_free(&op), MPI_SUCCESS);
    EXPECT_EQ(op, MPI_OP_NULL);
  });
}

TEST_P(OpTest, LocationOfTheMinimumOverRanks) {
  run(5, [](int rank, int) {
    struct {
      double value;
      int index;
    } mine{static_cast<double>((rank * 3 + 1) % 5), rank}, least{};
    MPI_Allreduce(&mine, &least, 1, MPI_DOUBLE_INT, MPI_MINLOC, MPI_COMM_WORLD);
    EXPECT_EQ(least.value, 0.0);
    EXPECT_EQ(least.index, 3);
  });
}

}  // namespace
}  // namespace weft::mpi_shim
