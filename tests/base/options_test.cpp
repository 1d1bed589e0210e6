#include "base/options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "base/options_text.hpp"

namespace weft::base {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::array kTable = {
    Option{"ranks", "n np", "T_RANKS", OptionKind::kInteger, "", "N", "How many ranks.", 1, 100},
    Option{"stack", "", "T_STACK", OptionKind::kSize, "8M", "BYTES", "Stack of a rank.", 1024, 1 << 30},
    Option{"lb", "", "T_LB", OptionKind::kChoice, "none", "NAME", "Strategy.", 0, 0, "none rotate greedy"},
    Option{"check", "", "T_CHECK", OptionKind::kFlag, "no", "", "Look for leaks."},
    Option{"bind", "", "T_BIND", OptionKind::kYesNo, "yes", "yes|no", "Bind workers."},
    Option{"share", "", "T_SHARE", OptionKind::kList, "", "LIB,...", "Shared libraries."},
    Option{"x", "", "", OptionKind::kRepeat, "", "VAR=VALUE", "Sets a variable."},
    Option{"genv", "", "", OptionKind::kPair, "", "VAR VALUE", "Sets a variable."},
    Option{"map-by", "", "", OptionKind::kIgnored, "", "X", "Nothing."},
    Option{"rankfile", "rf", "", OptionKind::kRefused, "", "", "--map-by."},
    Option{"", "", "T_HOME", OptionKind::kText, "", "DIR", "Where things are."},
};

struct Parsed {
  OptionValues values{kTable};
  std::vector<std::string> rest;
};

Parsed parse(std::initializer_list<const char*> arguments, std::initializer_list<const char*> environment = {}) {
  Parsed parsed;
  parsed.rest = parse_arguments(kTable, arguments, parsed.values);
  parse_environment(kTable, environment, "T_", parsed.values);
  return parsed;
}

std::string error_of(std::initializer_list<const char*> arguments,
                     std::initializer_list<const char*> environment = {}) {
  try {
    parse(arguments, environment);
  } catch (const OptionError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Options, HaveTheTablesDefaults) {
  const auto parsed = parse({});
  EXPECT_FALSE(parsed.values.given("ranks"));
  EXPECT_EQ(parsed.values.size("stack"), 8U << 20);
  EXPECT_EQ(parsed.values.text("lb"), "none");
  EXPECT_FALSE(parsed.values.flag("check"));
  EXPECT_TRUE(parsed.values.flag("bind"));
  EXPECT_TRUE(parsed.rest.empty());
}

TEST(Options, EverySpellingOfAnOptionMeansTheSame) {
  for (const auto& arguments : std::initializer_list<std::initializer_list<const char*>>{
           {"-n", "4"}, {"-n4"}, {"-np", "4"}, {"--np", "4"}, {"--ranks=4"}, {"-ranks", "4"}, {"--ranks", "4"}}) {
    EXPECT_EQ(parse(arguments).values.integer("ranks"), 4) << *arguments.begin();
  }
}

TEST(Options, ReadingStopsAtTheProgram) {
  EXPECT_THAT(parse({"-n", "2", "./app", "-n", "3"}).rest, ElementsAre("./app", "-n", "3"));
  EXPECT_THAT(parse({"--", "-app"}).rest, ElementsAre("-app"));
}

TEST(Options, AnArgumentWinsOverTheEnvironment) {
  const auto parsed = parse({"-n", "2"}, {"T_RANKS=5", "T_STACK=64K", "OTHER=1"});
  EXPECT_EQ(parsed.values.integer("ranks"), 2);
  EXPECT_EQ(parsed.values.size("stack"), 65536U);
  EXPECT_EQ(parsed.values.origin("stack"), OptionOrigin::kEnvironment);
}

TEST(Options, RepeatedValuesAreKeptInOrder) {
  const auto parsed = parse({"--share", "liba.so,libb.so", "--share=libc.so", "-x", "A=1,2", "-genv", "B", "3"});
  EXPECT_THAT(parsed.values.list("share"), ElementsAre("liba.so", "libb.so", "libc.so"));
  EXPECT_THAT(parsed.values.list("x"), ElementsAre("A=1,2"));
  EXPECT_THAT(parsed.values.list("genv"), ElementsAre("B=3"));
}

TEST(Options, AListWithoutNamesIsAnError) {
  EXPECT_EQ(error_of({"--share", ",,"}), "--share: expected names between commas, not ',,'");
  EXPECT_EQ(error_of({"--share="}), "--share: expected names between commas, not ''");
  EXPECT_EQ(error_of({}, {"T_SHARE=,"}), "T_SHARE: expected names between commas, not ','");
  EXPECT_THAT(parse({}, {"T_SHARE="}).values.list("share"), ElementsAre());
  EXPECT_THAT(parse({"--share", "a,,b"}).values.list("share"), ElementsAre("a", "b"));
}

TEST(Options, OtherLaunchersOptionsAreIgnoredAndRemembered) {
  const auto parsed = parse({"--map-by", "core", "./app"});
  EXPECT_THAT(parsed.values.ignored(), ElementsAre("--map-by"));
  EXPECT_THAT(parsed.rest, ElementsAre("./app"));
}

TEST(Options, OtherLaunchersOptionsAreRefusedByName) {
  EXPECT_EQ(error_of({"-rf", "file", "./app"}), "-rf is not an option here: --map-by.");
  EXPECT_EQ(error_of({"--rankfile=file"}), "--rankfile is not an option here: --map-by.");
}

TEST(Options, AnUnknownOptionSuggestsTheNearest) {
  EXPECT_THAT(error_of({"--rnaks", "3"}), HasSubstr("'--rnaks'; did you mean '--ranks'?"));
  EXPECT_THAT(error_of({"--shar"}), HasSubstr("did you mean '--share'?"));
  EXPECT_THAT(error_of({"--zzzzzzzzz"}), ::testing::Not(HasSubstr("did you mean")));
  EXPECT_THAT(error_of({"--foo"}), ::testing::Not(HasSubstr("did you mean"))) << "far from a letter";
}

TEST(Options, AnUnknownVariableSuggestsTheNearest) {
  EXPECT_THAT(error_of({}, {"T_RANK=4"}), HasSubstr("'T_RANK'; did you mean 'T_RANKS'?"));
}

TEST(Options, WrongValuesSayWhatWasExpected) {
  EXPECT_EQ(error_of({"-n", "many"}), "-n: expected a whole number, not 'many'");
  EXPECT_EQ(error_of({"-n", "101"}), "-n: expected a value from 1 to 100, not 101");
  EXPECT_EQ(error_of({"--ranks"}), "--ranks: a value is missing");
  EXPECT_EQ(error_of({"--lb=gredy"}), "--lb: 'gredy' is not one of: none rotate greedy; did you mean 'greedy'?");
  EXPECT_THAT(error_of({"--stack", "8Q"}), HasSubstr("expected a size"));
  EXPECT_EQ(error_of({}, {"T_BIND=maybe"}), "T_BIND: expected yes or no, not 'maybe'");
}

TEST(Sizes, KnowTheirSuffixes) {
  EXPECT_EQ(parse_size("0"), 0U);
  EXPECT_EQ(parse_size("64"), 64U);
  EXPECT_EQ(parse_size("3k"), 3072U);
  EXPECT_EQ(parse_size("2MiB"), 2U << 20);
  EXPECT_EQ(parse_size("1T"), std::uint64_t{1} << 40);
  for (const auto* wrong : {"", "K", "-1", "1.5M", "8MX", "99999999999999999999", "16777216T"}) {
    EXPECT_THROW(parse_size(wrong), OptionError) << wrong;
  }
}

TEST(EditDistance, CountsEdits) {
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("ranks", "ranks"), 0U);
  EXPECT_EQ(edit_distance("rnaks", "ranks"), 1U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
}

TEST(OptionTexts, NameEveryShownOption) {
  const CommandText command{"tool", "does things", "[options] program", "It does.", "tool -n 2 x", "1.0"};
  for (const auto& text : {render_help(command, kTable), render_markdown(command, kTable)}) {
    EXPECT_THAT(text, HasSubstr("-n, -np, --ranks N"));
    EXPECT_THAT(text, HasSubstr("T_STACK"));
    EXPECT_THAT(text, HasSubstr("T_HOME"));
    EXPECT_THAT(text, HasSubstr("map-by"));
  }
  EXPECT_THAT(render_man(command, kTable), HasSubstr("\\-\\-ranks N"));
}

TEST(OptionTexts, HaveTheManualPagesFurtherSections) {
  const CommandText command{.name = "tool",
                            .summary = "does it",
                            .usage = "",
                            .details = "",
                            .examples = "",
                            .version = "1",
                            .sections = "=SIGNALS\nSIG-X\tends it\n.so it is\n"};
  EXPECT_THAT(render_man(command, kTable), HasSubstr(".SH SIGNALS\n.TP\n.B SIG\\-X\nends it\n.PP\n\\&.so it is\n"));
}

}  // namespace
}  // namespace weft::base
