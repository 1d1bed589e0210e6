// The table of --collectives: its syntax, and which entry is the nearest to a call.
#include "mpi_shim/coll/tuning/choice_table.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "mpi_shim/coll/tuning/table_in_use.hpp"
#include "mpi_shim/coll/tuning/tuner.hpp"

namespace weft::mpi_shim {
namespace {

using testing::HasSubstr;
using enum Algorithm;

std::string table_of(const std::string& measured) {
  return R"({"weft collectives": 1, "measured": [)" + measured + "]}";
}

std::string at(const std::string& place, const std::string& collectives) {
  return R"({"where": "process", "ranks": 8, "workers": 2, "processes": 1, "collectives": {)" + collectives + "}}" +
         place;
}

std::string complaint(const std::string& text) {
  try {
    parse_choices(text);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "none";
}

TEST(ChoiceTable, ReadsWhatItWrites) {
  MeasuredChoices one{CallForm::several_processes, 8, 4, 2, {}};
  one.rows[Collective::allreduce] = {{8, recursive_doubling, {{binomial, 3.25}, {recursive_doubling, 2.5}}},
                                     {1048576, reduce_scatter_allgather, {}}};
  one.rows[Collective::barrier] = {{0, binomial, {}}};
  const MeasuredChoices two{CallForm::with_request, 3, 1, 1, {}};
  const std::vector<MeasuredChoices> all = parse_choices(render_choices({one, two}));
  ASSERT_EQ(all.size(), 2U);
  EXPECT_TRUE(all[0].same_place(one));
  EXPECT_TRUE(all[1].same_place(two));
  const auto& rows = all[0].rows.at(Collective::allreduce);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].bytes, 8U);
  EXPECT_EQ(rows[0].algorithm, recursive_doubling);
  EXPECT_EQ(rows[0].microseconds, one.rows[Collective::allreduce][0].microseconds);
  EXPECT_EQ(rows[1].algorithm, reduce_scatter_allgather);
  EXPECT_EQ(all[0].rows.at(Collective::barrier)[0].algorithm, binomial);
  EXPECT_TRUE(all[1].rows.empty());
  EXPECT_TRUE(parse_choices(render_choices({})).empty());
}

TEST(ChoiceTable, SaysInOneLineWhereATextIsWrong) {
  const std::pair<std::string, std::string> bad[] = {
      {"", "it is not JSON: parse error at line 1"},
      {"{\"weft\n", "it is not JSON"},
      {"[1, 2]", "it is no table of --tune"},
      {"{}", "there is no \"weft collectives\""},
      {R"({"weft collectives": 7, "measured": []})", "it is a table of version 7, not 1"},
      {R"({"weft collectives": 1})", "there is no \"measured\""},
      {R"({"weft collectives": 1, "measured": 3})", "measured: expected a list"},
      {table_of("5"), "measured[0]: expected an object"},
      {table_of(R"({"where": "home"})"), "measured[0]: \"where\" is 'home'; expected process, processes or request"},
      {table_of(R"({"where": 5})"), "measured[0]: \"where\" is 5; expected a name"},
      {table_of(R"({"where": "process"})"), "measured[0]: there is no \"ranks\""},
      {table_of(R"({"where": "process", "ranks": 0})"), "\"ranks\" is 0; expected a whole number from 1 on"},
      {table_of(R"({"where": "process", "ranks": -4})"), "\"ranks\" is -4; expected"},
      {table_of(R"({"where": "process", "ranks": 1e99})"), "\"ranks\" is 1e+99; expected"},
      {table_of(at("", "") + "," + at("", "")), "measured[1]: the same place is there twice"},
      {table_of(at("", R"("allsum": [])")), "measured[0].collectives: 'allsum' is no collective with a choice"},
      {table_of(at("", R"("bcast": {})")), "measured[0].collectives.bcast: expected a list"},
      {table_of(at("", R"("bcast": [{"algorithm": "binomial"}])")), "collectives.bcast[0]: there is no \"bytes\""},
      {table_of(at("", R"("bcast": [{"bytes": "8", "algorithm": "binomial"}])")), "\"bytes\" is \"8\"; expected"},
      {table_of(at("", R"("bcast": [{"bytes": 8, "algorithm": "meeting"}])")),
       "bcast[0]: 'meeting' is now called 'in_memory': rename it there"},
      {table_of(at("", R"("reduce": [{"bytes": 8, "algorithm": "shared"}])")),
       "reduce[0]: 'shared' is now called 'in_memory_split': rename it there"},
      {table_of(at("", R"("bcast": [{"bytes": 8, "algorithm": "tree"}])")),
       "bcast[0]: 'tree' is now called 'binomial': rename it there"},
      {table_of(at("", R"("bcast": [{"bytes": 8, "algorithm": "pieces"}])")),
       "bcast[0]: 'pieces' is now called 'pipelined': rename it there"},
      {table_of(at("", R"("gather": [{"bytes": 8, "algorithm": "straight"}])")),
       "gather[0]: 'straight' is now called 'linear': rename it there"},
      {table_of(at("", R"("reduce": [{"bytes": 8, "algorithm": "parts"}])")),
       "reduce[0]: 'parts' is now called 'reduce_scatter_allgather': rename it there"},
      {table_of(at("", R"("allreduce": [{"bytes": 8, "algorithm": "doubling"}])")),
       "allreduce[0]: 'doubling' is now called 'recursive_doubling': rename it there"},
      {table_of(at("", R"("barrier": [{"bytes": 8, "algorithm": "appointment"}])")),
       "barrier[0]: 'appointment' is now called 'deferred': rename it there"},
      {table_of(at("", R"("bcast": [{"bytes": 8, "algorithm": "ring"}])")),
       "bcast[0]: 'ring' is no algorithm of bcast there (there are in_memory, binomial, pipelined)"},
      {table_of(at("", R"("bcast": [{"bytes": 8, "algorithm": "best"}])")), "'best' is no algorithm of bcast"},
      {table_of(at("", R"("bcast": [{"bytes": 8, "algorithm": "binomial"}, {"bytes": 8, "algorithm": "in_memory"}])")),
       "measured[0].collectives.bcast: 8 bytes are there twice"},
  };
  for (const auto& [text, expected] : bad) {
    const std::string found = complaint(text);
    EXPECT_THAT(found, HasSubstr(expected)) << text;
    EXPECT_EQ(found.find('\n'), std::string::npos) << found;
  }
}

MeasuredChoices of_bcast(std::uint32_t ranks, std::uint32_t workers, std::vector<MeasuredChoices::Row> rows) {
  MeasuredChoices measured{CallForm::one_process, ranks, workers, 1, {}};
  measured.rows[Collective::bcast] = std::move(rows);
  return measured;
}

TEST(ChoiceTable, TakesTheNearestSize) {
  const ChoiceTable table({of_bcast(8, 1, {{8, in_memory, {}}, {128, binomial, {}}, {8192, pipelined, {}}})}, 1, 1);
  const auto find = [&](std::uint64_t bytes) { return table.find(CallForm::one_process, Collective::bcast, 8, bytes); };
  EXPECT_EQ(find(0), in_memory);
  EXPECT_EQ(find(8), in_memory);
  EXPECT_EQ(find(32), in_memory);  // the geometric middle
  EXPECT_EQ(find(33), binomial);
  EXPECT_EQ(find(1024), binomial);
  EXPECT_EQ(find(1025), pipelined);
  EXPECT_EQ(find(std::uint64_t{1} << 50), pipelined);
  EXPECT_EQ(table.find(CallForm::one_process, Collective::barrier, 8, 0), std::nullopt);
  EXPECT_EQ(table.find(CallForm::with_request, Collective::bcast, 8, 8), std::nullopt);
}

TEST(ChoiceTable, TakesTheNearestNumberOfRanksThenTheNearestShape) {
  const std::vector<MeasuredChoices> all{of_bcast(64, 1, {{8, pipelined, {}}}), of_bcast(4, 16, {{8, binomial, {}}}),
                                         of_bcast(4, 2, {{8, in_memory, {}}})};
  const auto find = [&](std::uint32_t ranks, std::uint32_t workers) {
    return ChoiceTable(all, workers, 1).find(CallForm::one_process, Collective::bcast, ranks, 8);
  };
  EXPECT_EQ(find(2, 1), in_memory);
  EXPECT_EQ(find(16, 4), in_memory);
  EXPECT_EQ(find(16, 8), binomial);
  EXPECT_EQ(find(17, 2), pipelined);
  EXPECT_EQ(find(1000, 16), pipelined);
}

TEST(ChoiceTable, AnEmptyOneSaysNothing) {
  EXPECT_EQ(ChoiceTable({}, 1, 1).find(CallForm::one_process, Collective::bcast, 8, 8), std::nullopt);
  EXPECT_EQ(ChoiceTable({of_bcast(8, 1, {})}, 1, 1).find(CallForm::one_process, Collective::bcast, 8, 8), std::nullopt);
}

TEST(ChoiceTable, MeasuringAgainReplacesTheSamePlaceOnly) {
  const auto all = merged({of_bcast(8, 1, {{8, binomial, {}}}), of_bcast(4, 1, {{8, binomial, {}}})},
                          {of_bcast(8, 1, {{8, in_memory, {}}})});
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].ranks, 4U);
  EXPECT_EQ(all[1].rows.at(Collective::bcast)[0].algorithm, in_memory);
}

