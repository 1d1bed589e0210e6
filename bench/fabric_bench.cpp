// Compares FabricTransport with libfabric alone: two processes of this host, with alternating batches, so that both see
// the same machine.
//   fabric_bench [provider [interface]]   prints "name  transport  bare  ratio": the best batch of
//   many short ones, which other load on the machine disturbs least; the unit is in the name
#include <rdma/fi_cm.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "runtime/net/fabric.hpp"

namespace {

using Clock = std::chrono::steady_clock;
using weft::ProcessId;

constexpr int kBatches = 101;
constexpr std::size_t kMemory = 64 << 20;
constexpr std::uint64_t kKey = 1;

// In memory that the two processes share: what they must know of each other before they can send.
struct PeerExchange {
  std::atomic<std::uint32_t> arrived = 0;
  std::size_t bytes[2][2] = {};
  char address[2][2][512] = {};
  std::byte* memory[2] = {};

  // Waits until both processes have made `times` calls.
  void wait_for_both(std::uint32_t times) {
    ++arrived;
    while (arrived < 2 * times) {
      usleep(100);
    }
  }
};

void require_success(std::int64_t result, const char* what) {
  if (result != 0) {
    std::fprintf(stderr, "fabric_bench: %s: %s\n", what, fi_strerror(static_cast<int>(-result)));
    std::exit(1);
  }
}

// The operations that are measured, of both transports.
class MeasuredTransport {
 public:
  virtual ~MeasuredTransport() = default;
  virtual void send(std::size_t bytes) = 0;
  virtual void await(std::uint64_t messages) = 0;
  virtual void read(std::byte* from, std::span<std::byte> into) = 0;
};

// libfabric with as few calls as possible: one buffer for sends, one completion queue for both directions.
class PlainLibfabric final : public MeasuredTransport {
 public:
  PlainLibfabric(const std::string& provider, const std::string& interface);
  std::string name() const {
    std::string name(512, '\0');
    std::size_t length = name.size();
    require_success(fi_getname(&endpoint_->fid, name.data(), &length), "fi_getname");
    return name.substr(0, length);
  }
  void connect(const std::string& name) {
    require_success(fi_av_insert(addresses_, name.data(), 1, &peer_, 0, nullptr) == 1 ? 0 : -FI_EINVAL, "fi_av_insert");
  }
  void send(std::size_t bytes) override {
    retry([&] { return fi_send(endpoint_, outgoing_.data(), bytes, nullptr, peer_, &context_); });
  }
  void await(std::uint64_t messages) override {
    expected_ += messages;
    while (arrived_ < expected_) {
      progress();
    }
  }
  void read(std::byte* from, std::span<std::byte> into) override {
    const std::uint64_t before = read_;
    retry([&] {
      return fi_read(endpoint_, into.data(), into.size(), nullptr, peer_, reinterpret_cast<std::uint64_t>(from), kKey,
                     &context_);
    });
    while (read_ == before) {
      progress();
    }
  }

 private:
  static constexpr std::size_t kBuffer = 64 << 10;
  struct Receive {
    fi_context2 context;
    std::vector<std::byte> buffer = std::vector<std::byte>(kBuffer);
  };

  template <typename Call>
  void retry(const Call& call) {
    std::int64_t result = call();
    while (result == -FI_EAGAIN) {
      progress();
      result = call();
    }
    require_success(result, "post");
  }
  void post(Receive& receive) {
    require_success(fi_recv(endpoint_, receive.buffer.data(), kBuffer, nullptr, FI_ADDR_UNSPEC, &receive), "fi_recv");
  }
  void progress() {
    std::array<fi_cq_msg_entry, 16> entries;
    const ssize_t found = fi_cq_read(queue_, entries.data(), entries.size());
    require_success(found < 0 && found != -FI_EAGAIN ? found : 0, "fi_cq_read");
    for (ssize_t i = 0; i < found; ++i) {
      const fi_cq_msg_entry& entry = entries[static_cast<std::size_t>(i)];
      if ((entry.flags & FI_RECV) != 0) {
        ++arrived_;
        post(*static_cast<Receive*>(entry.op_context));
      } else if ((entry.flags & FI_READ) != 0) {
        ++read_;
      }
    }
  }

