// Ranks that use files together.
#pragma once

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

#include "tests/mpi_shim/mpi_fixture.hpp"
#include "weft.h"

namespace weft::mpi_shim {

class IoTest : public MpiTest {
 protected:
  void SetUp() override {
    const char* const folder = std::getenv("TMPDIR");
    std::string text = std::string(folder == nullptr ? "/tmp" : folder) + "/weft-io-XXXXXX";
    ASSERT_NE(mkdtemp(text.data()), nullptr);
    folder_ = text;
    path_ = folder_ + "/data";
  }
  // Nothing is left but the data: no hidden file of a shared pointer.
  void TearDown() override {
    std::remove(path_.c_str());
    EXPECT_EQ(rmdir(folder_.c_str()), 0) << folder_;
  }

  const char* path() const { return path_.c_str(); }
  std::string folder() const { return folder_; }

  MPI_File open(int amode = MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_Comm comm = MPI_COMM_WORLD) const {
    MPI_File file = MPI_FILE_NULL;
    EXPECT_EQ(MPI_File_open(comm, path(), amode, MPI_INFO_NULL, &file), MPI_SUCCESS);
    return file;
  }
  // What the file holds, as ints.
  std::vector<int> ints() const {
    std::ifstream stream(path_, std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(stream), {}};
    std::vector<int> values(bytes.size() / sizeof(int));
    std::copy_n(bytes.begin(), values.size() * sizeof(int), reinterpret_cast<char*>(values.data()));
    return values;
  }

 private:
  std::string folder_, path_;
};

inline std::vector<int> count_from(int first, int n) {
  std::vector<int> values(static_cast<std::size_t>(n));
  std::iota(values.begin(), values.end(), first);
  return values;
}

inline int count_of(const MPI_Status& status, MPI_Datatype type = MPI_INT) {
  int count = -1;
  MPI_Get_count(&status, type, &count);
  return count;
}

}  // namespace weft::mpi_shim
