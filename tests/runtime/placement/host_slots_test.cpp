#include "runtime/placement/host_slots.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/options.hpp"
#include "tests/runtime/placement/hosts_text.hpp"

namespace weft::placement {
namespace {

std::string file(const std::string& text) { return test::text_of(parse_hostfile(text, "hf")); }
std::string file_error(const std::string& text) {
  return test::error_of([&] { parse_hostfile(text, "hf"); });
}
std::string list(const std::vector<std::string>& words) { return test::text_of(parse_host_list(words)); }

TEST(HostLists, CountSlots) {
  EXPECT_EQ(list({"a"}), "a");
  EXPECT_EQ(list({"a:2", "b"}), "a:2 b");
  EXPECT_EQ(list({"a", "b", "a"}), "a:2 b:1");
  EXPECT_EQ(list({"a:2", "a"}), "a:3");
  EXPECT_EQ(list({"me@[::1]:2"}), "me@::1:2");
}

TEST(HostLists, RefuseWhatIsNoHost) {
  for (const char* const word : {"", ":2", "a:0", "a:x", "a b", "-oProxyCommand=x", "a:1:2"}) {
    EXPECT_THAT(test::error_of([&] { parse_host_list({word}); }), testing::StartsWith("--host: expected a host"))
        << word;
  }
  for (const char* const word : {"+n1", "+e2", "^a"}) {
    EXPECT_THAT(test::error_of([&] { parse_host_list({word}); }), testing::HasSubstr("relative and excluded")) << word;
  }
}

TEST(Hostfiles, AreThoseOfOpenMpiAndOfHydra) {
  EXPECT_EQ(file("a slots=2\nb slots=3\n"), "a:2 b:3");
  EXPECT_EQ(file("a:2\nb:3"), "a:2 b:3");
  EXPECT_EQ(file("# all\n\n  a\tslots = 2  # two\r\nb\n"), "a:2 b");
  EXPECT_EQ(file("a\na\nb\n"), "a:2 b:1");
  EXPECT_EQ(file("a count=2\nme@b cpu=1\n"), "a:2 me@b:1");
}

TEST(Hostfiles, NameTheLineThatIsWrong) {
  EXPECT_EQ(file_error("a\nb slots=0\n"), "--hostfile: hf:2: expected from 1 to 65536 slots, not '0'");
  EXPECT_EQ(file_error("a slots=two"), "--hostfile: hf:1: expected from 1 to 65536 slots, not 'two'");
  EXPECT_EQ(file_error("\n#\na max_slots=4\n"),
            "--hostfile: hf:3: 'max_slots' has no meaning here: expected HOST, HOST slots=N or HOST:N");
  EXPECT_EQ(file_error("a b\n"), "--hostfile: hf:1: 'b' has no meaning here: expected HOST, HOST slots=N or HOST:N");
  EXPECT_EQ(file_error("a:2 slots=2\n"), "--hostfile: hf:1: the slots of a are given twice");
  EXPECT_EQ(file_error("a/b\n"), "--hostfile: hf:1: expected a host's name, NAME:SLOTS or [ADDRESS]:SLOTS, not 'a/b'");
  EXPECT_EQ(file_error("# nothing\n"), "--hostfile: hf names no host");
}

TEST(Hostfiles, OfferHostsToChooseFrom) {
  const auto offered = parse_hostfile("a:4\nb:4\nc\n", "hf");
  const auto chosen = [&](const std::vector<std::string>& words) {
    return test::text_of(choose_hosts(offered, parse_host_list(words)));
  };
  EXPECT_EQ(chosen({"b"}), "b:4");
  EXPECT_EQ(chosen({"b:2", "a:1"}), "b:2 a:1");
  EXPECT_EQ(chosen({"c:8"}), "c:8");
  EXPECT_THAT(test::error_of([&] { chosen({"d"}); }), testing::HasSubstr("d is not among the hosts"));
  EXPECT_THAT(test::error_of([&] { chosen({"a:5"}); }), testing::HasSubstr("a has 4 slots"));
}

}  // namespace
}  // namespace weft::placement
