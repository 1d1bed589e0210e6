// A model of a job: the protocol's roles with ordered channels in memory and one clock. The test chooses what happens
// next.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "iterations/message.hpp"
#include "iterations/roles.hpp"

namespace weft::iterations {

// One thing that may happen next.
struct Choice {
  enum class What { deliver, step, advance } what = What::step;
  std::size_t who = 0;  // deliver: channel; step: worker
  double seconds = 0;   // advance
};

class ProtocolModel {
 public:
  ProtocolModel(const Limits& limits, Index total, const std::vector<std::size_t>& group_sizes,
                std::vector<double> advances)
      : total_(total),
        root_(limits, RangeSet(0, total), std::vector<double>(group_sizes.begin(), group_sizes.end())),
        advances_(std::move(advances)) {
    for (std::size_t group = 0; group < group_sizes.size(); ++group) {
      leaders_.emplace_back(limits, kLeaseSeconds, group_sizes[group]);
      for (std::size_t member = 0; member < group_sizes[group]; ++member) {
        members_.push_back({group, member});
        workers_.emplace_back(Worker(limits, kLeaseSeconds));
      }
    }
    histories_.assign(1 + leaders_.size() + workers_.size(), 1);
    channels_.resize(2 * (leaders_.size() + workers_.size()));
    for (std::size_t group = 0; group < leaders_.size(); ++group) {
      std::vector<Message> up;
      leaders_[group].begin(up);
      push_up(group, up);
    }
    for (std::size_t worker = 0; worker < workers_.size(); ++worker) {
      std::vector<Message> up;
      workers_[worker].worker.begin(now_, up);
      push_from_worker(worker, up);
    }
  }

  [[nodiscard]] std::vector<Choice> choices() const {
    std::vector<Choice> found;
    for (std::size_t channel = 0; channel < channels_.size(); ++channel) {
      if (!channels_[channel].empty()) {
        if (is_local(channel)) {
          return {{Choice::What::deliver, channel, 0}};
        }
        found.push_back({Choice::What::deliver, channel, 0});
      }
    }
    for (std::size_t worker = 0; worker < workers_.size(); ++worker) {
      if (workers_[worker].may_step && !workers_[worker].worker.finished()) {
        found.push_back({Choice::What::step, worker, 0});
      }
    }
    if (!advances_.empty()) {
      found.push_back({Choice::What::advance, 0, advances_.front()});
    }
    return found;
  }

  void take(const Choice& choice) {
    switch (choice.what) {
      case Choice::What::deliver:
        deliver(choice.who);
        break;
      case Choice::What::step:
        step(choice.who);
        break;
      case Choice::What::advance:
        if (!advances_.empty()) {
          advances_.erase(advances_.begin());
        }
        advance_clock(choice.seconds);
        break;
    }
  }

  // The worker on whose rank the role is that a channel leads to.
  [[nodiscard]] std::size_t receiving_worker(std::size_t channel) const {
    const std::size_t actor = channel / 2;
    const bool upwards = channel % 2 == 0;
    if (actor < leaders_.size()) {
      return upwards ? 0 : first_worker(actor);
    }
    return upwards ? first_worker(members_[actor - leaders_.size()].first) : actor - leaders_.size();
  }

  // Between roles of the same rank, which has its messages at once: the first group's leader and the root, the first
  // worker of each group and its leader.
  [[nodiscard]] bool is_local(std::size_t channel) const {
    const std::size_t actor = channel / 2;
    return actor < leaders_.size() ? actor == 0 : members_[actor - leaders_.size()].second == 0;
  }

  // Whether every worker knows that the loop has ended.
  [[nodiscard]] bool ended() const {
    for (const ModelWorker& model_worker : workers_) {
      if (!model_worker.worker.finished()) {
        return false;
      }
    }
    return true;
  }

  // Roles are functions of what happened to them: two models with equal histories and clocks are equal.
  [[nodiscard]] std::uint64_t fingerprint() const {
    std::uint64_t sum = advances_.size();
    for (const std::uint64_t history : histories_) {
      sum = mix(sum, history);
    }
    return sum;
  }

