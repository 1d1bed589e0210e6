#include "runtime/report/page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "made_up.hpp"

namespace weft::report {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Page, HoldsItsData) {
  const std::string page = report_page(two_workers(), one_move());
  EXPECT_THAT(page, testing::StartsWith("<!doctype html>"));
  EXPECT_THAT(page, HasSubstr(R"("strategy":"greedy","when":"every:1","ranks":4,"processOf":[0,1])"));
  EXPECT_THAT(page, HasSubstr(R"("load":[1,3],"contended":[0,0],"background":[0.25,0],"homes":[0,0,0,1])"));
  EXPECT_THAT(page, HasSubstr(R"("moves":1,"crossings":1,"bytes":3145728)"));
}

TEST(Page, HoldsPredictionsWithoutAnyStep) {
  History history;
  history.add(FinishPrediction{.at = 5, .left = 40.5, .spread = 0.25});
  history.add(FinishPrediction{.at = 10, .left = 36, .spread = 0.125});
  JobInfo job;
  job.strategy = "none";
  EXPECT_THAT(report_page(job, history), HasSubstr(R"("data":[],"predictions":[[5,40.5,0.25],[10,36,0.125]]})"));
  EXPECT_THAT(report_page(two_workers(), one_move()), HasSubstr(R"("predictions":[]})"));
}

TEST(Page, NeedsNothingElse) {
  const std::string page = report_page(two_workers(), one_move());
  EXPECT_THAT(page, Not(HasSubstr("http")));
  EXPECT_THAT(page, Not(HasSubstr("src=")));
  EXPECT_THAT(page, Not(HasSubstr("@import")));
}

TEST(Page, WordsCannotLeaveTheirPlace) {
  JobInfo job = two_workers();
  job.strategy = "a\"b\\</script>";
  EXPECT_THAT(report_page(job, one_move()), HasSubstr(R"("strategy":"a\"b\\\u003c/script>")"));
}

}  // namespace
}  // namespace weft::report
