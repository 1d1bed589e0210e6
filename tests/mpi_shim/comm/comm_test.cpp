// Communicators that are copied, split and created.
#include <string>
#include <vector>

#include "tests/mpi_shim/mpi_fixture.hpp"

namespace weft::mpi_shim {
namespace {

// Passes a word once around the ranks of a communicator, which fails unless all agree on its members.
void pass_around(MPI_Comm comm) {
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  int word = 1;
  if (rank > 0) {
    MPI_Recv(&word, 1, MPI_INT, rank - 1, 5, comm, MPI_STATUS_IGNORE);
    EXPECT_EQ(word, rank);
    ++word;
  }
  if (rank + 1 < size) {
    MPI_Send(&word, 1, MPI_INT, rank + 1, 5, comm);
  }
}

int compare_of(MPI_Comm a, MPI_Comm b) {
  int result = -1;
  MPI_Comm_compare(a, b, &result);
  return result;
}

class Comm : public MpiTest {};
INSTANTIATE_TEST_SUITE_P(Settings, Comm, kSettings, name_of);

TEST_P(Comm, ACopyHasTheSameRanksAndItsOwnMessages) {
  run_all([](int rank, int size) {
    MPI_Comm copy = MPI_COMM_NULL;
    ASSERT_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &copy), MPI_SUCCESS);
    EXPECT_EQ(compare_of(MPI_COMM_WORLD, copy), MPI_CONGRUENT);
    EXPECT_EQ(compare_of(copy, copy), MPI_IDENT);
    const int to = (rank + 1) % size;
    const int from = (rank + size - 1) % size;
    const int sent[] = {rank, 1000 + rank};
    MPI_Send(&sent[0], 1, MPI_INT, to, 0, MPI_COMM_WORLD);
    MPI_Send(&sent[1], 1, MPI_INT, to, 0, copy);
    int received[2] = {};
    MPI_Recv(&received[1], 1, MPI_INT, from, 0, copy, MPI_STATUS_IGNORE);
    MPI_Recv(&received[0], 1, MPI_INT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT_EQ(received[0], from);
    EXPECT_EQ(received[1], 1000 + from);
    MPI_Comm_free(&copy);
    EXPECT_EQ(copy, MPI_COMM_NULL);
    EXPECT_EQ(rank_state().comms.live(), 0U);
  });
}

TEST_P(Comm, CopiesOfCopiesWhileRanksMove) {
  run_all([](int, int) {
    std::vector<MPI_Comm> comms{MPI_COMM_WORLD};
    for (int i = 0; i < 10; ++i) {
      MPI_Comm copy = MPI_COMM_NULL;
      MPI_Comm_dup(comms[static_cast<std::size_t>(i / 2)], &copy);
      comms.push_back(copy);
      MPI_Migrate();
      pass_around(copy);
    }
    for (std::size_t i = 1; i < comms.size(); ++i) {
      MPI_Comm_free(&comms[i]);
    }
  });
}

TEST_P(Comm, NonBlockingCopyIsMadeWithoutTheOthers) {
  run_all([](int rank, int size) {
    MPI_Comm copies[2] = {MPI_COMM_NULL, MPI_COMM_NULL};
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    // Rank 0 copies before it sends, the others only after they have received its message.
    int word = 0;
    if (rank > 0) {
      MPI_Recv(&word, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Comm_idup(MPI_COMM_WORLD, &copies[0], &requests[0]);
    MPI_Comm_idup(MPI_COMM_WORLD, &copies[1], &requests[1]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    EXPECT_EQ(requests[1], MPI_REQUEST_NULL);
    if (rank + 1 < size) {
      MPI_Send(&word, 1, MPI_INT, rank + 1, 0, MPI_COMM_WORLD);
    }
    pass_around(copies[0]);
    pass_around(copies[1]);
    MPI_Comm_free(&copies[0]);
    MPI_Comm_free(&copies[1]);
  });
}

// Each rank starts two copies only after the next rank has started its own, so that the first rank starts last.
TEST_P(Comm, NonBlockingCopyDoesNotWaitForLaterMembers) {
  run_all([](int rank, int size) {
    MPI_Comm copies[2] = {MPI_COMM_NULL, MPI_COMM_NULL};
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    int word = 0;
    if (rank + 1 < size) {
      MPI_Recv(&word, 1, MPI_INT, rank + 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Comm_idup(MPI_COMM_WORLD, &copies[0], &requests[0]);
    MPI_Comm_idup(MPI_COMM_WORLD, &copies[1], &requests[1]);
    if (rank > 0) {
      MPI_Send(&word, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD);
    }
    MPI_Migrate();
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    pass_around(copies[0]);
    pass_around(copies[1]);
    MPI_Comm_free(&copies[0]);
    MPI_Comm_free(&copies[1]);
  });
}

TEST_P(Comm, SplitOrdersByKeyThenByRank) {
  run_all([](int rank, int size) {
    MPI_Comm part = MPI_COMM_NULL;
    // Three colours; the key reverses the order.
    ASSERT_EQ(MPI_Comm_split(MPI_COMM_WORLD, rank % 3, -rank, &part), MPI_SUCCESS);
    const int members = (size - rank % 3 + 2) / 3;
    int number = 0;
    int count = 0;
    MPI_Comm_rank(part, &number);
    MPI_Comm_size(part, &count);
    EXPECT_EQ(count, members);
    EXPECT_EQ(number, members - 1 - rank / 3);
    pass_around(part);
    MPI_Migrate();
    MPI_Comm whole = MPI_COMM_NULL;
    MPI_Comm_split(part, 0, 0, &whole);
    EXPECT_EQ(compare_of(part, whole), MPI_CONGRUENT);
    pass_around(whole);
    MPI_Comm_free(&whole);
    MPI_Comm_free(&part);
  });
}

TEST_P(Comm, AnUndefinedColourGetsNothing) {
  run_all([](int rank, int) {
    MPI_Comm part = MPI_COMM_WORLD;
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? 9 : int{MPI_UNDEFINED}, 0, &part);
    if (rank == 0) {
      int size = 0;
      MPI_Comm_size(part, &size);
      EXPECT_EQ(size, 1);
      MPI_Comm_free(&part);
    } else {
      EXPECT_EQ(part, MPI_COMM_NULL);
    }
  });
}

TEST_P(Comm, MemoryIsSharedByAllRanksOfTheProcess) {
  run_all([](int, int) {
    MPI_Comm shared = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &shared);
    const runtime::Rank& me = *runtime::current_rank();
    int here = 0;
    for (std::uint32_t r = 0; r < me.job.rank_count(); ++r) {
      here += me.job.process_of(me.job.rank(r)) == me.job.process() ? 1 : 0;
    }
    int members = 0;
    MPI_Comm_size(shared, &members);
    EXPECT_EQ(members, here);
    MPI_Comm_free(&shared);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_UNGUIDED, 0, MPI_INFO_NULL, &shared);
    EXPECT_EQ(shared, MPI_COMM_NULL);
  });
}

TEST_P(Comm, GuidedSplitsKnowSharedMemoryAndProcessSets) {
  run_all([](int, int size) {
    const auto members = [](int split_type, const char* key, const char* value) {
      MPI_Info info = MPI_INFO_NULL;
      MPI_Info_create(&info);
      MPI_Info_set(info, key, value);
      MPI_Comm part = MPI_COMM_NULL;
      MPI_Comm_split_type(MPI_COMM_WORLD, split_type, 0, info, &part);
      MPI_Info_free(&info);
      int found = 0;
      if (part != MPI_COMM_NULL) {
        MPI_Comm_size(part, &found);
        MPI_Comm_free(&part);
      }
      return found;
    };
    MPI_Comm shared = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &shared);
    int here = 0;
    MPI_Comm_size(shared, &here);
    MPI_Comm_free(&shared);
    EXPECT_EQ(members(MPI_COMM_TYPE_HW_GUIDED, "mpi_hw_resource_type", "mpi_shared_memory"), here);
    EXPECT_EQ(members(MPI_COMM_TYPE_RESOURCE_GUIDED, "mpi_hw_resource_type", "mpi_shared_memory"), here);
    EXPECT_EQ(members(MPI_COMM_TYPE_HW_GUIDED, "mpi_hw_resource_type", "loom"), 0);
    EXPECT_EQ(members(MPI_COMM_TYPE_HW_GUIDED, "mpi_pset_name", "mpi://WORLD"), 0);
    EXPECT_EQ(members(MPI_COMM_TYPE_RESOURCE_GUIDED, "mpi_pset_name", "mpi://WORLD"), size);
    EXPECT_EQ(members(MPI_COMM_TYPE_RESOURCE_GUIDED, "mpi_pset_name", "mpi://SELF"), 1);
  });
}

TEST_P(Comm, DisjointGroupsMakeACommunicatorEach) {
  run_all([](int rank, int size) {
    MPI_Group world = MPI_GROUP_NULL;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    // The lower half in reverse order, the upper half without its first rank.
    std::vector<int> ranks;
    const int half = size / 2;
    for (int r = rank < half ? half - 1 : size - 1; r > (rank < half ? -1 : half); --r) {
      ranks.push_back(r);
    }
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Group_incl(world, static_cast<int>(ranks.size()), ranks.data(), &group);
    MPI_Comm part = MPI_COMM_WORLD;
    EXPECT_EQ(MPI_Comm_create(MPI_COMM_WORLD, group, &part), MPI_SUCCESS);
    if (rank == half) {
      EXPECT_EQ(part, MPI_COMM_NULL);
    } else {
      int number = -1;
      MPI_Comm_rank(part, &number);
      EXPECT_EQ(ranks[static_cast<std::size_t>(number)], rank);
      pass_around(part);
      MPI_Comm_free(&part);
    }
    MPI_Group_free(&group);
    MPI_Group_free(&world);
  });
}

TEST_P(Comm, AGroupFromOutsideIsRefused) {
  run(2, [](int, int) {
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Group world = MPI_GROUP_NULL;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Comm part = MPI_COMM_WORLD;
    EXPECT_EQ(MPI_Comm_create(MPI_COMM_SELF, world, &part), MPI_ERR_GROUP);
    EXPECT_EQ(part, MPI_COMM_NULL);
    MPI_Group_free(&world);
  });
}

TEST_P(Comm, AGroupMakesItsCommunicatorAlone) {
  run_all([](int rank, int size) {
    MPI_Group world = MPI_GROUP_NULL;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    int evens[][3] = {{0, size - 1, 2}};
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Group_range_incl(world, 1, evens, &group);
    if (rank % 2 == 0) {
      MPI_Comm comms[2] = {MPI_COMM_NULL, MPI_COMM_NULL};
      for (MPI_Comm& comm : comms) {
        MPI_Comm_create_group(MPI_COMM_WORLD, group, 3, &comm);
      }
      for (MPI_Comm& comm : comms) {
        pass_around(comm);
        MPI_Comm_free(&comm);
      }
      MPI_Comm named = MPI_COMM_NULL;
      MPI_Comm_create_from_group(group, "evens", MPI_INFO_NULL, MPI_ERRORS_RETURN, &named);
      pass_around(named);
      MPI_Comm_free(&named);
    } else {
      MPI_Comm none = MPI_COMM_WORLD;
      EXPECT_EQ(MPI_Comm_create_group(MPI_COMM_WORLD, group, 4, &none), MPI_SUCCESS);
      EXPECT_EQ(none, MPI_COMM_NULL);
    }
    MPI_Group_free(&group);
    MPI_Group_free(&world);
  });
}

TEST_P(Comm, NamesAndHints) {
  run(2, [](int, int) {
    char name[MPI_MAX_OBJECT_NAME];
    int length = 0;
    MPI_Comm_get_name(MPI_COMM_WORLD, name, &length);
    EXPECT_STREQ(name, "MPI_COMM_WORLD");
    EXPECT_EQ(length, 14);
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    MPI_Info_set(info, "thread", "warp");
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &copy);
    MPI_Info_free(&info);
    MPI_Comm_get_name(copy, name, &length);
    EXPECT_STREQ(name, "");
    MPI_Comm_set_name(copy, std::string(300, 'x').c_str());
    MPI_Comm_get_name(copy, name, &length);
    EXPECT_EQ(length, MPI_MAX_OBJECT_NAME - 1);
    MPI_Comm_get_info(copy, &info);
    char value[8];
    int flag = 0;
    MPI_Info_get(info, "thread", 7, value, &flag);
    EXPECT_EQ(flag, 1);
    EXPECT_STREQ(value, "warp");
    MPI_Info_free(&info);
    MPI_Comm parent = MPI_COMM_WORLD;
    MPI_Comm_get_parent(&parent);
    EXPECT_EQ(parent, MPI_COMM_NULL);
    MPI_Comm_disconnect(&copy);
  });
}

TEST_P(Comm, HintsThatAreNotNamedKeepTheirValues) {
  run(1, [](int, int) {
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    for (const char* const key : {"warp", "weft"}) {
      MPI_Info info = MPI_INFO_NULL;
      MPI_Info_create(&info);
      MPI_Info_set(info, key, "wool");
      MPI_Comm_set_info(copy, info);
      MPI_Info_free(&info);
    }
    MPI_Comm_set_info(copy, MPI_INFO_NULL);
    MPI_Info used = MPI_INFO_NULL;
    MPI_Comm_get_info(copy, &used);
    int count = 0;
    MPI_Info_get_nkeys(used, &count);
    EXPECT_EQ(count, 2);
    MPI_Info_free(&used);
    MPI_Comm_free(&copy);
  });
}

TEST_P(Comm, AMessageToAFreedCommunicatorStaysInIt) {
  run(2, [](int rank, int) {
    MPI_Comm old = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &old);
    int word = 1;
    int late = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    if (rank == 0) {
      MPI_Irecv(&late, 1, MPI_INT, 1, 0, old, &request);
    }
    MPI_Comm alive = old;
    MPI_Comm fresh = MPI_COMM_NULL;
    if (rank == 0) {
      MPI_Comm_free(&old);
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &fresh);
    int other = 0;
    if (rank == 1) {
      int two = 2;
      MPI_Send(&two, 1, MPI_INT, 0, 0, fresh);
      MPI_Send(&word, 1, MPI_INT, 0, 0, alive);
      MPI_Comm_free(&old);
    } else {
      MPI_Recv(&other, 1, MPI_INT, 1, 0, fresh, MPI_STATUS_IGNORE);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      EXPECT_EQ(other, 2);
      EXPECT_EQ(late, 1);
    }
    MPI_Comm_free(&fresh);
  });
}

TEST_P(Comm, ManyRanksSplitAndCopy) {
  run(kSanitized ? 200 : 2000, [](int rank, int size) {
    MPI_Comm part = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &part);
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(part, &copy);
    int count = 0;
    int number = 0;
    MPI_Comm_size(copy, &count);
    MPI_Comm_rank(copy, &number);
    EXPECT_EQ(count, size / 2);
    EXPECT_EQ(number, rank / 2);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&part);
  });
}

}  // namespace
}  // namespace weft::mpi_shim
