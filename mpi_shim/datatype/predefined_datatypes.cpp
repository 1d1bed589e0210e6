// The datatypes of the standard, by handle. Sizes and alignments are those of x86-64's C and of gfortran's defaults.
#include <cstddef>
#include <cwchar>

#include "mpi_shim/datatype/datatype_builder.hpp"

namespace weft::mpi_shim {
inline namespace datatype {

namespace {

using Named = NamedDatatype;

// Size and alignment are those of the C type.
template <typename T>
constexpr Named c_type(MPI_Datatype handle, const char* name, Basic basic) {
  return {handle, name, basic, sizeof(T), alignof(T)};
}

template <typename Value, typename Index>
constexpr Named pair_type(MPI_Datatype handle, const char* name, Basic basic) {
  struct Pair {
    Value value;
    Index index;
  };
  return {handle, name, basic, sizeof(Value), alignof(Pair), {offsetof(Pair, index), sizeof(Index)}};
}

constexpr Named fortran_type(MPI_Datatype handle, const char* name, Basic basic, std::size_t bytes,
                             std::size_t alignment) {
  return {handle, name, basic, bytes, alignment};
}

struct ComplexFloat {
  float parts[2];
};
struct ComplexDouble {
  double parts[2];
};
struct ComplexLongDouble {
  long double parts[2];
};

// clang-format off
const Named kNamed[] = {
    c_type<MPI_Aint>(MPI_AINT, "MPI_AINT", Basic::int64),
    c_type<MPI_Count>(MPI_COUNT, "MPI_COUNT", Basic::int64),
    c_type<MPI_Offset>(MPI_OFFSET, "MPI_OFFSET", Basic::int64),
    c_type<char>(MPI_PACKED, "MPI_PACKED", Basic::packed),
    c_type<short>(MPI_SHORT, "MPI_SHORT", Basic::int16),
    c_type<int>(MPI_INT, "MPI_INT", Basic::int32),
    c_type<long>(MPI_LONG, "MPI_LONG", Basic::int64),
    c_type<long long>(MPI_LONG_LONG, "MPI_LONG_LONG_INT", Basic::int64),
    c_type<unsigned short>(MPI_UNSIGNED_SHORT, "MPI_UNSIGNED_SHORT", Basic::uint16),
    c_type<unsigned>(MPI_UNSIGNED, "MPI_UNSIGNED", Basic::uint32),
    c_type<unsigned long>(MPI_UNSIGNED_LONG, "MPI_UNSIGNED_LONG", Basic::uint64),
    c_type<unsigned long long>(MPI_UNSIGNED_LONG_LONG, "MPI_UNSIGNED_LONG_LONG", Basic::uint64),
    c_type<float>(MPI_FLOAT, "MPI_FLOAT", Basic::float32),
    c_type<ComplexFloat>(MPI_C_FLOAT_COMPLEX, "MPI_C_COMPLEX", Basic::complex64),
    c_type<ComplexFloat>(MPI_CXX_FLOAT_COMPLEX, "MPI_CXX_FLOAT_COMPLEX", Basic::complex64),
    c_type<double>(MPI_DOUBLE, "MPI_DOUBLE", Basic::float64),
    c_type<ComplexDouble>(MPI_C_DOUBLE_COMPLEX, "MPI_C_DOUBLE_COMPLEX", Basic::complex128),
    c_type<ComplexDouble>(MPI_CXX_DOUBLE_COMPLEX, "MPI_CXX_DOUBLE_COMPLEX", Basic::complex128),
    c_type<long double>(MPI_LONG_DOUBLE, "MPI_LONG_DOUBLE", Basic::float80),
    c_type<ComplexLongDouble>(MPI_C_LONG_DOUBLE_COMPLEX, "MPI_C_LONG_DOUBLE_COMPLEX", Basic::complex160),
    c_type<ComplexLongDouble>(MPI_CXX_LONG_DOUBLE_COMPLEX, "MPI_CXX_LONG_DOUBLE_COMPLEX", Basic::complex160),
    pair_type<float, int>(MPI_FLOAT_INT, "MPI_FLOAT_INT", Basic::float_int),
    pair_type<double, int>(MPI_DOUBLE_INT, "MPI_DOUBLE_INT", Basic::double_int),
    pair_type<long, int>(MPI_LONG_INT, "MPI_LONG_INT", Basic::long_int),
    pair_type<int, int>(MPI_2INT, "MPI_2INT", Basic::two_int),
    pair_type<short, int>(MPI_SHORT_INT, "MPI_SHORT_INT", Basic::short_int),
    pair_type<long double, int>(MPI_LONG_DOUBLE_INT, "MPI_LONG_DOUBLE_INT", Basic::long_double_int),
    pair_type<float, float>(MPI_2REAL, "MPI_2REAL", Basic::two_real),
    pair_type<double, double>(MPI_2DOUBLE_PRECISION, "MPI_2DOUBLE_PRECISION", Basic::two_double),
    pair_type<int, int>(MPI_2INTEGER, "MPI_2INTEGER", Basic::two_integer),
    c_type<bool>(MPI_C_BOOL, "MPI_C_BOOL", Basic::c_bool),
    c_type<bool>(MPI_CXX_BOOL, "MPI_CXX_BOOL", Basic::cxx_bool),
    c_type<wchar_t>(MPI_WCHAR, "MPI_WCHAR", Basic::none),
    c_type<std::int8_t>(MPI_INT8_T, "MPI_INT8_T", Basic::int8),
    c_type<std::uint8_t>(MPI_UINT8_T, "MPI_UINT8_T", Basic::uint8),
    c_type<char>(MPI_CHAR, "MPI_CHAR", Basic::character),
    c_type<signed char>(MPI_SIGNED_CHAR, "MPI_SIGNED_CHAR", Basic::int8),
    c_type<unsigned char>(MPI_UNSIGNED_CHAR, "MPI_UNSIGNED_CHAR", Basic::uint8),
    c_type<std::byte>(MPI_BYTE, "MPI_BYTE", Basic::byte),
    c_type<std::int16_t>(MPI_INT16_T, "MPI_INT16_T", Basic::int16),
    c_type<std::uint16_t>(MPI_UINT16_T, "MPI_UINT16_T", Basic::uint16),
    c_type<std::int32_t>(MPI_INT32_T, "MPI_INT32_T", Basic::int32),
    c_type<std::uint32_t>(MPI_UINT32_T, "MPI_UINT32_T", Basic::uint32),
    c_type<std::int64_t>(MPI_INT64_T, "MPI_INT64_T", Basic::int64),
    c_type<std::uint64_t>(MPI_UINT64_T, "MPI_UINT64_T", Basic::uint64),
    fortran_type(MPI_LOGICAL, "MPI_LOGICAL", Basic::logical, 4, 4),
    fortran_type(MPI_INTEGER, "MPI_INTEGER", Basic::int32, 4, 4),
    fortran_type(MPI_REAL, "MPI_REAL", Basic::float32, 4, 4),
    fortran_type(MPI_COMPLEX, "MPI_COMPLEX", Basic::complex64, 8, 4),
    fortran_type(MPI_DOUBLE_PRECISION, "MPI_DOUBLE_PRECISION", Basic::float64, 8, 8),
    fortran_type(MPI_DOUBLE_COMPLEX, "MPI_DOUBLE_COMPLEX", Basic::complex128, 16, 8),
    fortran_type(MPI_CHARACTER, "MPI_CHARACTER", Basic::character, 1, 1),
    fortran_type(MPI_LOGICAL1, "MPI_LOGICAL1", Basic::logical8, 1, 1),
    fortran_type(MPI_LOGICAL2, "MPI_LOGICAL2", Basic::logical16, 2, 2),
    fortran_type(MPI_LOGICAL4, "MPI_LOGICAL4", Basic::logical, 4, 4),
    fortran_type(MPI_LOGICAL8, "MPI_LOGICAL8", Basic::logical64, 8, 8),
    fortran_type(MPI_LOGICAL16, "MPI_LOGICAL16", Basic::logical128, 16, 16),
    fortran_type(MPI_INTEGER1, "MPI_INTEGER1", Basic::int8, 1, 1),
    fortran_type(MPI_INTEGER2, "MPI_INTEGER2", Basic::int16, 2, 2),
    fortran_type(MPI_INTEGER4, "MPI_INTEGER4", Basic::int32, 4, 4),
    fortran_type(MPI_INTEGER8, "MPI_INTEGER8", Basic::int64, 8, 8),
    fortran_type(MPI_INTEGER16, "MPI_INTEGER16", Basic::int128, 16, 16),
    fortran_type(MPI_REAL2, "MPI_REAL2", Basic::float16, 2, 2),
    fortran_type(MPI_REAL4, "MPI_REAL4", Basic::float32, 4, 4),
    fortran_type(MPI_REAL8, "MPI_REAL8", Basic::float64, 8, 8),
    fortran_type(MPI_REAL16, "MPI_REAL16", Basic::float128, 16, 16),
    fortran_type(MPI_COMPLEX4, "MPI_COMPLEX4", Basic::complex32, 4, 2),
    fortran_type(MPI_COMPLEX8, "MPI_COMPLEX8", Basic::complex64, 8, 4),
    fortran_type(MPI_COMPLEX16, "MPI_COMPLEX16", Basic::complex128, 16, 8),
    fortran_type(MPI_COMPLEX32, "MPI_COMPLEX32", Basic::complex256, 32, 16),
    {reinterpret_cast<MPI_Datatype>(kLowerMarker), "MPI_LB", Basic::none, 0, 1},
    {reinterpret_cast<MPI_Datatype>(kUpperMarker), "MPI_UB", Basic::none, 0, 1},
};
// clang-format on

std::array<const Datatype*, kPredefinedDatatypes> make_table() {
  std::array<const Datatype*, kPredefinedDatatypes> table{};
  for (const Named& named : kNamed) {
    // Never freed: a program's last calls may come while static objects are being destroyed.
    table[handle_value(named.handle) - kFirstDatatype] = DatatypeBuilder::predefined(named).release();
  }
  return table;
}

}  // namespace

const std::array<const Datatype*, kPredefinedDatatypes> kPredefined = make_table();

}  // namespace datatype
}  // namespace weft::mpi_shim
