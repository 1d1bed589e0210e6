#include "runtime/placement/batch_allocation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/runtime/placement/hosts_text.hpp"

namespace weft::placement {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Texts = std::map<std::string, std::string>;

std::string allocated(const Texts& variables, const Texts& files = {}) {
  const auto look_up = [](const Texts& texts) {
    return [&texts](const std::string& name) {
      const auto found = texts.find(name);
      return found == texts.end() ? std::nullopt : std::optional(found->second);
    };
  };
  const auto found = find_allocation({.variable = look_up(variables), .file = look_up(files)});
  return found ? std::string(found->system) + " " + test::text_of(found->hosts) : "nothing";
}

std::string allocation_error(const Texts& variables, const Texts& files = {}) {
  return test::error_of([&] { allocated(variables, files); });
}

TEST(BatchAllocation, IsNothingWithoutABatchSystem) {
  EXPECT_EQ(allocated({}), "nothing");
  EXPECT_EQ(allocated({{"SLURM_JOB_NODELIST", ""}, {"PBS_NODEFILE", ""}}), "nothing");
}

TEST(BatchAllocation, OfSlurm) {
  EXPECT_EQ(allocated({{"SLURM_JOB_NODELIST", "n[1-2]"}}), "Slurm n1 n2");
  EXPECT_EQ(allocated({{"SLURM_JOB_NODELIST", "n[1-3]"}, {"SLURM_TASKS_PER_NODE", "4(x2),1"}}), "Slurm n1:4 n2:4 n3:1");
  EXPECT_EQ(allocated({{"SLURM_JOB_NODELIST", "a,b"}, {"SLURM_TASKS_PER_NODE", "2,1"}, {"SLURM_CPUS_PER_TASK", "8"}}),
            "Slurm a:16 b:8");
  EXPECT_THAT(allocation_error({{"SLURM_JOB_NODELIST", "a,b"}, {"SLURM_TASKS_PER_NODE", "2"}}),
              HasSubstr("SLURM_TASKS_PER_NODE: expected a number for each of 2 hosts, not '2'"));
  EXPECT_THAT(allocation_error({{"SLURM_JOB_NODELIST", "a"}, {"SLURM_TASKS_PER_NODE", "x"}}),
              HasSubstr("expected numbers such as 2(x3),1"));
}

TEST(BatchAllocation, ExpandsSlurmsLists) {
  EXPECT_THAT(expand_nodelist("a[01-03,7],b"), ElementsAre("a01", "a02", "a03", "a7", "b"));
  EXPECT_THAT(expand_nodelist("r[1-2]n[8-10].x"),
              ElementsAre("r1n8.x", "r1n9.x", "r1n10.x", "r2n8.x", "r2n9.x", "r2n10.x"));
  EXPECT_THAT(expand_nodelist("n[098-101]"), ElementsAre("n098", "n099", "n100", "n101"));
  EXPECT_THAT(expand_nodelist("n[4294967294-4294967295]"), ElementsAre("n4294967294", "n4294967295"));
  for (const char* const wrong :
       {"n[1-", "n[3-1]", "n[a-b]", "n[1-99999999]", "n[1-300][1-300]", "n[1-65000][1-65000]", "n[1-65536],m"}) {
    EXPECT_THAT(test::error_of([&] { expand_nodelist(wrong); }), HasSubstr("SLURM_JOB_NODELIST")) << wrong;
  }
  EXPECT_THAT(expand_counts("2(x3),1"), ElementsAre(2, 2, 2, 1));
}

TEST(BatchAllocation, OfPbs) {
  EXPECT_EQ(allocated({{"PBS_NODEFILE", "f"}}, {{"f", "a\na\nb\na\n"}}), "PBS a:3 b:1");
  EXPECT_THAT(allocation_error({{"PBS_NODEFILE", "f"}}),
              HasSubstr("PBS_NODEFILE: expected a file that can be read, not 'f'"));
  EXPECT_THAT(allocation_error({{"PBS_NODEFILE", "f"}}, {{"f", "\n"}}), HasSubstr("expected at least one host"));
}

TEST(BatchAllocation, OfLsf) {
  EXPECT_EQ(allocated({{"LSB_MCPU_HOSTS", "a 2 b 3"}}), "LSF a:2 b:3");
  EXPECT_EQ(allocated({{"LSB_DJOB_HOSTFILE", "f"}}, {{"f", "a\nb\nb\n"}}), "LSF a:1 b:2");
  EXPECT_THAT(allocation_error({{"LSB_MCPU_HOSTS", "a 2 b"}}), HasSubstr("hosts and numbers in turn"));
}

TEST(BatchAllocation, OfSge) {
  EXPECT_EQ(allocated({{"PE_HOSTFILE", "f"}}, {{"f", "a 2 all.q@a <NULL>\nb 1 all.q@b UNDEFINED\n"}}), "SGE a:2 b:1");
  EXPECT_THAT(allocation_error({{"PE_HOSTFILE", "f"}}, {{"f", "a\n"}}),
              HasSubstr("PE_HOSTFILE: expected lines HOST SLOTS"));
}

}  // namespace
}  // namespace weft::placement
