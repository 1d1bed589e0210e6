// Attributes, their callbacks and key values.
#include <memory>
#include <vector>

#include "tests/mpi_shim/mpi_fixture.hpp"

namespace weft::mpi_shim {
namespace {

class AttributesTest : public MpiTest {};
INSTANTIATE_TEST_SUITE_P(Settings, AttributesTest, kSettings, name_of);

// What callbacks have seen; extra_state of the key values below.
struct Seen {
  std::vector<int> copied;
  std::vector<int> deleted;
};

int copy_next(MPI_Comm, int, void* extra, void* in, void* out, int* flag) {
  const int value = *static_cast<int*>(in);
  static_cast<Seen*>(extra)->copied.push_back(value);
  *static_cast<void**>(out) = static_cast<int*>(in) + 1;
  *flag = 1;
  return MPI_SUCCESS;
}

int note_delete(MPI_Comm, int, void* value, void* extra) {
  static_cast<Seen*>(extra)->deleted.push_back(*static_cast<int*>(value));
  return MPI_SUCCESS;
}

// `extra` is the numbers of the key values whose attributes go.
int delete_and_copy(MPI_Comm comm, int, void* extra, void* in, void* out, int* flag) {
  for (const int keyval : *static_cast<std::vector<int>*>(extra)) {
    EXPECT_EQ(MPI_Comm_delete_attr(comm, keyval), MPI_SUCCESS);
  }
  *static_cast<void**>(out) = in;
  *flag = 1;
  return MPI_SUCCESS;
}

// Deletes once more what is being deleted, and frees its key value. `extra` is the number of the key value.
int free_and_delete(MPI_Comm comm, int keyval, void*, void* extra) {
  int& number = *static_cast<int*>(extra);
  if (number == MPI_KEYVAL_INVALID) {
    return MPI_SUCCESS;
  }
  MPI_Comm_free_keyval(&number);
  return MPI_Comm_delete_attr(comm, keyval);
}

int refuse_copy(MPI_Comm, int, void*, void*, void*, int*) { return MPI_ERR_INTERN; }
int refuse_delete(MPI_Comm, int, void* value, void*) {
  return --*static_cast<int*>(value) >= 0 ? MPI_ERR_INTERN : MPI_SUCCESS;
}

TEST_P(AttributesTest, CallbacksSeeEveryCopyAndDeletion) {
  run_all([](int, int) {
    int values[] = {10, 11, 12};
    Seen seen;
    int keyval = MPI_KEYVAL_INVALID;
    MPI_Comm_create_keyval(copy_next, note_delete, &keyval, &seen);
    MPI_Comm first = MPI_COMM_NULL;
    MPI_Comm second = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &first);
    MPI_Comm_set_attr(first, keyval, &values[0]);
    MPI_Comm_dup(first, &second);
    EXPECT_EQ(seen.copied, std::vector<int>{10});
    int* found = nullptr;
    int flag = 0;
    MPI_Comm_get_attr(second, keyval, &found, &flag);
    EXPECT_EQ(flag, 1);
    EXPECT_EQ(found, &values[1]);
    MPI_Comm_set_attr(second, keyval, &values[2]);
    EXPECT_EQ(seen.deleted, std::vector<int>{11}) << "the old value goes when a new one is set";
    int same = keyval;
    MPI_Comm_free_keyval(&keyval);
    EXPECT_EQ(keyval, MPI_KEYVAL_INVALID);
    MPI_Comm_free(&second);
    MPI_Comm_free(&first);
    EXPECT_EQ(seen.deleted, (std::vector<int>{11, 12, 10}));
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    EXPECT_EQ(MPI_Comm_get_attr(MPI_COMM_WORLD, same, &found, &flag), MPI_ERR_KEYVAL);
  });
}

TEST_P(AttributesTest, SentinelsCopyNothingOrTheValue) {
  run(2, [](int, int) {
    int value = 3;
    int keyvals[2] = {};
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &keyvals[0], nullptr);
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &keyvals[1], nullptr);
    for (const int keyval : keyvals) {
      MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, &value);
    }
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    void* found = nullptr;
    int flag = 1;
    MPI_Comm_get_attr(copy, keyvals[0], &found, &flag);
    EXPECT_EQ(flag, 0);
    MPI_Comm_get_attr(copy, keyvals[1], &found, &flag);
    EXPECT_EQ(flag, 1);
    EXPECT_EQ(found, &value);
    MPI_Comm_free(&copy);
    MPI_Comm_delete_attr(MPI_COMM_WORLD, keyvals[0]);
    MPI_Comm_get_attr(MPI_COMM_WORLD, keyvals[0], &found, &flag);
    EXPECT_EQ(flag, 0);
    MPI_Comm_free_keyval(&keyvals[0]);
    MPI_Comm_free_keyval(&keyvals[1]);
  });
}

