// Runs a function as every rank of a job and asserts that nothing is left behind.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/job/job.hpp"
#include "runtime/sync/team.hpp"

namespace weft::runtime {

// Every test of the fixture runs at each of these settings.
struct Setting {
  std::uint32_t workers;
  std::string lb;
};

inline void PrintTo(const Setting& setting, std::ostream* out) {
  *out << setting.workers << " workers, " << setting.lb;
}

inline std::string name_of(const testing::TestParamInfo<Setting>& info) {
  return std::to_string(info.param.workers) + "_workers_" + info.param.lb;
}

// Gives every rank, as its first team, that of all ranks.
class Everyone final : public UpperLayer {
 public:
  void begin(Rank& me) override {
    const std::lock_guard lock(mutex_);
    if (team_ == nullptr) {
      std::vector<Rank*> all;
      for (std::uint32_t r = 0; r < me.job.rank_count(); ++r) {
        all.push_back(&me.job.rank(r));
      }
      team_ = me.job.make_team(all);
    }
    me.teams.push_back(team_.get());
  }
  void end(Rank& me, int /*exit_code*/) override { me.teams.clear(); }
  std::optional<std::int32_t> program_tag(const MatchKey& key) const override { return key.tag; }
  std::string context_name(const Rank& /*rank*/, std::uint32_t context) const override {
    return "context " + std::to_string(context);
  }

 private:
  std::mutex mutex_;
  std::unique_ptr<Team> team_;
};

class JobTest : public testing::TestWithParam<Setting> {
 protected:
  // `before`, if any: what to do with the job before it runs.
  int run(std::uint32_t ranks, const std::function<int(Rank&)>& body, JobConfig config = {},
          const std::function<void(Job&)>& before = nullptr) {
    FunctionProgram program(body);
    config.ranks = ranks;
    config.workers = GetParam().workers;
    config.lb = GetParam().lb;
    Everyone everyone;
    Job job(config, program, &everyone);
    if (before) {
      before(job);
    }
    const int code = job.run();
    for (std::uint32_t r = 0; r < ranks; ++r) {
      EXPECT_EQ(job.rank(r).state, Rank::State::ended) << "rank " << r;
      EXPECT_EQ(job.rank(r).mailbox.unexpected(), 0U) << "rank " << r;
      EXPECT_EQ(job.rank(r).mailbox.posted(), 0U) << "rank " << r;
    }
    return code;
  }
};

inline const auto kSettings = testing::Values(Setting{1, "none"}, Setting{2, "none"}, Setting{4, "none"},
                                              Setting{2, "rotate"}, Setting{4, "rotate"});

}  // namespace weft::runtime