  // The violated property, or an empty string.
  [[nodiscard]] std::string fault() const {
    if (twice_) {
      return "an index was credited twice";
    }
    if (root_.finished() && credited_.count() + in_doubt() < total_) {
      return "the root has stopped and an index is not credited";
    }
    if (ended() && credited_.count() != total_) {
      return "the end was reached with " + std::to_string(credited_.count()) + " indices credited";
    }
    for (std::size_t group = 0; group < leaders_.size(); ++group) {
      if (root_.task().waits(group) && !leaders_[group].waits()) {
        return "the root takes a group that has iterations to do for one that waits";
      }
      if (leaders_[group].unanswered_since() && channels_[2 * group].empty() && channels_[2 * group + 1].empty()) {
        return "a leader waits for an answer that the root does not owe it";
      }
    }
    for (std::size_t worker = 0; worker < workers_.size(); ++worker) {
      const auto [group, member] = members_[worker];
      if (leaders_[group].task().waits(member) && workers_[worker].worker.has_work()) {
        return "a leader takes a worker that has iterations to do for one that waits";
      }
    }
    if (root_.task().holds() != total_) {
      return "the root holds " + std::to_string(root_.task().holds()) + " indices";
    }
    return {};
  }

  [[nodiscard]] Index refused() const {
    Index sum = 0;
    for (const ModelWorker& model_worker : workers_) {
      sum += model_worker.worker.refused();
    }
    return sum;
  }
  [[nodiscard]] Index times_silent() const {
    Index sum = root_.task().times_silent();
    for (const Leader& leader : leaders_) {
      sum += leader.task().times_silent();
    }
    return sum;
  }
  // How long a worker or a leader has waited for an answer.
  [[nodiscard]] double longest_unanswered() const {
    double longest = 0;
    for (const ModelWorker& model_worker : workers_) {
      longest = std::max(longest, now_ - model_worker.worker.unanswered_since().value_or(now_));
    }
    for (const Leader& leader : leaders_) {
      longest = std::max(longest, now_ - leader.unanswered_since().value_or(now_));
    }
    return longest;
  }
  [[nodiscard]] double now() const { return now_; }
  [[nodiscard]] const Worker& worker(std::size_t i) const { return workers_[i].worker; }
  [[nodiscard]] bool may_step(std::size_t i) const { return workers_[i].may_step; }
  [[nodiscard]] Index lease(std::size_t i) const { return workers_[i].lease.count; }
  [[nodiscard]] const Root& root() const { return root_; }

 private:
  struct ModelWorker {
    explicit ModelWorker(Worker made) : worker(std::move(made)) {}
    Worker worker;
    RangeSet open, batch;  // the program's tallies: which indices they hold
    Range lease;
    bool may_step = true;  // false: waits for a message
  };

  static std::uint64_t mix(std::uint64_t sum, std::uint64_t word) {
    sum ^= word + 0x9e3779b97f4a7c15U + (sum << 6U) + (sum >> 2U);
    return sum * 0xbf58476d1ce4e5b9U;
  }

  void note(std::size_t actor, const Message* message) {
    std::uint64_t& history = histories_[actor];
    history = mix(history, static_cast<std::uint64_t>(now_ * 1000) + 17);
    if (message != nullptr) {
      for (const std::int64_t word : pack(*message)) {
        history = mix(history, static_cast<std::uint64_t>(word));
      }
    }
  }

  // Upper bound of the indices that the root has credited while the credit message is still under way.
  [[nodiscard]] Index in_doubt() const {
    Index sum = 0;
    for (const ModelWorker& model_worker : workers_) {
      sum += model_worker.batch.count();
    }
    return sum;
  }

  [[nodiscard]] std::size_t first_worker(std::size_t group) const {
    return static_cast<std::size_t>(std::ranges::find(members_, std::pair{group, std::size_t{0}}) - members_.begin());
  }

  // Channels: up and down of each leader, then of each worker.
  void push_up(std::size_t group, const std::vector<Message>& up) {
    channels_[2 * group].insert(channels_[2 * group].end(), up.begin(), up.end());
  }
  void push_from_worker(std::size_t worker, const std::vector<Message>& up) {
    auto& channel = channels_[2 * (leaders_.size() + worker)];
    channel.insert(channel.end(), up.begin(), up.end());
  }
  void push_down(std::size_t group, const DownMessages& down) {
    for (const DownMessage& post : down) {
      for (std::size_t worker = 0; worker < members_.size(); ++worker) {
        if (members_[worker] == std::pair{group, post.to}) {
          channels_[2 * (leaders_.size() + worker) + 1].push_back(post.message);
        }
      }
    }
  }
  void push_from_root(const DownMessages& down) {
    for (const DownMessage& post : down) {
      channels_[2 * post.to + 1].push_back(post.message);
    }
  }

