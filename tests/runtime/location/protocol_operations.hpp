// What the protocol's functions call when they run against the model.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "tests/runtime/location/protocol_model.hpp"

namespace weft::runtime {
inline namespace location {
namespace model {

inline constexpr std::array<WorkerHandle, kWorkers> kWorkerHandles{{{0}, {1}, {2}}};
inline constexpr std::array<RankHandle, kRanks> kRankHandles{{{0}, {1}, {2}}};
inline constexpr std::array<Message, kMessages> kMessageHandles{{{0}, {1}, {2}}};

// What lies in an inbox.
inline constexpr std::uint8_t kNotice = kMessages;  // and the rank's number
inline constexpr std::uint8_t kArrival = kNotice + kRanks;

enum Error : std::uint8_t { none, overtaken, twice, wrong_worker, late, goes_round };
inline constexpr std::array<const char*, 6> kErrors{"",
                                                    "a message has overtaken an older one of its sender",
                                                    "a message was delivered twice",
                                                    "a worker has touched a rank that it does not hold",
                                                    "a message has come for a rank that has ended",
                                                    "a message is forwarded without end"};

// Where what a step does is written down, while a schedule is told; else null.
inline std::string* told = nullptr;

inline std::uint8_t encode(At at) {
  return static_cast<std::uint8_t>(4 * at.worker->index + static_cast<std::uint8_t>(at.state));
}
inline At decode(std::uint8_t code) { return {&kWorkerHandles[code / 4], static_cast<State>(code % 4)}; }

// What the protocol's functions call.
class Operations {
 public:
  Operations(Model& model, std::uint8_t self, Recorder& recorder) : m_(model), self_(self), r_(recorder) {}

  const WorkerHandle* self() const { return &kWorkerHandles[self_]; }
  At load(const RankHandle& rank);
  void set(const RankHandle& rank, At at);
  void begin_post();
  void end_post();
  void wait_for_posts();
  void push(const WorkerHandle* worker, const Message& message) { put(*worker, message.index); }
  void push_notice(const WorkerHandle* worker, const RankHandle& rank) { put(*worker, kNotice + rank.index); }
  void push_arrival(const WorkerHandle& worker, const RankHandle& rank);
  bool enqueue(const RankHandle& rank, const Message& message);
  void deliver_queue(const RankHandle& rank);
  void deliver_inbox();
  void accept(const RankHandle& rank, const Message& message);
  void make_ready(const RankHandle& rank);
  void put_into_slot(const RankHandle& rank);
  const RankHandle* steal_from(const WorkerHandle& victim);

  // What a worker does of itself.
  void run(std::uint8_t rank);
  void between_ranks();
  void move_in_step(std::uint8_t rank, std::uint8_t to);

 private:
  Model::Worker& me() { return m_.workers[self_]; }
  bool leaves_out(LeftOut rule) const { return m_.setting->left_out == rule; }
  void fail(Error error) { m_.error = std::max(m_.error, static_cast<std::uint8_t>(error)); }
  void write_store_buffer();
  void count_forwarding(std::uint8_t message);
  void put(const WorkerHandle& worker, std::uint8_t item);
  void handle(std::uint8_t item);
  void send(std::uint8_t message);
  void end_step_if_all_have_moved();

  Model& m_;
  const std::uint8_t self_;
  Recorder& r_;
};

// What the worker has begun, from its start.
void act(Operations& op, const Model::Worker& worker);

}  // namespace model
}  // namespace location
}  // namespace weft::runtime
