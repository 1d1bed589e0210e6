// Error classes, codes, texts and handlers.
#include <cstring>
#include <set>

#include "mpi_shim/error/errhandler.hpp"
#include "mpi_shim/error/error_codes.hpp"
#include "tests/mpi_shim/mpi_fixture.hpp"

namespace weft::mpi_shim {
namespace {

class Errors : public MpiTest {};
INSTANTIATE_TEST_SUITE_P(Settings, Errors, kSettings, name_of);

std::string text_of(int code) {
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  EXPECT_EQ(MPI_Error_string(code, text, &length), MPI_SUCCESS);
  EXPECT_EQ(std::strlen(text), static_cast<std::size_t>(length));
  return text;
}

TEST_P(Errors, EveryClassOfTheStandardHasItsOwnText) {
  run(1, [](int, int) {
    std::set<std::string> texts;
    for (int code = MPI_SUCCESS; code <= MPI_ERR_ABI; ++code) {
      int error_class = -1;
      EXPECT_EQ(MPI_Error_class(code, &error_class), MPI_SUCCESS);
      EXPECT_EQ(error_class, code);
      EXPECT_TRUE(texts.insert(text_of(code)).second) << code;
    }
    EXPECT_EQ(text_of(MPI_ERR_RANK).substr(0, 13), "MPI_ERR_RANK:");
    EXPECT_EQ(text_of(MPI_T_ERR_PVAR_NO_ATOMIC).substr(0, 24), "MPI_T_ERR_PVAR_NO_ATOMIC");
  });
}

TEST_P(Errors, AddedCodesBelongToTheirRank) {
  run_all([](int rank, int) {
    for (int i = 0; i < rank; ++i) {
      int skipped = 0;
      MPI_Add_error_class(&skipped);
    }
    int error_class = 0;
    int code = 0;
    MPI_Add_error_class(&error_class);
    MPI_Add_error_code(error_class, &code);
    EXPECT_EQ(error_class, MPI_ERR_LASTCODE + 1 + rank);
    MPI_Add_error_string(code, "the loom is jammed");
    EXPECT_EQ(text_of(code), "the loom is jammed");
    EXPECT_EQ(text_of(error_class), "");
    int found = 0;
    MPI_Error_class(code, &found);
    EXPECT_EQ(found, error_class);
    int* last = nullptr;
    int flag = 0;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &last, &flag);
    EXPECT_EQ(flag, 1);
    EXPECT_EQ(*last, code);
    MPI_Migrate();
    int* again = nullptr;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &again, &flag);
    EXPECT_EQ(again, last) << "the program may keep the address";
  });
}

TEST_P(Errors, RemovedCodesAreGone) {
  run(2, [](int, int) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int error_class = 0;
    int code = 0;
    MPI_Add_error_class(&error_class);
    MPI_Add_error_code(error_class, &code);
    EXPECT_EQ(MPI_Remove_error_class(error_class), MPI_ERR_OTHER) << "it still has a code";
    MPI_Add_error_string(code, "a knot");
    MPI_Add_error_string(error_class, "knots");
    EXPECT_EQ(MPI_Remove_error_code(code), MPI_ERR_OTHER) << "it still has a string";
    EXPECT_EQ(MPI_Remove_error_string(code), MPI_SUCCESS);
    EXPECT_EQ(MPI_Remove_error_code(code), MPI_SUCCESS);
    EXPECT_EQ(MPI_Remove_error_class(error_class), MPI_ERR_OTHER) << "it still has a string";
    EXPECT_EQ(MPI_Remove_error_string(error_class), MPI_SUCCESS);
    EXPECT_EQ(MPI_Remove_error_class(error_class), MPI_SUCCESS);
    int found = 0;
    EXPECT_EQ(MPI_Error_class(code, &found), MPI_ERR_ARG);
  });
}

TEST_P(Errors, ReturnGivesTheClassBack) {
  run_all([](int, int size) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int value = 0;
    EXPECT_EQ(MPI_Send(&value, 1, MPI_INT, size, 0, MPI_COMM_WORLD), MPI_ERR_RANK);
    EXPECT_EQ(MPI_Comm_size(MPI_COMM_NULL, &value), MPI_ERR_COMM);
    EXPECT_EQ(MPI_Comm_rank(MPI_COMM_WORLD, nullptr), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Comm_free(nullptr), MPI_ERR_ARG);
    MPI_Comm world = MPI_COMM_WORLD;
    EXPECT_EQ(MPI_Comm_free(&world), MPI_ERR_COMM);
  });
}

