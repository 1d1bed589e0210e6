// The first processes of hosts in a hierarchical balancing step, and the messages between them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "runtime/control/cluster.hpp"
#include "runtime/control/control_channel.hpp"
#include "runtime/control/job_context.hpp"
#include "runtime/lbstep/tree_messages.hpp"
#include "runtime/setup/config.hpp"

namespace weft::runtime {
inline namespace lbstep {

// The processes of each host. Constant.
struct TreeShape {
  static constexpr std::uint32_t kRoot = 0;

  explicit TreeShape(const JobContext& job) : self(number(job.cluster.self())) {
    for (std::uint32_t p = 0; p < job.cluster.process_count(); ++p) {
      host_of.push_back(job.config.host_of(p));
      hosts.resize(std::max<std::size_t>(hosts.size(), host_of.back() + 1));
      hosts[host_of.back()].push_back(p);
    }
    host = host_of[self];
  }
  std::uint32_t leader_of(std::uint32_t of_host) const { return hosts[of_host].front(); }
  bool leads() const { return leader_of(host) == self; }
  bool is_root() const { return self == kRoot; }

  std::vector<std::uint32_t> host_of;             // by process
  std::vector<std::vector<std::uint32_t>> hosts;  // processes of each
  std::uint32_t self;
  std::uint32_t host = 0;  // this process's
};

// Sends messages of the present step. Guarded by the step's lock.
class TreeChannel {
 public:
  TreeChannel(ControlChannel& control, const TreeShape& shape) : control_(control), shape_(shape) {}

  const TreeShape& shape() const { return shape_; }

  template <typename Message>
  void send(std::uint32_t to, Message message) {
    if constexpr (requires { message.step; }) {
      message.step = step_;
    }
    if (to != shape_.self) {
      pup::Sizer sizer;
      sizer | message;
      bytes_sent_ += sizer.size();
    }
    control_.send_control(ProcessId{to}, std::move(message));
  }

  void set_step(std::uint64_t step) { step_ = step; }
  // Bytes sent to other processes, in all steps.
  std::uint64_t bytes_sent() const { return bytes_sent_; }

 private:
  ControlChannel& control_;
  const TreeShape& shape_;
  std::uint64_t step_ = 1;
  std::uint64_t bytes_sent_ = 0;
};

}  // namespace lbstep
}  // namespace weft::runtime