TEST_P(AttributesTest, AFailedCallbackFailsTheCall) {
  run(2, [](int, int) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    int refusals = 1;
    int keyval = MPI_KEYVAL_INVALID;
    MPI_Comm_create_keyval(refuse_copy, refuse_delete, &keyval, nullptr);
    MPI_Comm_set_attr(comm, keyval, &refusals);
    MPI_Comm copy = MPI_COMM_WORLD;
    EXPECT_EQ(MPI_Comm_dup(comm, &copy), MPI_ERR_INTERN);
    EXPECT_EQ(copy, MPI_COMM_NULL);
    MPI_Request request = MPI_REQUEST_NULL;  // told of at its end, where members live in several processes
    const int begun = MPI_Comm_idup(comm, &copy, &request);
    EXPECT_EQ(begun != MPI_SUCCESS ? begun : MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_INTERN);
    EXPECT_EQ(copy, MPI_COMM_NULL);
    const MPI_Comm kept = comm;
    EXPECT_EQ(MPI_Comm_free(&comm), MPI_ERR_INTERN);
    EXPECT_EQ(comm, kept);
    EXPECT_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
    MPI_Comm_free_keyval(&keyval);
    EXPECT_EQ(rank_state().comms.live(), 0U);
  });
}

// A process keeps a new communicator until each of its members there has it or cannot have it.
TEST_P(AttributesTest, AMemberWhoseCopyFailsKeepsNoCommunicatorAlive) {
  run(4, [](int, int) {
    MPI_Comm here = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
    MPI_Comm_set_errhandler(here, MPI_ERRORS_RETURN);
    int number = 0;
    int value = 0;
    int keyval = MPI_KEYVAL_INVALID;
    MPI_Comm_rank(here, &number);
    MPI_Comm_create_keyval(refuse_copy, MPI_COMM_NULL_DELETE_FN, &keyval, nullptr);
    if (number == 0) {
      MPI_Comm_set_attr(here, keyval, &value);
    }
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Request request = MPI_REQUEST_NULL;
    const int begun = MPI_Comm_idup(here, &copy, &request);
    EXPECT_EQ(begun != MPI_SUCCESS ? begun : MPI_Wait(&request, MPI_STATUS_IGNORE),
              number == 0 ? MPI_ERR_INTERN : MPI_SUCCESS);
    std::weak_ptr<const CommShared> shared;
    if (copy != MPI_COMM_NULL) {
      shared = find_comm(rank_state(), copy)->shared;
      MPI_Comm_free(&copy);
    }
    MPI_Barrier(here);
    EXPECT_TRUE(shared.expired());
    MPI_Comm_free_keyval(&keyval);
    MPI_Comm_free(&here);
  });
}

TEST_P(AttributesTest, PredefinedAttributes) {
  run_all([](int, int size) {
    const auto value_of = [](int keyval) {
      int* found = nullptr;
      int flag = 0;
      MPI_Comm_get_attr(MPI_COMM_WORLD, keyval, &found, &flag);
      EXPECT_EQ(flag, 1) << keyval;
      return flag != 0 ? *found : -1;
    };
    EXPECT_GE(value_of(MPI_TAG_UB), 32767);
    EXPECT_EQ(value_of(MPI_UNIVERSE_SIZE), size);
    EXPECT_EQ(value_of(MPI_WTIME_IS_GLOBAL), 1);
    EXPECT_EQ(value_of(MPI_APPNUM), 0);
    EXPECT_EQ(value_of(MPI_HOST), MPI_PROC_NULL);
    EXPECT_EQ(value_of(MPI_IO), MPI_ANY_SOURCE);
    EXPECT_EQ(value_of(MPI_LASTUSEDCODE), MPI_ERR_LASTCODE);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    EXPECT_EQ(MPI_Comm_set_attr(MPI_COMM_WORLD, MPI_TAG_UB, nullptr), MPI_ERR_KEYVAL);
    EXPECT_EQ(MPI_Comm_delete_attr(MPI_COMM_WORLD, MPI_IO), MPI_ERR_KEYVAL);
  });
}

TEST_P(AttributesTest, ClocksOfSeveralHostsAreNotOne) {
  runtime::JobConfig config;
  config.hosts = {0, 1};
  run_all(
      [](int, int) {
        int* global = nullptr;
        int flag = 0;
        MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, &global, &flag);
        ASSERT_EQ(flag, 1);
        EXPECT_EQ(*global, 0);
      },
      config);
}

