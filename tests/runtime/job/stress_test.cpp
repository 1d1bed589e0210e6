// Random traffic between many ranks that synchronize and move meanwhile: what must hold at every interleaving.
#include <memory>
#include <vector>

#include "runtime/p2p/point_to_point.hpp"
#include "runtime/sync/team.hpp"
#include "tests/runtime/job_fixture.hpp"
#include "tests/sanitized.hpp"

namespace weft::runtime {
namespace {

class Stress : public JobTest {};
INSTANTIATE_TEST_SUITE_P(Settings, Stress,
                         testing::Values(Setting{1, "none"}, Setting{8, "none"}, Setting{2, "rotate"},
                                         Setting{3, "rotate"}, Setting{8, "rotate"}),
                         name_of);

// Step s of a run: rank r sends to (factor * r + shift) % kRanks, which every rank can tell and turn around.
class Step {
 public:
  static constexpr std::uint64_t kRanks = 1009;  // a prime

  explicit Step(std::uint64_t s) : factor_(1 + mix(s) % (kRanks - 1)), shift_(mix(~s) % kRanks) {}
  std::uint64_t receiver(std::uint64_t r) const { return (factor_ * r + shift_) % kRanks; }
  std::uint64_t sender(std::uint64_t r) const { return inverse(factor_) * (r + kRanks - shift_) % kRanks; }
  // In ints: nothing, small ones, some beside a page, some longer than an eager message.
  std::size_t length(std::uint64_t sender) const {
    constexpr std::size_t kLengths[] = {0, 1, 17, 1000, 4097};
    return kLengths[mix(sender * 7919 + shift_) % 5];
  }
  SendMode mode(std::uint64_t sender) const {
    return mix(sender + factor_) % 3 == 0 ? SendMode::synchronous : SendMode::standard;
  }
  bool from_anyone(std::uint64_t receiver) const { return mix(receiver ^ factor_) % 4 == 0; }

  static std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL + 0x9E3779B97F4A7C15ULL;
    return x ^ (x >> 27);
  }

 private:
  static std::uint64_t inverse(std::uint64_t x) {  // x^(p-2), Fermat
    std::uint64_t result = 1;
    for (std::uint64_t n = kRanks - 2; n != 0; n /= 2, x = x * x % kRanks) {
      result = n % 2 != 0 ? result * x % kRanks : result;
    }
    return result;
  }

  std::uint64_t factor_;
  std::uint64_t shift_;
};

void count_up(Team&, void* count) { ++*static_cast<int*>(count); }

// One message out, one in; the rank synchronizes with the others, or moves, between the start of both and their end.
void exchange(Rank& me, int s, int& barriers) {
  const Step step(static_cast<std::uint64_t>(s));
  const std::uint64_t id = number(me.id);
  const std::uint64_t from = step.sender(id);
  const std::uint64_t to = step.receiver(id);
  std::vector<int> out(step.length(id), static_cast<int>(id) + s);
  std::vector<int> in(step.length(from), -1);
  Request sending;
  Request receiving;
  const MatchKey pattern{1, step.from_anyone(id) ? kAnySource : static_cast<int>(from), s};
  const Buffer buffer{in.data(), in.size() * sizeof(int)};
  const bool early = Step::mix(id) % 2 == 0;
  if (early) {
    start_receive(me, pattern, buffer, receiving);
  }
  sending.prepare_send(me, {1, static_cast<int>(id), s}, static_cast<int>(to), {out.data(), out.size() * sizeof(int)});
  start_send(me.job.rank(static_cast<std::uint32_t>(to)), step.mode(id), sending);
  if (s % 3 == 0) {
    me.job.migrate(me);
  } else if (s % 3 == 1) {
    me.teams.front()->barrier(me, &count_up, &barriers);
  }
  if (!early) {
    start_receive(me, pattern, buffer, receiving);
  }
  Request* const both[] = {&sending, &receiving};
  wait_all(me, both);
  EXPECT_EQ(receiving.key.source, static_cast<int>(from));
  EXPECT_EQ(in, std::vector<int>(in.size(), static_cast<int>(from) + s));
}

TEST_P(Stress, EveryMessageArrivesAtRanksThatMeetAndMove) {
  constexpr int kSteps = kSanitized ? 6 : 12;
  int barriers = 0;
  run(Step::kRanks, [&](Rank& me) {
    for (int s = 0; s < kSteps; ++s) {
      exchange(me, s, barriers);
    }
    me.teams.front()->barrier(me);
    EXPECT_EQ(barriers, kSteps / 3);
    return 0;
  });
}

TEST_P(Stress, RanksThatSpinLetOthersMeetAndMove) {
  std::unique_ptr<Team> others;
  run(7, [&](Rank& me) {
    const std::uint32_t id = number(me.id);
    int word = 0;
    if (id == 0) {
      std::vector<Rank*> members;
      for (std::uint32_t r = 1; r < 7; ++r) {
        members.push_back(&me.job.rank(r));
      }
      others = me.job.make_team(members);
    }
    me.teams.front()->barrier(me);
    if (id != 0) {
      me.teams.push_back(others.get());
    }
    for (int round = 0; round < 30; ++round) {
      Request request;
      if (id == 0) {
        Probed found;
        while (!probe(me, {1, 1, round}, found)) {
          yield(me);
        }
        start_receive(me, {1, 1, round}, {&word, sizeof word}, request);
      } else {
        others->barrier(me);
        if (id == 1) {
          request.prepare_send(me, {1, 1, round}, 0, {&word, sizeof word});
          start_send(me.job.rank(0), SendMode::synchronous, request);
        }
      }
      wait(me, request);
      me.job.migrate(me);
    }
    return 0;
  });
}

TEST_P(Stress, ManyShortJobsInARow) {
  for (int job = 0; job < 100; ++job) {
    const int code = run(9, [job](Rank& me) {
      const std::uint32_t id = number(me.id);
      int word = static_cast<int>(id);
      int got = -1;
      Request sending;
      Request receiving;
      sending.prepare_send(me, {1, word, job}, 0, {&word, sizeof word});
      start_send(me.job.rank((id + 1) % 9), job % 2 == 0 ? SendMode::standard : SendMode::synchronous, sending);
      start_receive(me, {1, kAnySource, job}, {&got, sizeof got}, receiving);
      wait(me, receiving);
      wait(me, sending);
      if (job % 3 == 0) {
        me.job.migrate(me);
      }
      return got;
    });
    ASSERT_EQ(code, 8);
  }
}

}  // namespace
}  // namespace weft::runtime
