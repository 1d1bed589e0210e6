// Where needed libraries are looked for, and which of them are shared.
#include "runtime/image/library_search.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "runtime/image/share_list.hpp"

namespace weft::image {
namespace {

class Search : public testing::Test {
 protected:
  void SetUp() override {
    root_ = testing::TempDir() + "image_search_" + std::to_string(getpid());
    for (const char* folder : {"/program", "/program/near", "/path"}) {
      std::filesystem::create_directories(root_ + folder);
    }
  }
  void TearDown() override { std::filesystem::remove_all(root_); }
  void make(const std::string& path) const { std::ofstream(root_ + path) << "x"; }

  std::string root_;
};

// As in ld.so(8): with LD_LIBRARY_PATH a user puts another library in place of one that a DT_RUNPATH leads to.
TEST_F(Search, LibraryPathComesAfterRpathAndBeforeRunPath) {
  make("/program/near/liba.so");
  make("/program/near/libc.so");
  make("/path/liba.so");
  make("/path/libb.so");
  const LibrarySearch search(root_ + "/none:" + root_ + "/path", "/nonexistent");
  const std::string from = root_ + "/program/app";
  EXPECT_EQ(search.find("liba.so", from, {"/none:$ORIGIN/near", ""}), root_ + "/program/near/liba.so");
  EXPECT_EQ(search.find("liba.so", from, {"${ORIGIN}/near", ""}), root_ + "/program/near/liba.so");
  EXPECT_EQ(search.find("liba.so", from, {"", "$ORIGIN/near"}), root_ + "/path/liba.so");
  EXPECT_EQ(search.find("libc.so", from, {"", "$ORIGIN/near"}), root_ + "/program/near/libc.so");
  EXPECT_EQ(search.find("liba.so", from, {}), root_ + "/path/liba.so");
  EXPECT_EQ(search.find("libb.so", from, {"$ORIGIN/near", ""}), root_ + "/path/libb.so");
  EXPECT_EQ(search.find("libnone-of-this-name.so", from, {"$ORIGIN/near", ""}), "");
}

TEST_F(Search, NamesWithSlashAreTaken) {
  make("/path/liba.so");
  const LibrarySearch search("");
  EXPECT_EQ(search.find(root_ + "/path/liba.so", "/x", {}), root_ + "/path/liba.so");
  EXPECT_EQ(search.find(root_ + "/path/none.so", "/x", {}), "");
}

TEST_F(Search, CacheAndDefaultDirectoriesHaveTheCompilersLibraries) {
  for (const char* cache : {"/etc/ld.so.cache", "/nonexistent"}) {
    const std::string path = LibrarySearch("", cache).find("libgcc_s.so.1", "/x", {});
    EXPECT_NE(path.find("/libgcc_s.so.1"), std::string::npos) << cache;
  }
}

TEST_F(Search, DamagedCacheIsIgnored) {
  std::ofstream(root_ + "/cache") << "glibc-ld.so.cache1.1\x7f\x7f\x7f\x7f and then far too little for what it says";
  EXPECT_EQ(LibrarySearch("", root_ + "/cache").find("libnone-of-this-name.so", "/x", {}), "");
}

TEST(ShareList, TheCLibraryIsSharedAndLanguagesAreNot) {
  for (const char* name :
       {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2", "libgomp.so.1", "libgcc_s.so.1", "libquadmath.so.0",
        "libmpi_abi.so.1", "libmkl_core.so.2", "libopenblas.so.0", "libopenblas64_.so.0"}) {
    EXPECT_TRUE(is_shared(name, {})) << name;
  }
  for (const char* name : {"libstdc++.so.6", "libgfortran.so.5", "libcrypto.so.3", "libmine.so"}) {
    EXPECT_FALSE(is_shared(name, {})) << name;
  }
}

TEST(ShareList, CanBeExtended) {
  const std::vector<std::string> more = {"libmine", "libother_*"};
  EXPECT_TRUE(is_shared("libmine.so.3", more));
  EXPECT_TRUE(is_shared("libother_core.so", more));
  EXPECT_FALSE(is_shared("libmine2.so", more));
}

}  // namespace
}  // namespace weft::image
