#include "tools/weft/stacks_text.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace weft::tools::weft_tool {
namespace {

inspect::StackGroup waiting_group(unsigned messages) {
  inspect::StackGroup group;
  group.activity = inspect::Activity::waits;
  group.call = "MPI_Recv";
  group.ranks = {{0, messages}};
  for (unsigned i = 0; i < messages; ++i) {
    group.waits_for.push_back({"from rank " + std::to_string(10 + i), {{i, i == 0 ? 1 : i + 1}}});
  }
  return group;
}

TEST(StacksText, OneMessageOfAllIsSaidOnce) {
  EXPECT_EQ(group_text(waiting_group(1), {}, false), "2 ranks wait in MPI_Recv, from rank 10: 0-1\n");
}

TEST(StacksText, ManyMessagesAreThereInFull) {
  const std::string few =
      "6 ranks wait in MPI_Recv, ranks 0-1 from rank 10; ranks 1-2 from rank 11; ranks 2-3 from rank 12; "
      "ranks 3-4 from rank 13; ";
  EXPECT_EQ(group_text(waiting_group(5), {}, false), few + "1 more (--full): 0-5\n");
  EXPECT_EQ(group_text(waiting_group(5), {}, true), few + "ranks 4-5 from rank 14: 0-5\n");
}

TEST(StacksText, ProcessesThatSayTheSameAreOneGroup) {
  std::vector<inspect::Stacks> processes(2);
  for (unsigned i = 0; i < 2; ++i) {
    inspect::StackGroup group = waiting_group(1);
    group.ranks = {{10 * i, 10 * i + 3}};
    group.with_unexpected = {{10 * i + 1, 10 * i + 1}};
    processes[i].groups = {group};
  }
  const std::vector<inspect::StackGroup> all = merged(processes);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(
      group_text(all[0], {}, false),
      "8 ranks wait in MPI_Recv, from rank 10, and ranks 1,11 have messages that they do not ask for: 0-3,10-13\n");
}

TEST(StacksText, MessagesThatNobodyAsksForAreSaid) {
  inspect::StackGroup group = waiting_group(1);
  group.with_unexpected = {{1, 1}};
  EXPECT_EQ(group_text(group, {}, false),
            "2 ranks wait in MPI_Recv, from rank 10, and rank 1 has messages that it does not ask for: 0-1\n");
  group.with_unexpected = {{0, 1}};
  EXPECT_EQ(group_text(group, {}, false),
            "2 ranks wait in MPI_Recv, from rank 10, and ranks 0-1 have messages that they do not ask for: 0-1\n");
  group.ranks = group.with_unexpected = {{4, 4}};
  EXPECT_EQ(group_text(group, {}, false),
            "rank 4 waits in MPI_Recv, from rank 10, and has messages that it does not ask for\n");
}

}  // namespace
}  // namespace weft::tools::weft_tool