  void deliver(std::size_t channel) {
    // As MPI carries it.
    Message message;
    ASSERT_TRUE(unpack(pack(channels_[channel].front()), message));
    channels_[channel].pop_front();
    std::vector<Message> up;
    DownMessages down;
    const bool upwards = channel % 2 == 0;
    std::size_t actor = channel / 2;
    if (actor < leaders_.size()) {
      note(upwards ? 0 : 1 + actor, &message);
      if (upwards) {
        histories_[0] = mix(histories_[0], actor);
        root_.receive(actor, message, now_, down);
        push_from_root(down);
        return;
      }
      leaders_[actor].receive_from_root(message, now_, down, up);
      push_up(actor, up);
      push_down(actor, down);
      return;
    }
    actor -= leaders_.size();
    const auto [group, member] = members_[actor];
    note(upwards ? 1 + group : 1 + leaders_.size() + actor, &message);
    if (upwards) {
      histories_[1 + group] = mix(histories_[1 + group], 100 + member);
      leaders_[group].receive_from_member(member, message, now_, down, up);
      push_up(group, up);
      push_down(group, down);
      return;
    }
    workers_[actor].worker.receive(message, now_, up);
    apply_events(workers_[actor]);
    workers_[actor].may_step = true;
    push_from_worker(actor, up);
  }

  // The program has done its lease and asks for the next one.
  void step(std::size_t worker) {
    note(1 + leaders_.size() + worker, nullptr);
    ModelWorker& model_worker = workers_[worker];
    if (model_worker.lease.count > 0) {
      model_worker.open.add(model_worker.lease);
      model_worker.lease = {};
    }
    std::vector<Message> up;
    model_worker.may_step = model_worker.worker.next(now_, model_worker.lease, up) == Worker::Next::lease;
    apply_events(model_worker);
    push_from_worker(worker, up);
  }

  void apply_events(ModelWorker& model_worker) {
    for (const TallyEvent event : model_worker.worker.take_events()) {
      if (event == TallyEvent::close) {
        std::swap(model_worker.batch, model_worker.open);
        ASSERT_TRUE(model_worker.open.empty());
      } else if (event == TallyEvent::credit) {
        twice_ = twice_ || !credited_.add(model_worker.batch);
        model_worker.batch.clear();
      } else if (event == TallyEvent::drop_batch) {
        model_worker.batch.clear();
      } else {
        model_worker.open.clear();
      }
    }
  }

  // Time passes in which the root and the leaders tick and no message of another rank arrives.
  void advance_clock(double seconds) {
    for (double left = seconds; left > 1e-9; left -= kTick) {
      now_ += std::min(kTick, left);
      note(0, nullptr);
      DownMessages down;
      root_.tick(now_, down);
      push_from_root(down);
      for (std::size_t group = 0; group < leaders_.size(); ++group) {
        note(1 + group, nullptr);
        down.clear();
        std::vector<Message> up;
        leaders_[group].tick(now_, down, up);
        push_up(group, up);
        push_down(group, down);
      }
      while (choices().size() == 1 && choices()[0].what == Choice::What::deliver && is_local(choices()[0].who)) {
        deliver(choices()[0].who);
      }
    }
  }

  static constexpr double kTick = 0.5;
  static constexpr double kLeaseSeconds = 0.01;
  Index total_;
  Root root_;
  std::vector<Leader> leaders_;
  std::vector<ModelWorker> workers_;
  std::vector<std::pair<std::size_t, std::size_t>> members_;  // group and place in it, of each worker
  std::vector<std::deque<Message>> channels_;
  std::vector<std::uint64_t> histories_;
  std::vector<double> advances_;
  double now_ = 0;
  RangeSet credited_;
  bool twice_ = false;
};

}  // namespace weft::iterations