  fid_fabric* fabric_ = nullptr;
  fid_domain* domain_ = nullptr;
  fid_cq* queue_ = nullptr;
  fid_av* addresses_ = nullptr;
  fid_ep* endpoint_ = nullptr;
  fid_mr* memory_ = nullptr;
  fi_addr_t peer_ = 0;
  fi_context2 context_;
  std::vector<std::byte> outgoing_ = std::vector<std::byte>(kBuffer);
  std::vector<Receive> receives_ = std::vector<Receive>(64);
  std::uint64_t arrived_ = 0, expected_ = 0, read_ = 0;
};

PlainLibfabric::PlainLibfabric(const std::string& provider, const std::string& interface) {
  fi_info* hints = fi_allocinfo();
  hints->caps = FI_MSG | FI_RMA;
  hints->ep_attr->type = FI_EP_RDM;
  hints->domain_attr->mr_mode = FI_MR_VIRT_ADDR;
  hints->fabric_attr->prov_name = strdup(provider.c_str());
  fi_info* info = nullptr;
  require_success(fi_getinfo(FI_VERSION(1, 17), nullptr, nullptr, 0, hints, &info), "fi_getinfo");
  while (!interface.empty() && info->next != nullptr && interface != info->domain_attr->name) {
    info = info->next;
  }
  require_success(fi_fabric(info->fabric_attr, &fabric_, nullptr), "fi_fabric");
  require_success(fi_domain(fabric_, info, &domain_, nullptr), "fi_domain");
  fi_cq_attr messages{};
  messages.format = FI_CQ_FORMAT_MSG;
  require_success(fi_cq_open(domain_, &messages, &queue_, nullptr), "fi_cq_open");
  fi_av_attr addresses{};
  require_success(fi_av_open(domain_, &addresses, &addresses_, nullptr), "fi_av_open");
  require_success(fi_endpoint(domain_, info, &endpoint_, nullptr), "fi_endpoint");
  require_success(fi_ep_bind(endpoint_, &queue_->fid, FI_TRANSMIT | FI_RECV), "fi_ep_bind");
  require_success(fi_ep_bind(endpoint_, &addresses_->fid, 0), "fi_ep_bind");
  require_success(fi_enable(endpoint_), "fi_enable");
  require_success(fi_mr_reg(domain_, nullptr, std::size_t{1} << 47, FI_REMOTE_READ, 0, kKey, 0, &memory_, nullptr),
                  "fi_mr_reg");
  std::for_each(receives_.begin(), receives_.end(), [this](Receive& receive) { post(receive); });
}

class WeftFabric final : public MeasuredTransport, public weft::net::Sink {
 public:
  WeftFabric(std::uint32_t self, const weft::net::FabricOptions& options)
      : other_(1 - self), transport_(ProcessId{self}, *this, options) {}
  std::string name() const { return transport_.address(); }
  void connect(const std::string& name) {
    std::vector<std::string> addresses(2);
    addresses[other_] = name;
    transport_.connect(addresses);
  }
  void arrived(ProcessId /*from*/, std::span<const std::byte> /*message*/) override { ++arrived_; }
  void send(std::size_t bytes) override { transport_.send(ProcessId{other_}, {}, std::span(outgoing_).first(bytes)); }
  void await(std::uint64_t messages) override {
    expected_ += messages;
    while (arrived_ < expected_) {
      transport_.poll();
    }
  }
  void read(std::byte* from, std::span<std::byte> into) override {
    weft::net::Read read;
    read.from = ProcessId{other_};
    read.address = from;
    read.into = into;
    read.finished = [](weft::net::Read& finished) { finished.address = nullptr; };
    transport_.read(read);
    while (read.address != nullptr) {
      transport_.poll();
    }
  }

 private:
  const std::uint32_t other_;
  std::vector<std::byte> outgoing_ = std::vector<std::byte>(64 << 10);
  std::atomic<std::uint64_t> arrived_ = 0;
  std::uint64_t expected_ = 0;
  weft::net::FabricTransport transport_;
};

struct Pair {
  std::uint32_t self;
  WeftFabric& ours;
  PlainLibfabric& bare;
  std::byte* peer_memory;
};

double best_of(const std::vector<double>& values, bool less_is_better) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return less_is_better ? *least : *most;
}

