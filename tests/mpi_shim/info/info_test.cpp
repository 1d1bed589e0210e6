// Info objects.
#include <string>

#include "mpi_shim/info/info.hpp"
#include "tests/mpi_shim/mpi_fixture.hpp"

namespace weft::mpi_shim {
namespace {

class InfoCalls : public MpiTest {};
INSTANTIATE_TEST_SUITE_P(Settings, InfoCalls, kSettings, name_of);

std::string get(MPI_Info info, const char* key) {
  char value[MPI_MAX_INFO_VAL];
  int length = MPI_MAX_INFO_VAL;
  int flag = 0;
  MPI_Info_get_string(info, key, &length, value, &flag);
  return flag != 0 ? value : "(none)";
}

TEST_P(InfoCalls, KeysKeepTheirOrderAndTheLastValue) {
  run_all([](int, int) {
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    MPI_Info_set(info, "warp", "cotton");
    MPI_Info_set(info, "weft", "wool");
    MPI_Info_set(info, "warp", "silk");
    int count = 0;
    MPI_Info_get_nkeys(info, &count);
    EXPECT_EQ(count, 2);
    char key[MPI_MAX_INFO_KEY];
    MPI_Info_get_nthkey(info, 1, key);
    EXPECT_STREQ(key, "weft");
    EXPECT_EQ(get(info, "warp"), "silk");
    MPI_Info copy = MPI_INFO_NULL;
    MPI_Info_dup(info, &copy);
    MPI_Info_delete(info, "warp");
    EXPECT_EQ(get(info, "warp"), "(none)");
    EXPECT_EQ(get(copy, "warp"), "silk");
    MPI_Info_free(&info);
    MPI_Info_free(&copy);
    EXPECT_EQ(info, MPI_INFO_NULL);
    EXPECT_EQ(rank_state().part<Infos>().table.live(), 0U);
  });
}

TEST_P(InfoCalls, ValuesAreCutToTheBuffer) {
  run(1, [](int, int) {
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    MPI_Info_set(info, "key", "0123456789");
    char value[16] = "unchanged";
    int flag = 0;
    MPI_Info_get(info, "key", 4, value, &flag);
    EXPECT_EQ(flag, 1);
    EXPECT_STREQ(value, "0123");
    int length = 6;
    MPI_Info_get_string(info, "key", &length, value, &flag);
    EXPECT_EQ(length, 11) << "the space that the whole value needs";
    EXPECT_STREQ(value, "01234");
    length = 0;
    MPI_Info_get_string(info, "key", &length, value, &flag);
    EXPECT_EQ(length, 11);
    EXPECT_STREQ(value, "01234") << "no space, nothing written";
    MPI_Info_get_valuelen(info, "key", &length, &flag);
    EXPECT_EQ(length, 10);
    MPI_Info_free(&info);
  });
}

TEST_P(InfoCalls, WrongArgumentsAreNamedByClass) {
  run(1, [](int, int) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Info info = MPI_INFO_NULL;
    EXPECT_EQ(MPI_Info_set(info, "a", "b"), MPI_ERR_INFO);
    MPI_Info_create(&info);
    EXPECT_EQ(MPI_Info_set(info, "", "b"), MPI_ERR_INFO_KEY);
    EXPECT_EQ(MPI_Info_set(info, std::string(MPI_MAX_INFO_KEY, 'k').c_str(), "b"), MPI_ERR_INFO_KEY);
    EXPECT_EQ(MPI_Info_set(info, "a", std::string(MPI_MAX_INFO_VAL, 'v').c_str()), MPI_ERR_INFO_VALUE);
    EXPECT_EQ(MPI_Info_delete(info, "a"), MPI_ERR_INFO_NOKEY);
    char key[MPI_MAX_INFO_KEY];
    EXPECT_EQ(MPI_Info_get_nthkey(info, 0, key), MPI_ERR_ARG);
    MPI_Info_free(&info);
  });
}

TEST_P(InfoCalls, TheEnvironmentIsThereBeforeInit) {
  run_bare(2, [](int, int) {
    EXPECT_EQ(get(MPI_INFO_ENV, "thread_level"), "MPI_THREAD_MULTIPLE");
    MPI_Info info = MPI_INFO_NULL;
    EXPECT_EQ(MPI_Info_create_env(0, nullptr, &info), MPI_SUCCESS);
    EXPECT_EQ(get(info, "thread_level"), "MPI_THREAD_MULTIPLE");
    MPI_Info_free(&info);
  });
}

}  // namespace
}  // namespace weft::mpi_shim
