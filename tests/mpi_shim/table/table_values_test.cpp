// The values and layouts that MPI-5.0's chapter 20 fixes: programs built against another library's mpi.h rely on them.
#include <gtest/gtest.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "mpi.h"

namespace {

template <typename Handle>
std::uintptr_t value(Handle handle) {
  return std::bit_cast<std::uintptr_t>(handle);
}

TEST(AbiValues, StatusIsEightIntegersWithThePublicOnesFirst) {
  EXPECT_EQ(sizeof(MPI_Status), 32U);
  EXPECT_EQ(offsetof(MPI_Status, MPI_SOURCE), 0U);
  EXPECT_EQ(offsetof(MPI_Status, MPI_TAG), 4U);
  EXPECT_EQ(offsetof(MPI_Status, MPI_ERROR), 8U);
  EXPECT_EQ(MPI_F_STATUS_SIZE * sizeof(MPI_Fint), sizeof(MPI_Status));
}

TEST(AbiValues, IntegerTypesHaveTheirWidths) {
  EXPECT_TRUE((std::is_same_v<MPI_Aint, std::intptr_t>));
  EXPECT_TRUE((std::is_same_v<MPI_Offset, std::int64_t>));
  EXPECT_TRUE((std::is_same_v<MPI_Count, std::int64_t>));
}

TEST(AbiValues, PredefinedHandlesAreTheStandardsNumbers) {
  EXPECT_EQ(value(MPI_OP_NULL), 0x20U);
  EXPECT_EQ(value(MPI_SUM), 0x21U);
  EXPECT_EQ(value(MPI_MAXLOC), 0x39U);
  EXPECT_EQ(value(MPI_NO_OP), 0x3dU);
  EXPECT_EQ(value(MPI_COMM_NULL), 0x100U);
  EXPECT_EQ(value(MPI_COMM_WORLD), 0x101U);
  EXPECT_EQ(value(MPI_COMM_SELF), 0x102U);
  EXPECT_EQ(value(MPI_GROUP_EMPTY), 0x109U);
  EXPECT_EQ(value(MPI_WIN_NULL), 0x110U);
  EXPECT_EQ(value(MPI_FILE_NULL), 0x118U);
  EXPECT_EQ(value(MPI_SESSION_NULL), 0x120U);
  EXPECT_EQ(value(MPI_MESSAGE_NO_PROC), 0x129U);
  EXPECT_EQ(value(MPI_INFO_ENV), 0x131U);
  EXPECT_EQ(value(MPI_ERRORS_RETURN), 0x143U);
  EXPECT_EQ(value(MPI_REQUEST_NULL), 0x180U);
  EXPECT_EQ(value(MPI_DATATYPE_NULL), 0x200U);
  EXPECT_EQ(value(MPI_INT), 0x209U);
  EXPECT_EQ(value(MPI_DOUBLE), 0x214U);
  EXPECT_EQ(value(MPI_INTEGER), 0x219U);
  EXPECT_EQ(value(MPI_DOUBLE_PRECISION), 0x21cU);
  EXPECT_EQ(value(MPI_BYTE), 0x247U);
  EXPECT_EQ(value(MPI_COMPLEX32), 0x2ebU);
}

// Section 20.3: bits 3 to 5 of a fixed-size type's handle are log2 of its size.
TEST(AbiValues, FixedSizeTypesEncodeTheirSize) {
  const auto size = [](MPI_Datatype type) { return 1U << ((value(type) >> 3U) & 7U); };
  EXPECT_EQ(size(MPI_INT8_T), sizeof(std::int8_t));
  EXPECT_EQ(size(MPI_UINT16_T), sizeof(std::uint16_t));
  EXPECT_EQ(size(MPI_INT32_T), sizeof(std::int32_t));
  EXPECT_EQ(size(MPI_UINT64_T), sizeof(std::uint64_t));
  EXPECT_EQ(size(MPI_REAL8), 8U);
  EXPECT_EQ(size(MPI_REAL16), 16U);
}

TEST(AbiValues, IntegerConstantsAreTheStandardsNumbers) {
  EXPECT_EQ(MPI_VERSION, 5);
  EXPECT_EQ(MPI_ABI_VERSION, 1);
  EXPECT_EQ(MPI_ANY_SOURCE, -1);
  EXPECT_EQ(MPI_ANY_TAG, -2);
  EXPECT_EQ(MPI_PROC_NULL, -3);
  EXPECT_EQ(MPI_ROOT, -4);
  EXPECT_EQ(MPI_UNDEFINED, -32766);
  EXPECT_EQ(MPI_THREAD_MULTIPLE, 4096);
  EXPECT_EQ(MPI_ERR_TRUNCATE, 15);
  EXPECT_EQ(MPI_ERR_UNSUPPORTED_OPERATION, 55);
  EXPECT_EQ(MPI_ERR_LASTCODE, 16383);
  EXPECT_EQ(MPI_TAG_UB, 501);
  EXPECT_EQ(MPI_MAX_PROCESSOR_NAME, 256);
  EXPECT_EQ(MPI_MAX_ERROR_STRING, 512);
  EXPECT_EQ(MPI_IN_PLACE, reinterpret_cast<void*>(1));
  EXPECT_EQ(MPI_COMM_DUP_FN, reinterpret_cast<MPI_Comm_copy_attr_function*>(1));
}

TEST(HandleConversions, AreTheIdentityOnTheHandlesNumber) {
  EXPECT_EQ(MPI_Comm_toint(MPI_COMM_WORLD), 0x101);
  EXPECT_EQ(MPI_Comm_fromint(0x101), MPI_COMM_WORLD);
  EXPECT_EQ(MPI_Type_c2f(MPI_INTEGER), 0x219);
  EXPECT_EQ(MPI_Type_f2c(0x219), MPI_INTEGER);
  EXPECT_EQ(MPI_Request_c2f(MPI_REQUEST_NULL), 0x180);
  EXPECT_EQ(MPI_File_f2c(MPI_File_c2f(MPI_FILE_NULL)), MPI_FILE_NULL);
}

TEST(HandleConversions, StatusKeepsAllEightIntegers) {
  const MPI_Status status = {1, 2, 3, {4, 5, 6, 7, 8}};
  MPI_Fint integers[MPI_F_STATUS_SIZE] = {};
  ASSERT_EQ(MPI_Status_c2f(&status, integers), MPI_SUCCESS);
  EXPECT_EQ(integers[MPI_F_TAG], 2);
  EXPECT_EQ(integers[7], 8);
  MPI_Status back = {};
  ASSERT_EQ(MPI_Status_f2c(integers, &back), MPI_SUCCESS);
  EXPECT_EQ(std::memcmp(&status, &back, sizeof status), 0);
}

TEST(HandleConversions, StatusOfModuleF08IsTheSame) {
  const MPI_Status status = {1, 2, 3, {4, 5, 6, 7, 8}};
  MPI_F08_status typed = {};
  ASSERT_EQ(MPI_Status_c2f08(&status, &typed), MPI_SUCCESS);
  MPI_Fint integers[MPI_F_STATUS_SIZE] = {};
  ASSERT_EQ(MPI_Status_f082f(&typed, integers), MPI_SUCCESS);
  EXPECT_EQ(integers[MPI_F_ERROR], 3);
  MPI_F08_status typed_again = {};
  ASSERT_EQ(MPI_Status_f2f08(integers, &typed_again), MPI_SUCCESS);
  MPI_Status back = {};
  ASSERT_EQ(MPI_Status_f082c(&typed_again, &back), MPI_SUCCESS);
  EXPECT_EQ(std::memcmp(&status, &back, sizeof status), 0);
}

TEST(AddressArithmetic, AddsAndSubtractsBytes) {
  char bytes[16];
  MPI_Aint first = 0;
  std::memcpy(&first, &static_cast<const char* const&>(bytes), sizeof first);
  EXPECT_EQ(MPI_Aint_diff(MPI_Aint_add(first, 12), first), 12);
}

}  // namespace
