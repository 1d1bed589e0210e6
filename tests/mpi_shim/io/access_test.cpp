// Data calls: at offsets, at individual and shared pointers, alone and together, through views.
#include <filesystem>

#include "tests/mpi_shim/io/io_fixture.hpp"

namespace weft::mpi_shim {
namespace {

class IoAccess : public IoTest {};
INSTANTIATE_TEST_SUITE_P(Settings, IoAccess,
                         testing::Values(Setting{1, "none"}, Setting{3, "none"}, Setting{2, "none", true},
                                         Setting{1, "none", false, 2}, Setting{1, "rotate", false, 3},
                                         Setting{2, "rotate", false, 1, true}),
                         name_of);

constexpr int kMany = 1000;

TEST_P(IoAccess, OffsetsAndPointersReachTheSameBytes) {
  run(5, [&](int rank, int size) {
    MPI_File file = open();
    const std::vector<int> mine = count_from(rank * kMany, kMany);
    MPI_Status status;
    ASSERT_EQ(
        MPI_File_write_at(file, static_cast<MPI_Offset>(rank * kMany * 4), mine.data(), kMany / 2, MPI_INT, &status),
        MPI_SUCCESS);
    EXPECT_EQ(count_of(status), kMany / 2);
    ASSERT_EQ(MPI_File_seek(file, (MPI_Offset{rank} * kMany + kMany / 2) * 4, MPI_SEEK_SET), MPI_SUCCESS);
    ASSERT_EQ(MPI_File_write_c(file, mine.data() + kMany / 2, kMany / 2, MPI_INT, &status), MPI_SUCCESS);
    MPI_Offset position = 0, bytes = 0;
    MPI_File_get_position(file, &position);
    EXPECT_EQ(position, (rank + 1) * kMany * 4);
    MPI_File_sync(file);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_sync(file);
    MPI_File_get_size(file, &bytes);
    EXPECT_EQ(bytes, size * kMany * 4);
    std::vector<int> next(kMany);
    MPI_Request request;
    ASSERT_EQ(MPI_File_iread_at(file, MPI_Offset{(rank + 1) % size} * kMany * 4, next.data(), kMany, MPI_INT, &request),
              MPI_SUCCESS);
    MPI_Wait(&request, &status);
    EXPECT_EQ(count_of(status), kMany);
    EXPECT_EQ(next, count_from((rank + 1) % size * kMany, kMany));
    ASSERT_EQ(MPI_File_seek(file, -8, MPI_SEEK_END), MPI_SUCCESS);
    ASSERT_EQ(MPI_File_read(file, next.data(), kMany, MPI_INT, &status), MPI_SUCCESS);
    EXPECT_EQ(count_of(status), 2);
    EXPECT_EQ(next[1], size * kMany - 1);
    MPI_File_close(&file);
    EXPECT_EQ(file, MPI_FILE_NULL);
  });
}

// A member's part of a file of rows of blocks: block `rank` of every row, `length` ints each.
struct Stripes {
  int rank, size, length, rows;
};

MPI_Datatype striped(const Stripes& stripes) {
  const auto [rank, size, length, rows] = stripes;
  MPI_Datatype piece, type;
  MPI_Type_contiguous(length, MPI_INT, &piece);
  const MPI_Aint offset = MPI_Aint{rank} * length * 4;
  const int one = 1;
  MPI_Datatype placed;
  MPI_Type_create_hindexed(1, &one, &offset, piece, &placed);
  MPI_Type_create_resized(placed, 0, MPI_Aint{size} * length * 4, &type);
  MPI_Type_commit(&type);
  MPI_Type_free(&piece);
  MPI_Type_free(&placed);
  return type;
}

// Every member's ints as the whole file counts them.
std::vector<int> stripes_of(const Stripes& stripes) {
  const auto [rank, size, length, rows] = stripes;
  std::vector<int> values;
  for (int row = 0; row < rows; ++row) {
    const std::vector<int> piece = count_from((row * size + rank) * length, length);
    values.insert(values.end(), piece.begin(), piece.end());
  }
  return values;
}

void write_and_read_stripes(MPI_File file, const Stripes& stripes, bool together) {
  MPI_Datatype type = striped(stripes);
  ASSERT_EQ(MPI_File_set_view(file, 16, MPI_INT, type, "native", MPI_INFO_NULL), MPI_SUCCESS);
  MPI_Type_free(&type);
  const std::vector<int> mine = stripes_of(stripes);
  const int count = static_cast<int>(mine.size());
  std::vector<int> back(mine.size() + 10, -1);
  MPI_Status status;
  const auto write = together ? MPI_File_write_all : MPI_File_write;
  const auto read = together ? MPI_File_read_all : MPI_File_read;
  ASSERT_EQ(write(file, mine.data(), count, MPI_INT, &status), MPI_SUCCESS);
  EXPECT_EQ(count_of(status), count);
  MPI_Barrier(MPI_COMM_WORLD);
  ASSERT_EQ(MPI_File_seek(file, 0, MPI_SEEK_SET), MPI_SUCCESS);
  ASSERT_EQ(read(file, back.data(), count + 10, MPI_INT, &status), MPI_SUCCESS);
  EXPECT_EQ(count_of(status), count);
  EXPECT_EQ(back.back(), -1);  // nothing behind the end of the file is touched
  back.resize(mine.size());
  EXPECT_EQ(back, mine);
}

TEST_P(IoAccess, ViewsInterleave) {
  for (const bool together : {true, false}) {
    for (const int length : {1, 7, kSanitized ? 300 : 3000}) {
      run(4, [&](int rank, int size) {
        MPI_File file = open();
        write_and_read_stripes(file, {rank, size, length, 40}, together);
        MPI_File_close(&file);
      });
      std::vector<int> found = ints();
      found.erase(found.begin(), found.begin() + 4);
      EXPECT_EQ(found, count_from(0, 4 * length * 40)) << length;
      std::remove(path());
    }
  }
}

// Small windows: many rounds, pieces that are cut.
TEST_P(IoAccess, HintsDivideTheWork) {
  run(5, [&](int rank, int size) {
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "cb_buffer_size", "4096");
    MPI_Info_set(info, "cb_nodes", "3");
    MPI_Info_set(info, "romio_cb_read", "enable");
    MPI_Info_set(info, "romio_cb_write", "enable");
    MPI_Info_set(info, "no_such_hint", "1");
    MPI_File file;
    ASSERT_EQ(MPI_File_open(MPI_COMM_WORLD, path(), MPI_MODE_RDWR | MPI_MODE_CREATE, info, &file), MPI_SUCCESS);
    MPI_Info_free(&info);
    MPI_File_get_info(file, &info);
    char value[MPI_MAX_INFO_VAL];
    int there = 0;
    MPI_Info_get(info, "cb_nodes", MPI_MAX_INFO_VAL - 1, value, &there);
    EXPECT_STREQ(there != 0 ? value : "", "3");
    MPI_Info_get(info, "no_such_hint", MPI_MAX_INFO_VAL - 1, value, &there);
    EXPECT_EQ(there, 0);
    MPI_Info_free(&info);
    write_and_read_stripes(file, {rank, size, 333, 30}, true);
    MPI_File_close(&file);
  });
}

// Members of different sizes, one with nothing, holes in the file and gaps in memory.
TEST_P(IoAccess, CollectiveAccessLeavesHolesAlone) {
  run(4, [&](int rank, int) {
    MPI_File file = open();
    if (rank == 0) {
      const std::vector<int> before(4000, -7);
      MPI_File_write_at(file, 0, before.data(), 4000, MPI_INT, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Datatype sparse, gaps;
    MPI_Type_vector(100, 1, 40, MPI_INT, &sparse);
    MPI_Type_vector(100, 1, 2, MPI_INT, &gaps);
    MPI_Type_commit(&sparse);
    MPI_Type_commit(&gaps);
    MPI_File_set_view(file, MPI_Offset{rank} * 4, MPI_INT, sparse, "native", MPI_INFO_NULL);
    const std::vector<int> values = count_from(rank * 1000, 200);
    std::vector<int> back(200, -1);
    const int count = rank == 2 ? 0 : 1;
    ASSERT_EQ(MPI_File_write_at_all(file, 0, values.data(), count, gaps, MPI_STATUS_IGNORE), MPI_SUCCESS);
    MPI_Status status;
    ASSERT_EQ(MPI_File_read_at_all(file, 0, back.data(), count, gaps, &status), MPI_SUCCESS);
    EXPECT_EQ(count_of(status), count * 100);
    for (std::size_t i = 0; i < 199; ++i) {
      EXPECT_EQ(back[i], count == 0 || i % 2 == 1 ? -1 : values[i]);
    }
    MPI_Type_free(&sparse);
    MPI_Type_free(&gaps);
    MPI_File_close(&file);
  });
  const std::vector<int> found = ints();
  ASSERT_EQ(found.size(), 4000U);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto member = static_cast<int>(i % 40);
    const bool written = member < 4 && member != 2;
    EXPECT_EQ(found[i], written ? member * 1000 + static_cast<int>(i / 40) * 2 : -7) << i;
  }
}

TEST_P(IoAccess, SharedPointerGivesEveryByteOnce) {
  run(6, [&](int rank, int size) {
    MPI_File file = open();
    MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    for (int i = 0; i < 20; ++i) {
      const int value = rank * 20 + i;
      ASSERT_EQ(MPI_File_write_shared(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Offset position = 0;
    MPI_File_get_position_shared(file, &position);
    EXPECT_EQ(position, size * 20);
    MPI_Barrier(MPI_COMM_WORLD);
    const std::vector<int> mine = count_from(rank * 10, rank + 1);  // ordered: of different lengths
    ASSERT_EQ(MPI_File_write_ordered(file, mine.data(), rank + 1, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
    ASSERT_EQ(MPI_File_seek_shared(file, MPI_Offset{size} * 20, MPI_SEEK_SET), MPI_SUCCESS);
    std::vector<int> back(mine.size());
    ASSERT_EQ(MPI_File_read_ordered_begin(file, back.data(), rank + 1, MPI_INT), MPI_SUCCESS);
    MPI_Status status;
    ASSERT_EQ(MPI_File_read_ordered_end(file, back.data(), &status), MPI_SUCCESS);
    EXPECT_EQ(count_of(status), rank + 1);
    EXPECT_EQ(back, mine);
    MPI_File_close(&file);
  });
  std::vector<int> found = ints();
  found.resize(6UL * 20);
  std::sort(found.begin(), found.end());
  EXPECT_EQ(found, count_from(0, 6 * 20));
}

TEST_P(IoAccess, SplitAndNonBlockingCollectives) {
  run(3, [&](int rank, int size) {
    MPI_File file = open();
    const std::vector<int> mine = count_from(rank * 50, 50);
    std::vector<int> back(50);
    MPI_Status status;
    ASSERT_EQ(MPI_File_write_at_all_begin(file, MPI_Offset{rank} * 200, mine.data(), 50, MPI_INT), MPI_SUCCESS);
    EXPECT_EQ(class_of(MPI_File_write_all_end(file, mine.data(), &status)), MPI_ERR_IO);
    ASSERT_EQ(MPI_File_write_at_all_end(file, mine.data(), &status), MPI_SUCCESS);
    EXPECT_EQ(count_of(status), 50);
    MPI_Request requests[2];
    MPI_Status statuses[2];
    // Nobody need come: rank 0 waits for the others only after its calls.
    ASSERT_EQ(MPI_File_iread_at_all(file, MPI_Offset{rank} * 200, back.data(), 25, MPI_INT, &requests[0]), MPI_SUCCESS);
    ASSERT_EQ(MPI_File_iread_at_all(file, rank * 200 + 100, back.data() + 25, 25, MPI_INT, &requests[1]), MPI_SUCCESS);
    MPI_Waitall(2, requests, statuses);
    EXPECT_EQ(count_of(statuses[1]), 25);
    EXPECT_EQ(back, mine);
    MPI_Barrier(MPI_COMM_WORLD);
    ASSERT_EQ(MPI_File_seek(file, MPI_Offset{size - 1 - rank} * 200, MPI_SEEK_SET), MPI_SUCCESS);
    ASSERT_EQ(MPI_File_iread_all(file, back.data(), 50, MPI_INT, &requests[0]), MPI_SUCCESS);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    EXPECT_EQ(back, count_from((size - 1 - rank) * 50, 50));
    MPI_File_close(&file);
  });
}

// The requests get the slot in the table that another request had before.
TEST_P(IoAccess, NonBlockingReadsTellNothingOfTheRequestBefore) {
  run(1, [&](int, int) {
    MPI_File file = open();
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    const int out[] = {4, 5};
    ASSERT_EQ(MPI_File_write_at(file, 0, out, 2, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
    int in[] = {0, 0};
    const auto expect_read = [&] {
      MPI_Request request;
      MPI_Status status;
      int cancelled = 1;
      EXPECT_EQ(MPI_File_iread_at(file, 0, in, 2, MPI_INT, &request), MPI_SUCCESS);
      EXPECT_EQ(MPI_Wait(&request, &status), MPI_SUCCESS);
      MPI_Test_cancelled(&status, &cancelled);
      EXPECT_EQ(cancelled, 0);
      EXPECT_EQ(count_of(status), 2);
    };
    MPI_Request request;
    MPI_Irecv(in, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect_read();
    MPI_Irecv(in, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
    MPI_Send(out, 2, MPI_INT, 0, 0, MPI_COMM_SELF);
    EXPECT_EQ(class_of(MPI_Wait(&request, MPI_STATUS_IGNORE)), MPI_ERR_TRUNCATE);
    expect_read();
    MPI_File_close(&file);
  });
}

// A folder is where the hidden file of the shared pointer was.
TEST_P(IoAccess, OrderedAccessWithoutASharedPointerMovesNothing) {
  run(3, [&](int rank, int) {
    MPI_File file = open();
    std::filesystem::path hidden;
    if (rank == 0) {
      const int value = 7;
      ASSERT_EQ(MPI_File_write_shared(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
      for (const auto& entry : std::filesystem::directory_iterator(folder())) {
        hidden = entry.path() == path() ? hidden : entry.path();
      }
      ASSERT_FALSE(hidden.empty());
      std::filesystem::remove(hidden);
      std::filesystem::create_directory(hidden);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    const int other = 9;
    EXPECT_NE(MPI_File_write_ordered(file, &other, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
      std::filesystem::remove(hidden);
    }
    MPI_File_close(&file);
  });
  EXPECT_EQ(ints(), std::vector<int>{7});
}

TEST_P(IoAccess, External32IsBigEndianAndOfFixedSizes) {
  run(2, [&](int rank, int size) {
    MPI_File file = open();
    ASSERT_EQ(MPI_File_set_view(file, 4, MPI_INT, MPI_INT, "external32", MPI_INFO_NULL), MPI_SUCCESS);
    const int mine[] = {0x01020304 + rank, -2};
    MPI_Status status;
    ASSERT_EQ(MPI_File_write_at_all(file, MPI_Offset{rank} * 2, mine, 2, MPI_INT, &status), MPI_SUCCESS);
    EXPECT_EQ(count_of(status), 2);
    MPI_Barrier(MPI_COMM_WORLD);
    int next[3] = {};
    ASSERT_EQ(MPI_File_read_at_all(file, MPI_Offset{size - 1 - rank} * 2, next, 3, MPI_INT, &status), MPI_SUCCESS);
    EXPECT_EQ(count_of(status), rank == 0 ? 2 : 3);
    EXPECT_EQ(next[0], 0x01020304 + size - 1 - rank);
    EXPECT_EQ(next[1], -2);
    // A long has four bytes there.
    MPI_Aint extent = 0;
    MPI_File_get_type_extent(file, MPI_LONG, &extent);
    EXPECT_EQ(extent, 4);
    ASSERT_EQ(MPI_File_set_view(file, 100, MPI_LONG, MPI_LONG, "external32", MPI_INFO_NULL), MPI_SUCCESS);
    const long number = -5 - rank;
    long back = 0;
    ASSERT_EQ(MPI_File_write_at_all(file, rank, &number, 1, MPI_LONG, MPI_STATUS_IGNORE), MPI_SUCCESS);
    ASSERT_EQ(MPI_File_read_at(file, rank, &back, 1, MPI_LONG, &status), MPI_SUCCESS);
    EXPECT_EQ(back, number);
    EXPECT_EQ(count_of(status, MPI_LONG), 1);
    MPI_Offset bytes = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_get_size(file, &bytes);
    EXPECT_EQ(bytes, 108);
    MPI_File_close(&file);
  });
  const std::vector<int> found = ints();
  ASSERT_EQ(found.size(), 27U);
  EXPECT_EQ(found[1], 0x04030201);
}

// In atomic mode what overlaps is one member's or another's as a whole.
TEST_P(IoAccess, AtomicWritesAreWhole) {
  constexpr int kLength = 20000;
  run(4, [&](int rank, int) {
    MPI_File file = open();
    MPI_File_set_atomicity(file, 1);
    int flag = 0;
    MPI_File_get_atomicity(file, &flag);
    EXPECT_EQ(flag, 1);
    MPI_Datatype comb;
    MPI_Type_vector(kLength, 1, 2, MPI_INT, &comb);
    MPI_Type_commit(&comb);
    MPI_File_set_view(file, 0, MPI_INT, comb, "native", MPI_INFO_NULL);
    MPI_Type_free(&comb);
    const std::vector<int> mine(kLength, rank + 1);
    ASSERT_EQ(MPI_File_write_all(file, mine.data(), kLength, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
    std::vector<int> back(kLength);
    ASSERT_EQ(MPI_File_read_at(file, 0, back.data(), kLength, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
    EXPECT_EQ(back, std::vector<int>(kLength, back[0]));
    MPI_File_close(&file);
  });
}

}  // namespace
}  // namespace weft::mpi_shim
