// Workloads: what is refused, and what a file keeps of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <sstream>
#include <string>

#include "sim/actions_file.hpp"
#include "sim/pairing.hpp"
#include "sim/template_builder.hpp"

namespace weft::sim::test {
namespace {

using testing::HasSubstr;

// Has something of everything.
Workload sample() {
  Workload workload;
  workload.phases = {"stress", "velocity"};
  workload.comms.push_back({.first_member = 0, .members = 2});
  workload.members = {2, 0};
  workload.counts = {1, 2, 3};
  workload.calls = {{.kind = CollectiveKind::allreduce, .element = 8},
                    {.kind = CollectiveKind::gather, .varies = 1, .root = 2, .counts = 3},
                    {.kind = CollectiveKind::barrier, .comm = 1, .root = 1}};
  TemplateBuilder builder(workload);
  builder.loop(2).phase(1).compute(1, 1, WorkDetail::listed).loop(3);
  builder.isend({.peer = Peer::offset(1), .bytes = 10}, 1).wait(1).end_loop();
  builder.migrate(100, kMayMove | kLoadListed).collective(0, 64).end_loop();
  builder.finish();
  builder.loop(6).recv({.peer = Peer::offset(-1), .bytes = 10}).end_loop().collective(0, 64).collective(0, 64).finish();
  builder.collective(0, 64).collective(0, 64).finish();
  workload.streams = {{.pattern = 0, .values = 4}, {.pattern = 1}, {.pattern = 2, .scale = 0.5}};
  workload.values = {1, 2, 3, 4};
  return workload;
}

std::string file_of(const Workload& workload) {
  std::ostringstream out;
  write_actions(workload, out);
  return out.str();
}

std::string refusal_of(const std::string& file) {
  try {
    std::istringstream in(file);
    read_actions(in, "run.actions");
  } catch (const WorkloadError& error) {
    return error.what();
  }
  return "";
}

TEST(ActionsFile, IsReadAsItWasWritten) {
  const Workload workload = sample();
  std::istringstream in(file_of(workload));
  EXPECT_EQ(read_actions(in, "run.actions"), workload);
}

TEST(ActionsFile, IsRefusedInOneLineWhereverItIsCut) {
  const std::string file = file_of(sample());
  for (std::size_t length = 0; length < file.size(); ++length) {
    const std::string refusal = refusal_of(file.substr(0, length));
    EXPECT_EQ(refusal, "run.actions: the file ends too early: it was cut") << length;
  }
  EXPECT_THAT(refusal_of(file + "x"), HasSubstr("there is something after its end"));
}

TEST(ActionsFile, IsRefusedWhateverByteWasChanged) {
  const std::string file = file_of(sample());
  for (std::size_t at = 0; at < file.size(); ++at) {
    std::string changed = file;
    changed[at] = static_cast<char>(changed[at] ^ 0x40);
    const std::string refusal = refusal_of(changed);
    EXPECT_THAT(refusal, testing::StartsWith("run.actions: ")) << at;
    EXPECT_EQ(refusal.find('\n'), std::string::npos);
  }
}

TEST(ActionsFile, OfAnotherProgramOrVersionIsRefused) {
  EXPECT_EQ(refusal_of(std::string(100, '{')), "run.actions: not a file of actions");
  std::string file = file_of(sample());
  file[8] = 9;
  EXPECT_EQ(refusal_of(file), "run.actions: version 9 with 10 sections; this program reads version 1 with 10");
  EXPECT_THROW(read_actions("/nowhere/run.actions"), WorkloadError);
}

struct Change {
  const char* refusal;
  std::function<void(Workload&)> make;
};

class Refused : public testing::TestWithParam<Change> {};
INSTANTIATE_TEST_SUITE_P(
    Changes, Refused,
    testing::Values(
        Change{"no ranks", [](Workload& w) { w.streams.clear(); }},
        Change{"a loop happens at least once", [](Workload& w) { w.actions[0].value = 0; }},
        Change{"a loop happens at least once", [](Workload& w) { w.actions[0].value = std::uint64_t{1} << 30; }},
        Change{"loops nest by level", [](Workload& w) { w.actions[0].request = 1; }},
        Change{"not this loop's end", [](Workload& w) { w.actions[6].index = 0; }},
        Change{"no such kind of work", [](Workload& w) { w.actions[2].detail = 2; }},
        Change{"work is seconds", [](Workload& w) { w.actions[2].value = ~std::uint64_t{0}; }},
        Change{"no such channel", [](Workload& w) { w.actions[4].index = 1; }},
        Change{"the channel's other end", [](Workload& w) { w.actions[4].kind = ActionKind::irecv; }},
        Change{"no such request slot", [](Workload& w) { w.actions[4].request = 2; }},
        Change{"no such request slots", [](Workload& w) { w.actions[5].index = 2; }},
        Change{"no such request slot", [](Workload& w) { w.actions[8].request = 2; }},
        Change{"a persistent call without a request", [](Workload& w) { w.actions[8].detail = 1; }},
        Change{"no such collective call", [](Workload& w) { w.actions[8].index = 3; }},
        Change{"no such kind of action", [](Workload& w) { w.actions[1].kind = ActionKind{77}; }},
        Change{"ends before the template does", [](Workload& w) { w.actions[1].kind = ActionKind::stop; }},
        Change{"a channel of no kind", [](Workload& w) { w.channels[0].addressing = Addressing{2}; }},
        Change{"template 2 ends at", [](Workload& w) { w.templates[2].actions = 99; }},
        Change{"rank 0 has 3 values and uses 4", [](Workload& w) { w.streams[0].values = 3; }},
        Change{"the list of rank 0 ends at", [](Workload& w) { w.streams[0].first_value = 1; }},
        Change{"rank 1 has template 3", [](Workload& w) { w.streams[1].pattern = 3; }},
        Change{"in the list of works", [](Workload& w) { w.values[0] = -1; }},
        Change{"collective call 1 of 3 members has root 3", [](Workload& w) { w.calls[1].root = 3; }},
        Change{"collective call 0 is of no kind", [](Workload& w) { w.calls[0].kind = CollectiveKind{12}; }},
        Change{"has counts, but is not marked", [](Workload& w) { w.calls[1].varies = 0; }},
        Change{"a communicator has rank 3 of 3", [](Workload& w) { w.members[0] = 3; }}));

TEST_P(Refused, InOneLine) {
  Workload workload = sample();
  check_workload(workload);
  GetParam().make(workload);
  try {
    check_workload(workload);
    FAIL() << GetParam().refusal;
  } catch (const WorkloadError& error) {
    EXPECT_THAT(error.what(), HasSubstr(GetParam().refusal));
  }
}

TEST(Workload, LoopsAreCountedWrittenOut) {
  // 2 (phase, compute, migrate, collective) + 6 (isend, wait); 6 receives and 2 calls; 2 calls.
  EXPECT_EQ(expanded_actions(sample()), 2U * 4 + 6 * 2 + 6 + 2 + 2);
}

TEST(Pairing, JoinsTheTwoEndsOfAChannel) {
  const Workload workload = sample();
  const Pairing pairing = pair_channels(workload);
  EXPECT_EQ(pairing.channels, 1U);
  EXPECT_EQ(pairing.number, (std::vector<std::uint32_t>{0, 0}));
}

std::string refusal_of_pairs(const Workload& workload) {
  try {
    pair_channels(workload);
  } catch (const WorkloadError& error) {
    return error.what();
  }
  return "";
}

TEST(Pairing, NamesRanksThatDisagree) {
  Workload workload = sample();
  workload.actions[3].value = 4;
  EXPECT_EQ(refusal_of_pairs(workload), "rank 0 sends 8 messages with tag 0 in context 0 to rank 1, which receives 6");
  workload = sample();
  workload.channels[0].tag = 5;
  EXPECT_EQ(refusal_of_pairs(workload), "rank 0 sends 6 messages with tag 5 in context 0 to rank 1, which receives 0");
  workload = sample();
  workload.channels[0].peer = -1;
  EXPECT_EQ(refusal_of_pairs(workload), "rank 0 sends to rank -1 of 3");
  workload = sample();
  workload.streams[0].pattern = 2;
  EXPECT_EQ(refusal_of_pairs(workload),
            "rank 1 receives messages with tag 0 in context 0 from rank 0, which sends none");
}

}  // namespace
}  // namespace weft::sim::test