TEST(ChoiceTable, NamesTheFile) {
  const std::string file = testing::TempDir() + "choices_" + std::to_string(getpid()) + ".json";
  const auto complaint_of = [](const auto& call) -> std::string {
    try {
      call();
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_EQ(complaint_of([&] { TableInUse(file, 1, nullptr); }),
            "--collectives: " + file + ": cannot be read: No such file or directory");
  EXPECT_TRUE(known_choices(file).empty());  // makes it
  write_choices(file, {of_bcast(8, 1, {{8, binomial, {}}})});
  EXPECT_EQ(known_choices(file).size(), 1U);
  {
    const TableInUse table(file, 1, nullptr);
    EXPECT_FALSE(choices_are_built_in);
    EXPECT_EQ(choice_sources.table->find(CallForm::one_process, Collective::bcast, 8, 8), binomial);
  }
  EXPECT_TRUE(choices_are_built_in);
  std::ofstream(file) << "no table";
  EXPECT_THAT(complaint_of([&] { known_choices(file); }), testing::StartsWith("--tune: " + file + ": it is not JSON"));
  EXPECT_EQ(complaint_of([] { known_choices("/nowhere/t.json"); }),
            "--tune: /nowhere/t.json: cannot be written: No such file or directory");
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace weft::mpi_shim
