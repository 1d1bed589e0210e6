// Data representations of the program (MPI_Register_datarep), and external32 where numbers have another size there.
#include <cstring>
#include <fstream>

#include "tests/mpi_shim/io/io_fixture.hpp"

namespace weft::mpi_shim {
namespace {

class IoDatarep : public IoTest {
 protected:
  std::string bytes() const {
    std::ifstream stream(path(), std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
};
INSTANTIATE_TEST_SUITE_P(Settings, IoDatarep,
                         testing::Values(Setting{1, "none"}, Setting{2, "rotate"}, Setting{2, "rotate", false, 1, true},
                                         Setting{1, "none", false, 2}, Setting{2, "rotate", false, 2}),
                         name_of);

constexpr int kDigits = 6;  // an int in a file of "digits"

struct Calls {
  int reads = 0, writes = 0;
};

int packed_size(MPI_Datatype type) {
  int size = 0;
  MPI_Type_size(type, &size);
  return size;
}

int digits_extent(MPI_Datatype type, MPI_Aint* extent, void*) {
  EXPECT_EQ(type, MPI_INT);
  *extent = kDigits;
  return MPI_SUCCESS;
}

// `count` ints of the elements that `type` describes at `user`.
template <typename Count>
int write_digits(void* user, MPI_Datatype type, Count count, void* file, MPI_Offset position, void* extra) {
  ++static_cast<Calls*>(extra)->writes;
  EXPECT_EQ(position, 0);
  std::vector<int> values(static_cast<std::size_t>(count));
  const int bytes = static_cast<int>(count) * 4;
  int at = 0;
  MPI_Pack(user, bytes / packed_size(type), type, values.data(), bytes, &at, MPI_COMM_SELF);
  char* out = static_cast<char*>(file);
  for (const int value : values) {
    char text[kDigits + 1];
    std::snprintf(text, sizeof text, "%0*d", kDigits, value);
    out = std::copy_n(text, kDigits, out);
  }
  return MPI_SUCCESS;
}

template <typename Count>
int read_digits(void* user, MPI_Datatype type, Count count, void* file, MPI_Offset position, void* extra) {
  ++static_cast<Calls*>(extra)->reads;
  EXPECT_EQ(position, 0);
  std::vector<int> values;
  for (Count i = 0; i < count; ++i) {
    values.push_back(std::stoi(std::string(static_cast<char*>(file) + i * kDigits, kDigits)));
  }
  const int bytes = static_cast<int>(count) * 4;
  int at = 0;
  MPI_Unpack(values.data(), bytes, &at, user, bytes / packed_size(type), type, MPI_COMM_SELF);
  return MPI_SUCCESS;
}

// Pairs of ints with one int of room behind each.
MPI_Datatype spaced() {
  MPI_Datatype pair, type;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_create_resized(pair, 0, 12, &type);
  MPI_Type_commit(&type);
  MPI_Type_free(&pair);
  return type;
}

// Member r's pairs, among those of all in turn.
MPI_Datatype stripe(int rank, int size) {
  const int sizes = 2 * size, length = 2, start = 2 * rank;
  MPI_Datatype type;
  MPI_Type_create_subarray(1, &sizes, &length, &start, MPI_ORDER_C, MPI_INT, &type);
  MPI_Type_commit(&type);
  return type;
}

TEST_P(IoDatarep, FunctionsConvertBetweenMemoryAndFile) {
  constexpr int kRanks = 4;
  run(kRanks, [&](int rank, int size) {
    Calls calls;
    ASSERT_EQ(MPI_Register_datarep("digits", read_digits<int>, write_digits<int>, digits_extent, &calls), MPI_SUCCESS);
    MPI_File file = open();
    MPI_Datatype filetype = stripe(rank, size), memory = spaced();
    ASSERT_EQ(MPI_File_set_view(file, 3, MPI_INT, filetype, "digits", MPI_INFO_NULL), MPI_SUCCESS);
    MPI_Aint extent = 0;
    MPI_File_get_type_extent(file, MPI_INT, &extent);
    EXPECT_EQ(extent, kDigits);
    MPI_File_get_type_extent(file, filetype, &extent);
    EXPECT_EQ(extent, 2 * size * kDigits);

    const std::vector<int> mine = {10 * rank, 10 * rank + 1, -1, 10 * rank + 2, 10 * rank + 3, -1};
    MPI_Status status;
    ASSERT_EQ(MPI_File_write_all(file, mine.data(), 1, memory, &status), MPI_SUCCESS);
    EXPECT_EQ(count_of(status), 2);
    MPI_Migrate();
    ASSERT_EQ(MPI_File_write(file, mine.data() + 3, 1, memory, MPI_STATUS_IGNORE), MPI_SUCCESS);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Offset where = 0;
    MPI_File_get_position(file, &where);
    EXPECT_EQ(where, 4);

    std::vector<int> back(6, -1);
    ASSERT_EQ(MPI_File_read_at_all(file, 0, back.data(), 2, memory, &status), MPI_SUCCESS);
    EXPECT_EQ(back, mine);
    EXPECT_EQ(count_of(status), 4);
    ASSERT_EQ(MPI_File_read_at(file, 2, back.data(), 10, MPI_INT, &status), MPI_SUCCESS);  // past the end
    EXPECT_EQ(count_of(status), 2);
    EXPECT_EQ(back[0], 10 * rank + 2);
    EXPECT_EQ(calls.writes, 2);
    EXPECT_EQ(calls.reads, 2);
    MPI_Type_free(&filetype);
    MPI_Type_free(&memory);
    MPI_File_close(&file);
  });
  EXPECT_EQ(bytes().substr(3, std::size_t{5} * kDigits), "000000000001000010000011000020");
}

TEST_P(IoDatarep, LargeCountFunctionsAreCalledToo) {
  run(1, [&](int, int) {
    Calls calls;
    ASSERT_EQ(MPI_Register_datarep_c("digits", read_digits<MPI_Count>, write_digits<MPI_Count>, digits_extent, &calls),
              MPI_SUCCESS);
    MPI_File file = open();
    ASSERT_EQ(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "digits", MPI_INFO_NULL), MPI_SUCCESS);
    const std::vector<int> values = count_from(0, 1000);
    std::vector<int> back(1000);
    MPI_Request request;
    ASSERT_EQ(MPI_File_iwrite(file, values.data(), 1000, MPI_INT, &request), MPI_SUCCESS);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    ASSERT_EQ(MPI_File_read_at_all_begin(file, 0, back.data(), 1000, MPI_INT), MPI_SUCCESS);
    ASSERT_EQ(MPI_File_read_at_all_end(file, back.data(), MPI_STATUS_IGNORE), MPI_SUCCESS);
    EXPECT_EQ(back, values);
    EXPECT_EQ(calls.writes, 1);
    MPI_File_close(&file);
  });
}

int same_extent(MPI_Datatype type, MPI_Aint* extent, void*) {
  MPI_Aint lower = 0;
  return MPI_Type_get_extent(type, &lower, extent);
}
int failing_extent(MPI_Datatype, MPI_Aint*, void*) { return MPI_ERR_OTHER; }
int failing_conversion(void*, MPI_Datatype, int, void*, MPI_Offset, void*) { return MPI_ERR_OTHER; }

TEST_P(IoDatarep, WhatIsWrongIsSaid) {
  run(2, [&](int rank, int) {
    Calls calls;
    const auto add = [&](const char* name, auto* read, auto* write, auto* extent) {
      return class_of(MPI_Register_datarep(name, read, write, extent, &calls));
    };
    EXPECT_EQ(add("plain", MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL, same_extent), MPI_SUCCESS);
    EXPECT_EQ(add("plain", MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL, same_extent), MPI_ERR_DUP_DATAREP);
    EXPECT_EQ(add("external32", MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL, same_extent), MPI_ERR_DUP_DATAREP);
    EXPECT_EQ(add("half", read_digits<int>, MPI_CONVERSION_FN_NULL, digits_extent), MPI_SUCCESS);
    EXPECT_EQ(add("lost", read_digits<int>, write_digits<int>, failing_extent), MPI_SUCCESS);
    auto* const read = rank == 0 ? read_digits<int> : failing_conversion;
    EXPECT_EQ(add("broken", read, rank == 0 ? write_digits<int> : failing_conversion, digits_extent), MPI_SUCCESS);

    MPI_File file = open();
    const auto view = [&](const char* name) {
      return class_of(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, name, MPI_INFO_NULL));
    };
    int value = 7 + rank;
    EXPECT_EQ(view("martian"), MPI_ERR_UNSUPPORTED_DATAREP);
    EXPECT_EQ(view("lost"), MPI_ERR_CONVERSION);
    EXPECT_EQ(view("half"), MPI_SUCCESS);
    EXPECT_EQ(class_of(MPI_File_write_at(file, rank, &value, 1, MPI_INT, MPI_STATUS_IGNORE)), MPI_ERR_CONVERSION);
    EXPECT_EQ(view("broken"), MPI_SUCCESS);
    const int expected = rank == 0 ? MPI_SUCCESS : MPI_ERR_CONVERSION;
    EXPECT_EQ(class_of(MPI_File_write_at_all(file, rank, &value, 1, MPI_INT, MPI_STATUS_IGNORE)), expected);
    EXPECT_EQ(view("plain"), MPI_SUCCESS);
    EXPECT_EQ(class_of(MPI_File_write_at_all(file, rank, &value, 1, MPI_INT, MPI_STATUS_IGNORE)), MPI_SUCCESS);
    MPI_File_close(&file);
  });
  EXPECT_EQ(ints(), (std::vector<int>{7, 8}));
}

TEST_P(IoDatarep, FiletypesOfExternal32HaveItsSizes) {
  run(2, [&](int rank, int) {
    MPI_File file = open();
    MPI_Datatype filetype;
    MPI_Type_vector(3, 1, 2, MPI_LONG, &filetype);  // gaps of one element
    MPI_Type_commit(&filetype);
    ASSERT_EQ(MPI_File_set_view(file, MPI_Offset{4} * rank, MPI_LONG, filetype, "external32", MPI_INFO_NULL),
              MPI_SUCCESS);
    const std::vector<long> values = {1L + rank, 3L + rank, 5L + rank};
    std::vector<long> back(3);
    ASSERT_EQ(MPI_File_write_all(file, values.data(), 3, MPI_LONG, MPI_STATUS_IGNORE), MPI_SUCCESS);
    ASSERT_EQ(MPI_File_read_at_all(file, 0, back.data(), 3, MPI_LONG, MPI_STATUS_IGNORE), MPI_SUCCESS);
    EXPECT_EQ(back, values);
    MPI_Datatype in_bytes;
    MPI_Type_create_hvector(2, 1, 24, MPI_LONG, &in_bytes);
    MPI_Type_commit(&in_bytes);
    EXPECT_EQ(class_of(MPI_File_set_view(file, 0, MPI_LONG, in_bytes, "external32", MPI_INFO_NULL)),
              MPI_ERR_UNSUPPORTED_DATAREP);
    MPI_Type_free(&in_bytes);
    MPI_Type_free(&filetype);
    MPI_File_close(&file);
  });
  const std::string big_endian = {0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0, 5, 0, 0, 0, 6};
  EXPECT_EQ(bytes(), big_endian);
}

// The size of the filetype in the file times that in memory is more than 64 bits hold. The file is sparse.
TEST_P(IoDatarep, FiletypesOfExternal32MayHaveManyGibibytes) {
  run(1, [&](int, int) {
    MPI_File file = open();
    constexpr MPI_Offset kBlock = MPI_Offset{1} << 29;
    MPI_Datatype filetype;
    MPI_Type_vector(2, int{kBlock}, int{2 * kBlock}, MPI_LONG, &filetype);
    MPI_Type_commit(&filetype);
    MPI_Aint extent = 0;
    ASSERT_EQ(MPI_File_set_view(file, 0, MPI_LONG, filetype, "external32", MPI_INFO_NULL), MPI_SUCCESS);
    EXPECT_EQ(MPI_File_get_type_extent(file, filetype, &extent), MPI_SUCCESS);
    EXPECT_EQ(extent, 4 * 3 * kBlock);
    const long value = 5;
    ASSERT_EQ(MPI_File_write_at(file, kBlock, &value, 1, MPI_LONG, MPI_STATUS_IGNORE), MPI_SUCCESS);
    MPI_Offset bytes = 0;
    MPI_File_get_size(file, &bytes);
    EXPECT_EQ(bytes, 4 * (2 * kBlock + 1));
    MPI_Type_free(&filetype);
    MPI_File_close(&file);
  });
}

}  // namespace
}  // namespace weft::mpi_shim