TEST_P(Errors, ErrorsWithoutACommunicatorGoToSelfWhereItsHandlerIsSet) {
  run(2, [](int, int) {
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Group none = MPI_GROUP_NULL;
    int size = 0;
    EXPECT_EQ(MPI_Group_size(none, &size), MPI_ERR_GROUP);
  });
}

struct Heard {
  int calls = 0;
  MPI_Comm comm = MPI_COMM_NULL;
  int code = 0;
};
thread_local Heard* heard = nullptr;

void listen(MPI_Comm* comm, int* code, ...) { *heard = {heard->calls + 1, *comm, *code}; }

TEST_P(Errors, AUsersHandlerHearsCommunicatorAndCode) {
  run_all([](int, int size) {
    Heard mine;
    heard = &mine;  // nothing suspends before it is read
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_Comm_create_errhandler(listen, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Errhandler again = MPI_ERRHANDLER_NULL;
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &again);
    EXPECT_EQ(again, handler);
    MPI_Errhandler_free(&handler);
    EXPECT_EQ(handler, MPI_ERRHANDLER_NULL);
    MPI_Errhandler_free(&again);
    int value = 0;
    EXPECT_EQ(MPI_Send(&value, 1, MPI_INT, size + 5, 0, MPI_COMM_WORLD), MPI_ERR_RANK);
    EXPECT_EQ(mine.calls, 1);
    EXPECT_EQ(mine.comm, MPI_COMM_WORLD);
    EXPECT_EQ(mine.code, MPI_ERR_RANK);
    EXPECT_EQ(MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_OTHER), MPI_SUCCESS);
    EXPECT_EQ(mine.calls, 2);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    EXPECT_EQ(rank_state().part<Errhandlers>().table.live(), 0U);
  });
}

void migrate(MPI_Comm*, int*, ...) { EXPECT_EQ(MPI_Migrate(), MPI_SUCCESS); }

TEST_P(Errors, AHandlerMayCallMigrate) {
  run(5, [](int, int size) {
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_Comm_create_errhandler(migrate, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Errhandler_free(&handler);
    int value = 0;
    EXPECT_EQ(MPI_Send(&value, 1, MPI_INT, size, 0, MPI_COMM_WORLD), MPI_ERR_RANK);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  });
}

TEST_P(Errors, ACopyInheritsTheHandler) {
  run_all([](int, int) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_Comm_get_errhandler(copy, &handler);
    EXPECT_EQ(handler, MPI_ERRORS_RETURN);
    MPI_Comm_free(&copy);
    EXPECT_EQ(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRHANDLER_NULL), MPI_ERR_ERRHANDLER);
  });
}

class ErrorsDeath : public MpiTest {
  void SetUp() override { testing::FLAGS_gtest_death_test_style = "threadsafe"; }
};
INSTANTIATE_TEST_SUITE_P(Settings, ErrorsDeath, testing::Values(Setting{2, "none"}), name_of);

TEST_P(ErrorsDeath, ByDefaultAnErrorEndsTheJobAndSaysWhere) {
  EXPECT_EXIT(run(8,
                  [](int rank, int) {
                    const int word = 0;
                    if (rank == 3) {
                      MPI_Send(&word, 1, MPI_INT, 12, 0, MPI_COMM_WORLD);
                    }
                  }),
              testing::ExitedWithCode(MPI_ERR_RANK), "rank 3: MPI_Send: .*12.*MPI_ERR_RANK on MPI_COMM_WORLD");
}

TEST_P(ErrorsDeath, AbortIsFatalToo) {
  EXPECT_EXIT(run(1,
                  [](int, int) {
                    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ABORT);
                    MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_OTHER);
                  }),
              testing::ExitedWithCode(MPI_ERR_OTHER), "rank 0: MPI_Comm_call_errhandler: .*MPI_ERR_OTHER");
}

}  // namespace
}  // namespace weft::mpi_shim
