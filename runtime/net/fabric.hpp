// Processes of other hosts (or of this one): messages and remote reads by libfabric.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/net/secret.hpp"
#include "runtime/net/transport.hpp"

namespace weft::net {

struct FabricOptions {
  // libfabric's name; "auto" is the best one of this host. All processes of a job need the same.
  std::string provider = "tcp;ofi_rxm";
  // libfabric's name of a device or network interface ("eth0"); empty: the first one that libfabric offers.
  std::string interface = {};
  // False: reads are copied through messages, as where the provider can only read pinned memory.
  bool remote_reads = true;
  // The job's: all its processes need the same. Messages of others are dropped.
  Secret secret = {};
  // Called once for each process that libfabric cannot reach any more, with libfabric's reason, by the thread that
  // polls. A process that died may also just stop taking messages, so whatever watches the processes must report
  // deaths.
  std::function<void(ProcessId, std::string_view)> lost = {};
};

// The transport's own thread polls while no worker does, and sleeps in the kernel while nothing happens; so there are
// no doorbells. After a process is lost, what was to be sent to it or read from it is dropped: reads from it never
// finish.
class FabricTransport final : public Transport {
 public:
  // Makes the endpoint. Throws std::runtime_error, one line for the user, where the provider or device is not there.
  FabricTransport(ProcessId self, Sink& sink, FabricOptions options = {});
  // Messages may be lost unless is_drained().
  ~FabricTransport() override;

  // What the other processes need to reach this one; any bytes.
  std::string address() const;
  // `addresses`: by process, what its address() returned, or nothing where this transport will not be used for it. Call
  // it once; nothing is sent or delivered before. Throws std::runtime_error where a process uses another provider.
  void connect(const std::vector<std::string>& addresses);

  std::size_t longest_message() const override;
  void send(ProcessId to, std::span<const std::byte> head, std::span<const std::byte> body) override;
  void read(Read& read) override;
  bool poll() override;
  bool may_sleep() override;
  bool writes_are_seen() const override;  // tcp copies; other providers may read into pinned memory
  bool is_drained() const override;
  // Afterwards messages are delivered only in poll(). Waits until the progress thread has delivered what it is
  // delivering.
  void stop_progress_thread();

  // How many messages have been dropped so far because they came from outside the job, or came twice.
  std::uint64_t rejected_messages() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace weft::net
