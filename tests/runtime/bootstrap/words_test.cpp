// Text sent over connections and into shells: hosts, addresses, PMI-1 words.
#include <sys/socket.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/host_name.hpp"
#include "runtime/bootstrap/bootstrap.hpp"
#include "runtime/bootstrap/frame.hpp"
#include "runtime/bootstrap/hosts.hpp"
#include "runtime/bootstrap/launcher_address.hpp"
#include "runtime/bootstrap/launcher_port.hpp"
#include "runtime/bootstrap/pmi1.hpp"
#include "runtime/bootstrap/process_locations.hpp"
#include "tests/runtime/bootstrap/run_program.hpp"

namespace weft::bootstrap {
namespace {

using testing::ElementsAre;

TEST(Hosts, SpreadAsTheWordsSay) {
  EXPECT_THAT(spread_over_hosts({"a", "b:2"}, 0), ElementsAre("a", "b", "b"));
  EXPECT_THAT(spread_over_hosts({"a", "b:2"}, 2), ElementsAre("a", "b"));
  EXPECT_THAT(spread_over_hosts({"a", "b:2"}, 5), ElementsAre("a", "a", "b", "b", "b"));
  EXPECT_THAT(spread_over_hosts({}, 2), ElementsAre("localhost", "localhost"));
  EXPECT_THAT(spread_over_hosts({}, 0), ElementsAre("localhost"));
}

TEST(Hosts, RefuseWrongCounts) {
  for (const char* word : {"a:", "a:0", "a:x", "a:1x", "a:-1", "a:+1", "a:99999999", "localhost:1:2", "a:b:2", "g::2",
                           "[a]:2", "[::1]:0", "[::1", "::1]", "me@fe80::x"}) {
    EXPECT_THROW(spread_over_hosts({word}, 0), std::runtime_error) << word;
  }
}

TEST(Hosts, MayBeAddressesOfIPv6) {
  EXPECT_THAT(spread_over_hosts({"::1", "me@fe80::1%eth0"}, 0), ElementsAre("::1", "me@fe80::1%eth0"));
  EXPECT_THAT(spread_over_hosts({"[::1]:2", "me@[fe80::1]"}, 0), ElementsAre("::1", "::1", "me@fe80::1"));
}

TEST(Hosts, AreNamesAndNeverOptions) {
  for (const char* word : {"a", "node-1.cluster", "my_alias", "me@node:2", "10.0.0.1", "[fe80::1%eth0]:2", "fe80::1"}) {
    EXPECT_NO_THROW(spread_over_hosts({word}, 0)) << word;
  }
  for (const char* word : {"-oProxyCommand=touch x", "-oProxyCommand=x:2", "-F", "a@-F", "@a", "a@", ":2", ":", "",
                           "a b", "a;b", "a$(b)", "a/b", "a=b", "a\n", "\x1b[2J", "b\xc3\xa4r"}) {
    EXPECT_THROW(spread_over_hosts({word}, 0), std::runtime_error) << word;
  }
}

TEST(Hosts, ThisOneHasSeveralNames) {
  EXPECT_TRUE(is_this_host("localhost"));
  EXPECT_TRUE(is_this_host(base::host_name()));
  EXPECT_FALSE(is_this_host("some-other-host"));
}

TEST(AgentCommand, HasTheHostWhereItsWordsSayOrLast) {
  EXPECT_THAT(agent_command("ssh -q", "a"), ElementsAre("ssh", "-q", "a"));
  EXPECT_THAT(agent_command("srun --nodelist=%h sh -c", "a"), ElementsAre("srun", "--nodelist=a", "sh", "-c"));
  EXPECT_THAT(agent_command("x %h,%h", "fe80::1%hsn0"), ElementsAre("x", "fe80::1%hsn0,fe80::1%hsn0"));
}

TEST(RemoteLine, PassesAnyWordThroughTheShell) {
  const std::string odd = "it's $HOME \"x\" \\ `y`\n*";
  const RemoteStart start{"/", {"ODD=" + odd}, {"/bin/sh", "-c", R"(printf '%s|%s|' "$ODD" "$1"; cat)", "x", odd}};
  const auto run = test::run_program({"sh", "-c", remote_line(start)}, "the input\n");
  EXPECT_EQ(run.output, odd + "|" + odd + "|the input\n");
  EXPECT_EQ(run.code, 0);
}

TEST(LauncherAddress, ComesBackAsItWas) {
  const auto back = parse_launcher_address(to_text(LauncherAddress{3, 8, 5, -1}));
  EXPECT_EQ(back.process, 3U);
  EXPECT_EQ(back.processes, 8U);
  EXPECT_EQ(back.fd, 5);
  EXPECT_EQ(back.notices_fd, -1);
  EXPECT_THROW(parse_launcher_address("x"), std::runtime_error);
  EXPECT_THROW(parse_launcher_address("0:2:"), std::runtime_error);
}

TEST(LauncherPort, ComesBackAsItWas) {
  const LauncherPort one{2, 4711, new_secret(), {"10.0.0.1", "fe80::1"}};
  const auto back = parse_launcher_port(to_text(one));
  EXPECT_EQ(back.host, 2U);
  EXPECT_EQ(back.port, 4711);
  EXPECT_EQ(back.secret, one.secret);
  EXPECT_EQ(back.addresses, one.addresses);
  EXPECT_THROW(parse_launcher_port("0:x"), std::runtime_error);
}

TEST(Secrets, AreLongAndDiffer) {
  const auto one = new_secret();
  EXPECT_EQ(one.size(), 32U);
  EXPECT_TRUE(equal_secrets(one, std::string(one)));
  EXPECT_FALSE(equal_secrets(one, new_secret()));
  EXPECT_FALSE(equal_secrets(one, one.substr(1)));
  EXPECT_FALSE(equal_secrets(one, ""));
}

std::string mask_text(const std::vector<unsigned long>& words) { return core_mask_text(words); }

TEST(CoreMasks, DifferWhereTheCoresDo) {
  EXPECT_EQ(mask_text({0xf, 0, 0}), "f");
  EXPECT_EQ(mask_text({0xf0, 0, 0}), "f0");
  EXPECT_EQ(mask_text({0x100}), "100");
  EXPECT_EQ(mask_text({0, 0x10, 0}), "0 10");
  EXPECT_EQ(mask_text({0, 0}), "");
}

TEST(Pmi1Words, CarryAnyBytes) {
  for (const std::size_t bytes : {0U, 1U, 43U, 44U, 45U, 94U, 95U, 1000U}) {
    std::string value(bytes, '\0');
    for (std::size_t i = 0; i < bytes; ++i) {
      value[i] = static_cast<char>(i * 37);
    }
    const auto words = cut_into_words(value, 100);
    EXPECT_EQ(count_pieces(words.front()), words.size()) << bytes;
    for (const auto& word : words) {
      EXPECT_LE(word.size(), 100U);
      EXPECT_EQ(word.find_first_not_of("0123456789abcdefx"), std::string::npos);
    }
    EXPECT_EQ(join_words(words), value) << bytes;
  }
}

TEST(SingleProcess, SeesItsOwnValuesAfterTheFence) {
  const auto job = connect();
  EXPECT_EQ(job->processes(), 1U);
  job->put("key", std::string("a\0b", 3));
  EXPECT_THROW(job->get(ProcessId{0}, "key"), std::runtime_error);
  job->fence();
  EXPECT_EQ(job->get(ProcessId{0}, "key"), std::string("a\0b", 3));
  EXPECT_THROW(job->get(ProcessId{0}, "other"), std::runtime_error);
  EXPECT_THROW(job->get(ProcessId{1}, "key"), std::runtime_error);
}

TEST(FrameStream, SaysWhatIsNoFrame) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
  FrameStream stream(ends[0]);
  constexpr std::array<std::uint32_t, 4> kHead{99, 0, 1, 2};
  ASSERT_EQ(::write(ends[1], kHead.data(), sizeof kHead), static_cast<ssize_t>(sizeof kHead));
  EXPECT_TRUE(stream.receive());
  EXPECT_THAT([&] { stream.next(); },
              testing::ThrowsMessage<std::runtime_error>("found a message of kind 99 and 3 bytes, expected one of "
                                                         "Weft's: use one version of Weft on all hosts"));
  ::close(ends[1]);
}

}  // namespace
}  // namespace weft::bootstrap
