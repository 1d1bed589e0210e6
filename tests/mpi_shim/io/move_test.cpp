// Files stay open, with their views and pointers, when their ranks move to other processes.
#include "tests/mpi_shim/io/io_fixture.hpp"

namespace weft::mpi_shim {
namespace {

class IoMove : public IoTest {};
INSTANTIATE_TEST_SUITE_P(Settings, IoMove,
                         testing::Values(Setting{2, "rotate"}, Setting{2, "rotate", false, 1, true},
                                         Setting{1, "rotate", false, 2}, Setting{2, "rotate", false, 2},
                                         Setting{1, "rotate", false, 4}),
                         name_of);

constexpr int kLength = 100, kRows = 20;

// Member r's rows of a view in which all members' pieces take turns.
void set_striped_view(MPI_File file, int rank, int size) {
  MPI_Datatype piece, type;
  MPI_Type_contiguous(kLength, MPI_INT, &piece);
  MPI_Type_create_resized(piece, 0, MPI_Aint{size} * kLength * 4, &type);
  MPI_Type_commit(&type);
  ASSERT_EQ(MPI_File_set_view(file, MPI_Offset{rank} * kLength * 4, MPI_INT, type, "native", MPI_INFO_NULL),
            MPI_SUCCESS);
  MPI_Type_free(&piece);
  MPI_Type_free(&type);
}

TEST_P(IoMove, ViewsAndPointersGoAlong) {
  constexpr int kRanks = 6;
  run(kRanks, [&](int rank, int size) {
    MPI_File file = open();
    set_striped_view(file, rank, size);
    for (int row = 0; row < kRows; ++row) {
      const std::vector<int> mine = count_from((row * size + rank) * kLength, kLength);
      const auto write = row % 3 == 0 ? MPI_File_write : MPI_File_write_all;
      ASSERT_EQ(write(file, mine.data(), kLength, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
      ASSERT_EQ(MPI_Migrate(), MPI_SUCCESS);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    std::vector<int> back(kLength);
    ASSERT_EQ(MPI_File_read_at_all(file, MPI_Offset{3} * kLength, back.data(), kLength, MPI_INT, MPI_STATUS_IGNORE),
              MPI_SUCCESS);
    EXPECT_EQ(back, count_from((3 * size + rank) * kLength, kLength));
    MPI_File_close(&file);
  });
  EXPECT_EQ(ints(), count_from(0, kRanks * kLength * kRows));
}

TEST_P(IoMove, SharedPointerGoesAlong) {
  constexpr int kRanks = 5;
  run(kRanks, [&](int rank, int size) {
    MPI_File file = open();
    MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    ASSERT_EQ(MPI_File_seek_shared(file, 2, MPI_SEEK_SET), MPI_SUCCESS);
    for (int step = 0; step < 4; ++step) {
      MPI_Migrate();
      const std::vector<int> two = {100 * step + 2 * rank, 100 * step + 2 * rank + 1};
      ASSERT_EQ(MPI_File_write_shared(file, two.data(), 2, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
      MPI_Migrate();
      ASSERT_EQ(MPI_File_write_ordered(file, two.data(), 1, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
    }
    MPI_Offset position = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_get_position_shared(file, &position);
    EXPECT_EQ(position, 2 + size * 12);
    MPI_File_close(&file);
  });
  std::vector<int> found = ints();
  ASSERT_EQ(found.size(), 2U + kRanks * 12U);
  for (int step = 0; step < 4; ++step) {
    const auto begin = found.begin() + 2 + std::ptrdiff_t{step} * kRanks * 3;
    const auto ordered = begin + std::ptrdiff_t{2} * kRanks;
    std::sort(begin, ordered);
    EXPECT_EQ(std::vector<int>(begin, ordered), count_from(100 * step, 2 * kRanks));
    for (int rank = 0; rank < kRanks; ++rank) {
      EXPECT_EQ(*(ordered + rank), 100 * step + 2 * rank);
    }
  }
}

// A pending request's status, a begun split call, hints and the error handler.
TEST_P(IoMove, WhatIsPendingGoesAlong) {
  run(4, [&](int rank, int) {
    MPI_File file = open();
    const std::vector<int> mine = count_from(rank * 10, 10);
    std::vector<int> back(10);
    MPI_Request request;
    ASSERT_EQ(MPI_File_iwrite_at(file, MPI_Offset{40} * rank, mine.data(), 10, MPI_INT, &request), MPI_SUCCESS);
    MPI_Migrate();
    MPI_Status status;
    MPI_Wait(&request, &status);
    EXPECT_EQ(count_of(status), 10);
    MPI_Barrier(MPI_COMM_WORLD);
    ASSERT_EQ(MPI_File_read_at_all_begin(file, MPI_Offset{40} * rank, back.data(), 10, MPI_INT), MPI_SUCCESS);
    MPI_Migrate();
    ASSERT_EQ(MPI_File_read_at_all_end(file, back.data(), &status), MPI_SUCCESS);
    EXPECT_EQ(count_of(status), 10);
    EXPECT_EQ(back, mine);
    MPI_File_set_errhandler(file, MPI_ERRORS_ARE_FATAL);
    MPI_Migrate();
    MPI_Errhandler handler;
    MPI_File_get_errhandler(file, &handler);
    EXPECT_EQ(handler, MPI_ERRORS_ARE_FATAL);
    MPI_File_close(&file);
  });
}

// A file without a name cannot be opened elsewhere: its ranks stay.
TEST_P(IoMove, FileThatHasLostItsNamePinsItsRanks) {
  run(4, [&](int rank, int size) {
    MPI_File file = open();
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
      MPI_File_delete(path(), MPI_INFO_NULL);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int step = 0; step < 3; ++step) {
      MPI_Migrate();
      ASSERT_EQ(MPI_File_write_at_all(file, MPI_Offset{4} * rank, &rank, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
    }
    int next = -1;
    MPI_File_read_at(file, MPI_Offset{(rank + 1) % size} * 4, &next, 1, MPI_INT, MPI_STATUS_IGNORE);
    EXPECT_EQ(next, (rank + 1) % size);
    MPI_File_close(&file);
  });
}

}  // namespace
}  // namespace weft::mpi_shim
