// Groups as sets and as sequences.
#include <climits>
#include <vector>

#include "tests/mpi_shim/mpi_fixture.hpp"

namespace weft::mpi_shim {
namespace {

std::vector<int> world_ranks(MPI_Group group) {
  int size = 0;
  MPI_Group_size(group, &size);
  std::vector<int> numbers(static_cast<std::size_t>(size));
  for (int i = 0; i < size; ++i) {
    numbers[static_cast<std::size_t>(i)] = i;
  }
  MPI_Group world = MPI_GROUP_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  std::vector<int> ranks(numbers.size());
  MPI_Group_translate_ranks(group, size, numbers.data(), world, ranks.data());
  MPI_Group_free(&world);
  return ranks;
}

int compare_of(MPI_Group a, MPI_Group b) {
  int result = -1;
  MPI_Group_compare(a, b, &result);
  return result;
}

TEST(GroupUnit, AListFindsItsMembers) {
  const auto group = Group::list({7, 3, 11});
  EXPECT_EQ(group->size(), 3);
  EXPECT_EQ(group->job_rank(1), 3);
  EXPECT_EQ(group->rank_of(11), 2);
  EXPECT_EQ(group->rank_of(4), MPI_UNDEFINED);
  const auto range = Group::list({5, 6, 7});
  EXPECT_EQ(range->rank_of(7), 2);
  EXPECT_EQ(range->rank_of(8), MPI_UNDEFINED);
  EXPECT_EQ(Group::list({})->size(), 0);
  EXPECT_EQ(compare(*Group::list({1, 2}), *Group::list({2, 1})), MPI_SIMILAR);
}

class GroupCalls : public MpiTest {};
INSTANTIATE_TEST_SUITE_P(Settings, GroupCalls, kSettings, name_of);

TEST_P(GroupCalls, SetOperationsKeepTheOrderOfTheStandard) {
  run(8, [](int rank, int) {
    MPI_Group world = MPI_GROUP_NULL;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    const int a_ranks[] = {6, 2, 4};
    const int b_ranks[] = {1, 4, 7, 6};
    MPI_Group a = MPI_GROUP_NULL;
    MPI_Group b = MPI_GROUP_NULL;
    MPI_Group_incl(world, 3, a_ranks, &a);
    MPI_Group_incl(world, 4, b_ranks, &b);
    int number = 0;
    MPI_Group_rank(a, &number);
    EXPECT_EQ(number, rank == 6 ? 0 : rank == 2 ? 1 : rank == 4 ? 2 : int{MPI_UNDEFINED});
    MPI_Group made = MPI_GROUP_NULL;
    MPI_Group_union(a, b, &made);
    EXPECT_EQ(world_ranks(made), (std::vector<int>{6, 2, 4, 1, 7}));
    MPI_Group_free(&made);
    MPI_Group_intersection(a, b, &made);
    EXPECT_EQ(world_ranks(made), (std::vector<int>{6, 4}));
    MPI_Group_free(&made);
    MPI_Group_difference(a, b, &made);
    EXPECT_EQ(world_ranks(made), (std::vector<int>{2}));
    MPI_Group_free(&made);
    MPI_Group_difference(a, a, &made);
    EXPECT_EQ(made, MPI_GROUP_EMPTY);
    MPI_Group_free(&made);
    EXPECT_EQ(made, MPI_GROUP_NULL);
    for (MPI_Group* group : {&a, &b, &world}) {
      MPI_Group_free(group);
    }
    EXPECT_EQ(rank_state().groups.live(), 0U);
  });
}

TEST_P(GroupCalls, RangesAndExclusions) {
  run(16, [](int, int) {
    MPI_Group world = MPI_GROUP_NULL;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    int ranges[][3] = {{0, 6, 3}, {15, 10, -2}};
    MPI_Group made = MPI_GROUP_NULL;
    MPI_Group_range_incl(world, 2, ranges, &made);
    EXPECT_EQ(world_ranks(made), (std::vector<int>{0, 3, 6, 15, 13, 11}));
    MPI_Group others = MPI_GROUP_NULL;
    MPI_Group_range_excl(world, 2, ranges, &others);
    EXPECT_EQ(world_ranks(others), (std::vector<int>{1, 2, 4, 5, 7, 8, 9, 10, 12, 14}));
    const int out[] = {0, 1, 2};
    MPI_Group fewer = MPI_GROUP_NULL;
    MPI_Group_excl(made, 3, out, &fewer);
    EXPECT_EQ(world_ranks(fewer), (std::vector<int>{15, 13, 11}));
    for (MPI_Group* group : {&made, &others, &fewer, &world}) {
      MPI_Group_free(group);
    }
  });
}

std::vector<int> range_of(MPI_Group group, int first, int last, int stride) {
  int range[][3] = {{first, last, stride}};
  MPI_Group made = MPI_GROUP_NULL;
  EXPECT_EQ(MPI_Group_range_incl(group, 1, range, &made), MPI_SUCCESS);
  std::vector<int> ranks = world_ranks(made);
  MPI_Group_free(&made);
  return ranks;
}

// Only the ranks that the stride reaches must be in the group.
TEST_P(GroupCalls, ARangeMayEndOutsideTheGroup) {
  run(5, [](int, int) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Group world = MPI_GROUP_NULL;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    EXPECT_EQ(range_of(world, 0, 5, 2), (std::vector<int>{0, 2, 4}));
    EXPECT_EQ(range_of(world, 4, -1, -2), (std::vector<int>{4, 2, 0}));
    EXPECT_EQ(range_of(world, 1, 1, INT_MAX), std::vector<int>{1});
    MPI_Group made = MPI_GROUP_NULL;
    int beyond[][3] = {{0, 5, 1}};
    EXPECT_EQ(MPI_Group_range_incl(world, 1, beyond, &made), MPI_ERR_RANK);
    MPI_Group_free(&world);
  });
}

TEST_P(GroupCalls, ComparisonsAndTranslation) {
  run(5, [](int, int) {
    MPI_Group world = MPI_GROUP_NULL;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    const int ranks[] = {4, 3, 2, 1, 0};
    MPI_Group back = MPI_GROUP_NULL;
    MPI_Group_incl(world, 5, ranks, &back);
    MPI_Group part = MPI_GROUP_NULL;
    MPI_Group_incl(world, 2, ranks, &part);
    EXPECT_EQ(compare_of(world, world), MPI_IDENT);
    EXPECT_EQ(compare_of(world, back), MPI_SIMILAR);
    EXPECT_EQ(compare_of(world, part), MPI_UNEQUAL);
    EXPECT_EQ(compare_of(MPI_GROUP_EMPTY, MPI_GROUP_EMPTY), MPI_IDENT);
    const int asked[] = {4, MPI_PROC_NULL, 0};
    int found[3] = {};
    MPI_Group_translate_ranks(world, 3, asked, part, found);
    EXPECT_EQ(found[0], 0);
    EXPECT_EQ(found[1], MPI_PROC_NULL);
    EXPECT_EQ(found[2], MPI_UNDEFINED);
    for (MPI_Group* group : {&world, &back, &part}) {
      MPI_Group_free(group);
    }
  });
}

TEST_P(GroupCalls, WrongArgumentsAreNamedByClass) {
  run(5, [](int, int) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Group world = MPI_GROUP_NULL;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group made = MPI_GROUP_NULL;
    const int twice[] = {1, 1};
    const int outside[] = {5};
    EXPECT_EQ(MPI_Group_incl(world, 2, twice, &made), MPI_ERR_RANK);
    EXPECT_EQ(MPI_Group_excl(world, 1, outside, &made), MPI_ERR_RANK);
    EXPECT_EQ(MPI_Group_incl(world, -1, twice, &made), MPI_ERR_ARG);
    int still[][3] = {{0, 1, 0}};
    EXPECT_EQ(MPI_Group_range_incl(world, 1, still, &made), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Group_union(MPI_GROUP_NULL, world, &made), MPI_ERR_GROUP);
    MPI_Group_free(&world);
  });
}

}  // namespace
}  // namespace weft::mpi_shim
