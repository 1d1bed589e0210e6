// external32: the bytes that the standard fixes, there and back, for predefined and derived types; Fortran's kinds.
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "mpi_shim/state/state.hpp"
#include "tests/mpi_shim/mpi_fixture.hpp"

namespace weft::mpi_shim {
namespace {

using External32Test = MpiTest;
INSTANTIATE_TEST_SUITE_P(Settings, External32Test,
                         testing::Values(Setting{1, "none"}, Setting{2, "rotate", false, 1, true}), name_of);

std::string hex_of(const void* data, MPI_Count count, MPI_Datatype type) {
  MPI_Aint size = 0, position = 0;
  EXPECT_EQ(MPI_Pack_external_size("external32", static_cast<int>(count), type, &size), MPI_SUCCESS);
  std::vector<unsigned char> out(static_cast<std::size_t>(size));
  EXPECT_EQ(MPI_Pack_external("external32", data, static_cast<int>(count), type, out.data(), size, &position),
            MPI_SUCCESS);
  EXPECT_EQ(position, size);
  std::string text;
  for (const unsigned char byte : out) {
    constexpr char kDigits[] = "0123456789abcdef";
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

TEST_P(External32Test, NumbersAreBigEndianOfTheStandardsSizes) {
  run(1, [](int, int) {
    const std::int16_t small = 0x0102;
    EXPECT_EQ(hex_of(&small, 1, MPI_SHORT), "0102");
    const int number = -2;
    EXPECT_EQ(hex_of(&number, 1, MPI_INT), "fffffffe");
    const long large[] = {0x01020304, -1};
    EXPECT_EQ(hex_of(large, 2, MPI_LONG), "01020304ffffffff");
    EXPECT_EQ(hex_of(large, 1, MPI_LONG_LONG), "0000000001020304");
    EXPECT_EQ(hex_of(large, 1, MPI_AINT), "0000000001020304");
    const double one = 1.0;
    EXPECT_EQ(hex_of(&one, 1, MPI_DOUBLE), "3ff0000000000000");
    const float complex[] = {1.0F, -2.0F};
    EXPECT_EQ(hex_of(complex, 1, MPI_C_FLOAT_COMPLEX), "3f800000c0000000");
    const long double extended = 1.5L;
    EXPECT_EQ(hex_of(&extended, 1, MPI_LONG_DOUBLE), "3fff8000000000000000000000000000");
    const wchar_t letter = L'\u20ac';
    EXPECT_EQ(hex_of(&letter, 1, MPI_WCHAR), "20ac");
    const bool truth = true;
    EXPECT_EQ(hex_of(&truth, 1, MPI_C_BOOL), "01");
    EXPECT_EQ(hex_of("ab", 2, MPI_CHAR), "6162");
    const struct {
      short value;
      int index;
    } pair = {0x0102, 0x03040506};
    EXPECT_EQ(hex_of(&pair, 1, MPI_SHORT_INT), "010203040506");
  });
}

template <typename T>
void expect_round_trip(const std::vector<T>& data, MPI_Datatype type, int count) {
  MPI_Count size = 0, position = 0;
  MPI_Pack_external_size_c("external32", count, type, &size);
  std::vector<std::byte> packed(static_cast<std::size_t>(size));
  MPI_Pack_external_c("external32", data.data(), count, type, packed.data(), size, &position);
  std::vector<T> back(data.size());
  position = 0;
  EXPECT_EQ(MPI_Unpack_external_c("external32", packed.data(), size, &position, back.data(), count, type), MPI_SUCCESS);
  EXPECT_EQ(position, size);
  EXPECT_EQ(back, data);
}

TEST_P(External32Test, WhatWasPackedComesBack) {
  run(1, [](int, int) {
    expect_round_trip<long>({-5, 7, -0x7fffffffL}, MPI_LONG, 3);
    expect_round_trip<unsigned long>({5, 0xffffffffUL}, MPI_UNSIGNED_LONG, 2);
    expect_round_trip<long double>({1.0L / 3, -1e4000L, 0.0L}, MPI_LONG_DOUBLE, 3);
    expect_round_trip<double>({1.0 / 3, -1e300}, MPI_DOUBLE, 2);
    expect_round_trip<wchar_t>({L'a', L'\u20ac'}, MPI_WCHAR, 2);
    expect_round_trip<std::int8_t>({-1, 1}, MPI_INT8_T, 2);
  });
}

struct Particle {
  double position[3];
  long id;
  char kind;
  bool operator==(const Particle&) const = default;
};

TEST_P(External32Test, DerivedTypesConvertTheirParts) {
  run(1, [](int, int) {
    MPI_Datatype inner, parts, particle, column;
    MPI_Type_contiguous(3, MPI_DOUBLE, &inner);
    const int lengths[] = {1, 1, 1};
    const MPI_Aint places[] = {offsetof(Particle, position), offsetof(Particle, id), offsetof(Particle, kind)};
    const MPI_Datatype types[] = {inner, MPI_LONG, MPI_CHAR};
    MPI_Type_create_struct(3, lengths, places, types, &parts);
    MPI_Type_create_resized(parts, 0, sizeof(Particle), &particle);
    MPI_Type_commit(&particle);
    MPI_Aint size = 0;
    MPI_Pack_external_size("external32", 2, particle, &size);
    EXPECT_EQ(size, 2 * (3 * 8 + 4 + 1));
    MPI_Migrate();
    expect_round_trip<Particle>({{{1, 2, 3}, -4, 'a'}, {{5, 6, 7}, 8, 'b'}}, particle, 2);
    const Particle one{{1, 0, 0}, 2, 'c'};
    EXPECT_EQ(hex_of(&one, 1, particle).substr(48), "0000000263");
    MPI_Type_vector(2, 1, 2, MPI_SHORT, &column);
    MPI_Type_commit(&column);
    const short matrix[] = {1, 2, 3, 4};
    EXPECT_EQ(hex_of(matrix, 1, column), "00010003");
    for (MPI_Datatype* type : {&inner, &parts, &particle, &column}) {
      MPI_Type_free(type);
    }
  });
}

// A look at each of its numbers would take hours.
TEST_P(External32Test, SizeOfAnEnormousTypeIsFoundAtOnce) {
  run(1, [](int, int) {
    const int lengths[2] = {1, 1};
    const MPI_Aint places[2] = {0, 8};
    const MPI_Datatype parts[2] = {MPI_LONG, MPI_DOUBLE_INT};
    MPI_Datatype types[4];
    MPI_Type_create_struct(2, lengths, places, parts, &types[0]);
    for (int i = 1; i < 4; ++i) {
      MPI_Type_contiguous(1 << 10, types[i - 1], &types[i]);
    }
    MPI_Type_commit(&types[3]);
    MPI_Count size = 0;
    EXPECT_EQ(MPI_Pack_external_size_c("external32", 1, types[3], &size), MPI_SUCCESS);
    EXPECT_EQ(size, MPI_Count{4 + 8 + 4} << 30);
    char nothing = 0;
    MPI_Count position = 0;
    EXPECT_EQ(MPI_Pack_external_c("external32", &nothing, 0, types[3], &nothing, 1, &position), MPI_SUCCESS);
    EXPECT_EQ(position, 0);
    for (MPI_Datatype& type : types) {
      MPI_Type_free(&type);
    }
  });
}

TEST_P(External32Test, WrongCallsAreRefused) {
  run(1, [](int, int) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int value = 1;
    std::array<std::byte, 4> out{};
    MPI_Aint position = 0;
    EXPECT_EQ(MPI_Pack_external("native", &value, 1, MPI_INT, out.data(), 4, &position), MPI_ERR_UNSUPPORTED_DATAREP);
    EXPECT_EQ(MPI_Pack_external("external32", &value, 1, MPI_INT, out.data(), 3, &position), MPI_ERR_TRUNCATE);
    EXPECT_EQ(MPI_Pack_external("external32", &value, 1, MPI_DATATYPE_NULL, out.data(), 4, &position), MPI_ERR_TYPE);
    EXPECT_EQ(position, 0);
  });
}

__extension__ using Quadruple = __float128;

TEST_P(External32Test, FortransKindsAreFoundByPrecisionAndRange) {
  run(2, [](int rank, int) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    const auto size_of = [](MPI_Datatype type) {
      int size = 0;
      MPI_Type_size(type, &size);
      return size;
    };
    MPI_Datatype type, again;
    for (const auto& [range, bytes] : {std::pair{1, 1}, {4, 2}, {9, 4}, {10, 8}, {30, 16}}) {
      EXPECT_EQ(MPI_Type_create_f90_integer(range, &type), MPI_SUCCESS);
      EXPECT_EQ(size_of(type), bytes);
    }
    EXPECT_EQ(MPI_Type_create_f90_integer(39, &type), MPI_ERR_ARG);
    MPI_Type_create_f90_complex(7, MPI_UNDEFINED, &type);
    EXPECT_EQ(size_of(type), 16);
    EXPECT_EQ(MPI_Type_create_f90_real(MPI_UNDEFINED, MPI_UNDEFINED, &type), MPI_ERR_ARG);
    MPI_Type_create_f90_real(15, 300, &type);
    EXPECT_EQ(size_of(type), 8);
    MPI_Migrate();
    MPI_Type_create_f90_real(15, 300, &again);
    EXPECT_EQ(type, again);
    int integers = 0, addresses = 0, types = 0, combiner = 0, arguments[2];
    MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
    EXPECT_EQ(combiner, MPI_COMBINER_F90_REAL);
    EXPECT_EQ(integers, 2);
    MPI_Type_get_contents(type, 2, 0, 0, arguments, nullptr, nullptr);
    EXPECT_EQ(arguments[0], 15);
    EXPECT_EQ(arguments[1], 300);
    EXPECT_EQ(MPI_Type_free(&again), MPI_ERR_TYPE);
    double value = rank + 1, sum = 0;
    MPI_Allreduce(&value, &sum, 1, type, MPI_SUM, MPI_COMM_WORLD);
    EXPECT_EQ(sum, 3);
    value = 1;
    EXPECT_EQ(hex_of(&value, 1, type), "3ff0000000000000");
    MPI_Type_create_f90_complex(33, MPI_UNDEFINED, &type);
    const Quadruple parts[] = {1.0, -2.0};
    EXPECT_EQ(hex_of(parts, 1, type), "3fff" + std::string(28, '0') + "c000" + std::string(28, '0'));
  });
}

}  // namespace
}  // namespace weft::mpi_shim
