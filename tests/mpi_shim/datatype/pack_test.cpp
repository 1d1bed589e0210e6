// MPI_Pack and MPI_Unpack: several pieces in one buffer, packed messages, buffers that are too short.
#include <vector>

#include <gtest/gtest.h>

#include "tests/mpi_shim/mpi_fixture.hpp"

namespace weft::mpi_shim {
namespace {

using PackTest = MpiTest;
INSTANTIATE_TEST_SUITE_P(Settings, PackTest, testing::Values(Setting{1, "none"}, Setting{2, "rotate"}), name_of);

TEST_P(PackTest, PiecesTravelTogether) {
  run(2, [](int rank, int) {
    MPI_Datatype column;
    MPI_Type_vector(3, 1, 4, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    int sizes[2] = {0, 0};
    MPI_Pack_size(2, MPI_INT, MPI_COMM_WORLD, &sizes[0]);
    MPI_Pack_size(1, column, MPI_COMM_WORLD, &sizes[1]);
    EXPECT_GE(sizes[0], 8);
    EXPECT_GE(sizes[1], 24);
    std::vector<char> packed(static_cast<std::size_t>(sizes[0] + sizes[1]));
    const int room = static_cast<int>(packed.size());
    int position = 0;
    if (rank == 0) {
      const int header[2] = {3, 4};
      double matrix[12];
      for (int i = 0; i < 12; ++i) {
        matrix[i] = i;
      }
      MPI_Pack(header, 2, MPI_INT, packed.data(), room, &position, MPI_COMM_WORLD);
      MPI_Pack(&matrix[1], 1, column, packed.data(), room, &position, MPI_COMM_WORLD);
      MPI_Send(packed.data(), position, MPI_PACKED, 1, 0, MPI_COMM_WORLD);
    } else {
      MPI_Recv(packed.data(), room, MPI_PACKED, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      int header[2] = {0, 0};
      double values[3] = {0, 0, 0};
      MPI_Unpack(packed.data(), room, &position, header, 2, MPI_INT, MPI_COMM_WORLD);
      MPI_Unpack(packed.data(), room, &position, values, 3, MPI_DOUBLE, MPI_COMM_WORLD);
      EXPECT_EQ(header[1], 4);
      EXPECT_EQ(values[0], 1);
      EXPECT_EQ(values[2], 9);
    }
    MPI_Type_free(&column);
  });
}

TEST_P(PackTest, ShortBufferIsAnError) {
  run(1, [](int, int) {
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    const int values[4] = {1, 2, 3, 4};
    char packed[12] = {};
    int position = 0;
    int error_class = MPI_SUCCESS;
    MPI_Error_class(MPI_Pack(values, 4, MPI_INT, packed, 12, &position, MPI_COMM_SELF), &error_class);
    EXPECT_EQ(error_class, MPI_ERR_TRUNCATE);
    EXPECT_EQ(position, 0);
    EXPECT_EQ(MPI_Pack(values, 3, MPI_INT, packed, 12, &position, MPI_COMM_SELF), MPI_SUCCESS);
    EXPECT_EQ(position, 12);
    position = 8;
    int in[2] = {};
    MPI_Error_class(MPI_Unpack(packed, 12, &position, in, 2, MPI_INT, MPI_COMM_SELF), &error_class);
    EXPECT_EQ(error_class, MPI_ERR_TRUNCATE);
    EXPECT_EQ(MPI_Unpack(packed, 12, &position, in, 1, MPI_INT, MPI_COMM_SELF), MPI_SUCCESS);
    EXPECT_EQ(in[0], 3);
  });
}

}  // namespace
}  // namespace weft::mpi_shim