// Runs batches of both transports alternately. `batch` runs one and returns its figure.
template <typename Batch>
void compare(Pair& pair, const std::string& name, bool less_is_better, const Batch& batch) {
  std::vector<double> ours;
  std::vector<double> bare;
  batch(pair.ours);
  batch(pair.bare);
  for (int i = 0; i < kBatches; ++i) {
    ours.push_back(batch(pair.ours));
    bare.push_back(batch(pair.bare));
  }
  if (pair.self == 0) {
    const double mine = best_of(ours, less_is_better);
    const double theirs = best_of(bare, less_is_better);
    std::printf("%-28s %8.4g %8.4g  %.2f\n", name.c_str(), mine, theirs,
                less_is_better ? mine / theirs : theirs / mine);
    std::fflush(stdout);
  }
}

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

void half_round_trips(Pair& pair, std::size_t bytes, int rounds) {
  compare(pair, "half_round_trip_" + std::to_string(bytes) + "B_us", true, [&](MeasuredTransport& transport) {
    const auto start = Clock::now();
    for (int i = 0; i < rounds; ++i) {
      if (pair.self == 0) {
        transport.send(bytes);
        transport.await(1);
      } else {
        transport.await(1);
        transport.send(bytes);
      }
    }
    return seconds_since(start) / rounds / 2 * 1e6;
  });
}

// Process 0 sends; process 1 answers when it has received all messages.
void streams(Pair& pair, std::size_t bytes, std::uint64_t messages) {
  compare(pair, "stream_" + std::to_string(bytes) + "B_us_per_message", true, [&](MeasuredTransport& transport) {
    const auto start = Clock::now();
    if (pair.self == 0) {
      for (std::uint64_t i = 0; i < messages; ++i) {
        transport.send(bytes);
      }
      transport.await(1);
    } else {
      transport.await(messages);
      transport.send(8);
    }
    return seconds_since(start) / static_cast<double>(messages) * 1e6;
  });
}

void reads(Pair& pair, std::size_t bytes, int rounds) {
  std::vector<std::byte> into(bytes);
  compare(pair, "read_" + std::to_string(bytes >> 10) + "KiB_GB_per_s", false, [&](MeasuredTransport& transport) {
    const auto start = Clock::now();
    if (pair.self == 0) {
      for (int i = 0; i < rounds; ++i) {
        transport.read(pair.peer_memory, into);
      }
      transport.send(8);
    } else {
      transport.await(1);
    }
    return static_cast<double>(bytes) * rounds / seconds_since(start) * 1e-9;
  });
}

void measure(Pair pair) {
  for (const std::size_t bytes : {8U, 64U, 1024U, 8192U, 16000U, 32768U, 65000U}) {
    half_round_trips(pair, bytes, bytes > 10000 ? 10 : 50);
  }
  for (const std::size_t bytes : {8U, 1024U, 8192U, 16000U, 65000U}) {
    streams(pair, bytes, bytes > 10000 ? 50 : 200);
  }
  for (const std::size_t bytes : {std::size_t{16} << 10, std::size_t{64} << 10, std::size_t{1} << 20, kMemory}) {
    reads(pair, bytes, static_cast<int>(std::clamp<std::size_t>((2 << 20) / bytes, 1, 20)));
  }
}

void run(PeerExchange& exchange, std::uint32_t self, const weft::net::FabricOptions& options) {
  WeftFabric ours(self, options);
  PlainLibfabric bare(options.provider, options.interface);
  const std::array<std::string, 2> names = {ours.name(), bare.name()};
  std::vector<std::byte> memory(kMemory, std::byte{1});
  exchange.memory[self] = memory.data();
  for (std::size_t i = 0; i < 2; ++i) {
    exchange.bytes[self][i] = names[i].copy(exchange.address[self][i], sizeof(exchange.address[self][i]));
  }
  exchange.wait_for_both(1);
  ours.connect({exchange.address[1 - self][0], exchange.bytes[1 - self][0]});
  bare.connect({exchange.address[1 - self][1], exchange.bytes[1 - self][1]});
  exchange.wait_for_both(2);
  measure({self, ours, bare, exchange.memory[1 - self]});
  exchange.wait_for_both(3);
}

}  // namespace

int main(int argc, char** argv) {
  weft::net::FabricOptions options;
  options.provider = argc > 1 ? argv[1] : options.provider;
  options.interface = argc > 2 ? argv[2] : "";
  void* const shared = mmap(nullptr, sizeof(PeerExchange), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto& exchange = *new (shared) PeerExchange;
  const pid_t child = fork();
  run(exchange, child == 0 ? 1 : 0, options);
  if (child == 0) {
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status == 0 ? 0 : 1;
}