TEST_P(AttributesTest, TheOldNamesStandForTheNew) {
  run(2, [](int, int) {
    int value = 5;
    int keyval = MPI_KEYVAL_INVALID;
    PMPI_Keyval_create(MPI_DUP_FN, MPI_NULL_DELETE_FN, &keyval, nullptr);
    PMPI_Attr_put(MPI_COMM_WORLD, keyval, &value);
    int* found = nullptr;
    int flag = 0;
    PMPI_Attr_get(MPI_COMM_WORLD, keyval, &found, &flag);
    EXPECT_EQ(flag, 1);
    EXPECT_EQ(found, &value);
    EXPECT_EQ(PMPI_Attr_delete(MPI_COMM_WORLD, keyval), MPI_SUCCESS);
    PMPI_Keyval_free(&keyval);
    EXPECT_EQ(keyval, MPI_KEYVAL_INVALID);
  });
}

TEST_P(AttributesTest, DatatypesKeepTheirOwnPerRank) {
  run_all([](int rank, int) {
    int values[16] = {};
    int keyval = MPI_KEYVAL_INVALID;
    MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, &keyval, nullptr);
    MPI_Type_set_attr(MPI_INT, keyval, &values[rank]);
    MPI_Migrate();
    int* found = nullptr;
    int flag = 0;
    MPI_Type_get_attr(MPI_INT, keyval, &found, &flag);
    EXPECT_EQ(flag, 1);
    EXPECT_EQ(found, &values[rank]);
    MPI_Type_get_attr(MPI_DOUBLE, keyval, &found, &flag);
    EXPECT_EQ(flag, 0);
    MPI_Type_delete_attr(MPI_INT, keyval);
    MPI_Type_free_keyval(&keyval);
  });
}

TEST_P(AttributesTest, AFreedKeyValueServesItsAttributesOn) {
  run_all([](int, int) {
    int value = 30;
    Seen seen;
    int keyval = MPI_KEYVAL_INVALID;
    MPI_Comm_create_keyval(copy_next, note_delete, &keyval, &seen);
    int copies[] = {keyval, keyval, keyval};
    MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, &value);
    MPI_Comm_free_keyval(&keyval);
    MPI_Comm_free_keyval(&copies[0]);
    int* found = nullptr;
    int flag = 0;
    EXPECT_EQ(MPI_Comm_get_attr(MPI_COMM_WORLD, copies[1], &found, &flag), MPI_SUCCESS);
    EXPECT_EQ(flag, 1);
    EXPECT_EQ(found, &value);
    EXPECT_EQ(MPI_Comm_delete_attr(MPI_COMM_WORLD, copies[1]), MPI_SUCCESS);
    EXPECT_EQ(seen.deleted, std::vector<int>{30});
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    EXPECT_EQ(MPI_Comm_delete_attr(MPI_COMM_WORLD, copies[1]), MPI_ERR_KEYVAL);
    EXPECT_EQ(MPI_Comm_free_keyval(&copies[2]), MPI_ERR_KEYVAL) << "nothing uses it any more";
  });
}

TEST_P(AttributesTest, ACallbackMayDeleteAttributesOfFreedKeyValues) {
  run(2, [](int, int) {
    int value = 4;
    int keyvals[2] = {};
    std::vector<int> numbers;
    MPI_Comm_create_keyval(delete_and_copy, MPI_COMM_NULL_DELETE_FN, &keyvals[0], &numbers);
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &keyvals[1], nullptr);
    numbers.assign(keyvals, keyvals + 2);
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int& keyval : keyvals) {
      MPI_Comm_set_attr(comm, keyval, &value);
      MPI_Comm_free_keyval(&keyval);
    }
    MPI_Comm copy = MPI_COMM_NULL;
    EXPECT_EQ(MPI_Comm_dup(comm, &copy), MPI_SUCCESS);
    int* found = nullptr;
    int flag = 0;
    EXPECT_EQ(MPI_Comm_get_attr(copy, numbers[0], &found, &flag), MPI_SUCCESS);
    EXPECT_EQ(flag, 1);
    EXPECT_EQ(found, &value);
    MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN);
    EXPECT_EQ(MPI_Comm_get_attr(copy, numbers[1], &found, &flag), MPI_ERR_KEYVAL) << "it went before it was copied";
    MPI_Comm_free(&copy);
    MPI_Comm_free(&comm);
  });
}

TEST_P(AttributesTest, ADeletionMayFreeTheKeyValueThatIsSetAnew) {
  run(2, [](int, int) {
    int values[] = {1, 2};
    int keyval = MPI_KEYVAL_INVALID;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_and_delete, &keyval, &keyval);
    const int number = keyval;
    MPI_Comm_set_attr(MPI_COMM_WORLD, number, &values[0]);
    EXPECT_EQ(MPI_Comm_set_attr(MPI_COMM_WORLD, number, &values[1]), MPI_SUCCESS);
    int* found = nullptr;
    int flag = 0;
    MPI_Comm_get_attr(MPI_COMM_WORLD, number, &found, &flag);
    EXPECT_EQ(flag, 1);
    EXPECT_EQ(found, &values[1]);
    MPI_Comm_delete_attr(MPI_COMM_WORLD, number);
  });
}

}  // namespace
}  // namespace weft::mpi_shim
