#include "runtime/net/fabric_endpoint.hpp"

#include <netinet/in.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>
#include <stdexcept>

#include "base/random.hpp"
#include "runtime/net/fabric_buffers.hpp"
#include "runtime/net/fabric_library.hpp"

namespace weft::net {
namespace {

constexpr std::uint32_t kVersion = FI_VERSION(1, 17);
// The size of x86-64's user address space.
constexpr std::size_t kAddressSpace = std::size_t{1} << 47;
// Any number: the arena is registered without remote access, so the key opens nothing.
constexpr std::uint64_t kArenaKey = 0x77656675;
constexpr std::array<const char*, 4> kBestFirst = {"cxi", "efa", "verbs;ofi_rxm", "tcp;ofi_rxm"};

[[noreturn]] void refuse(const std::string& what, int error) {
  throw std::runtime_error("libfabric: " + what + ": " + fabric_library().strerror(error < 0 ? -error : error));
}

void require_success(int result, const char* what) {
  if (result != 0) {
    refuse(what, result);
  }
}

// Other hosts cannot use it without knowing their own interface's number.
bool is_link_local(const fi_info& offer) {
  if (offer.addr_format != FI_SOCKADDR_IN6 || offer.src_addrlen < sizeof(sockaddr_in6)) {
    return false;
  }
  sockaddr_in6 address{};
  std::memcpy(&address, offer.src_addr, sizeof(address));
  return IN6_IS_ADDR_LINKLOCAL(&address.sin6_addr);
}

// A copy of the first offer for the interface (any, if empty), null if there is none. Layered providers do not look at
// a device's name in the hints.
fi_info* first_for(const std::string& interface, const fi_info* found) {
  for (const fi_info* each = found; each != nullptr; each = each->next) {
    if (!is_link_local(*each) && (interface.empty() || interface == each->domain_attr->name)) {
      return fabric_library().dupinfo(each);
    }
  }
  return nullptr;
}

// `reads`: with remote reads. Null if there is none.
fi_info* offer(const std::string& provider, const std::string& interface, bool reads) {
  const RestoreSignalsAndAffinity keep;
  const FabricLibrary& library = fabric_library();
  fi_info* hints = library.dupinfo(nullptr);
  hints->caps = FI_MSG | (reads ? FI_RMA | FI_READ | FI_REMOTE_READ : 0);
  hints->mode = FI_CONTEXT | FI_CONTEXT2;
  hints->ep_attr->type = FI_EP_RDM;
  hints->tx_attr->msg_order = FI_ORDER_SAS;
  hints->rx_attr->msg_order = FI_ORDER_SAS;
  hints->domain_attr->threading = FI_THREAD_SAFE;
  hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
  hints->fabric_attr->prov_name = strdup(provider.c_str());
  fi_info* found = nullptr;
  const int result = library.getinfo(kVersion, nullptr, nullptr, 0, hints, &found);
  library.freeinfo(hints);
  if (result != 0) {
    return nullptr;
  }
  fi_info* first = first_for(interface, found);
  library.freeinfo(found);
  return first;
}

fi_info* first_offer(const std::string& provider, const std::string& interface) {
  fi_info* with_reads = offer(provider, interface, true);
  return with_reads != nullptr ? with_reads : offer(provider, interface, false);
}

fi_info* choose(const std::string& provider, const std::string& interface) {
  if (provider != "auto") {
    return first_offer(provider, interface);
  }
  for (const char* name : kBestFirst) {
    if (fi_info* found = first_offer(name, interface); found != nullptr) {
      return found;
    }
  }
  return nullptr;
}

// libfabric reads variables of the environment, and AllMessagesEager changes one: one thread at a time.
std::mutex& environment_mutex() {
  static std::mutex one;
  return one;
}

// While one exists, ofi_rxm makes endpoints that send each of our messages whole. ofi_rxm lets the receiver read longer
// messages than this variable says out of the sender's memory, under consecutive keys that anybody could guess. The
// destructor restores the variable's old value. REQUIRES: environment_mutex() is held.
class AllMessagesEager {
 public:
  AllMessagesEager() {
    if (const char* const before = std::getenv(kName)) {
      before_ = before;
    }
    ::setenv(kName, std::to_string(FabricBuffers::kLongest).c_str(), 1);
  }
  ~AllMessagesEager() {
    if (before_) {
      ::setenv(kName, before_->c_str(), 1);
    } else {
      ::unsetenv(kName);
    }
  }
  AllMessagesEager(const AllMessagesEager&) = delete;
  AllMessagesEager& operator=(const AllMessagesEager&) = delete;

 private:
  static constexpr const char* kName = "FI_OFI_RXM_EAGER_LIMIT";
  std::optional<std::string> before_;
};

fid_ep* open_endpoint(fid_domain* domain, fi_info* info) {
  const AllMessagesEager now;
  fid_ep* endpoint = nullptr;
  require_success(fi_endpoint(domain, info, &endpoint, nullptr), "endpoint");
  return endpoint;
}

// As choose(), never null.
fi_info* choose_or_throw(const std::string& provider, const std::string& interface) {
  const std::lock_guard lock(environment_mutex());
  fi_info* const info = choose(provider, interface);
  if (info == nullptr) {
    throw std::runtime_error("libfabric offers no provider \"" + provider + "\"" +
                             (interface.empty() ? "" : " on network interface " + interface) +
                             "; FI_LOG_LEVEL=warn says why");
  }
  return info;
}

}  // namespace

void require_provider(const std::string& provider) { fabric_library().freeinfo(choose_or_throw(provider, "")); }

FabricEndpoint::FabricEndpoint(const std::string& provider, const std::string& interface)
    : info_(choose_or_throw(provider, interface)) {
  provider_ = info_->fabric_attr->prov_name;
  const std::lock_guard lock(environment_mutex());
  fid_fabric* fabric = nullptr;
  require_success(fabric_library().fabric(info_->fabric_attr, &fabric, nullptr), "fabric of the network");
  fabric_.reset(fabric);
  fid_domain* domain = nullptr;
  require_success(fi_domain(fabric, info_.get(), &domain, nullptr), "network device");
  domain_.reset(domain);
  open_queue();
  fi_av_attr by_number{};
  fid_av* addresses = nullptr;
  require_success(fi_av_open(domain, &by_number, &addresses, nullptr), "table of addresses");
  addresses_.reset(addresses);
  fid_ep* const endpoint = open_endpoint(domain, info_.get());
  endpoint_.reset(endpoint);
  require_success(fi_ep_bind(endpoint, &queue_->fid, FI_TRANSMIT | FI_RECV), "endpoint's completion queue");
  require_success(fi_ep_bind(endpoint, &addresses->fid, 0), "endpoint's addresses");
  require_success(fi_enable(endpoint), "endpoint");
}

void FabricEndpoint::open_queue() {
  fi_cq_attr wanted{};
  wanted.format = FI_CQ_FORMAT_MSG;
  wanted.wait_obj = FI_WAIT_FD;
  fid_cq* queue = nullptr;
  if (fi_cq_open(domain_.get(), &wanted, &queue, nullptr) == 0) {
    queue_.reset(queue);
    require_success(fi_control(&queue->fid, FI_GETWAIT, &wait_descriptor_), "completion queue's descriptor");
    return;
  }
  wanted.wait_obj = FI_WAIT_NONE;
  require_success(fi_cq_open(domain_.get(), &wanted, &queue, nullptr), "completion queue");
  queue_.reset(queue);
}

void FabricEndpoint::Free::operator()(fi_info* info) const { fabric_library().freeinfo(info); }

std::string FabricEndpoint::name() const {
  std::string name(512, '\0');
  std::size_t length = name.size();
  require_success(fi_getname(&endpoint_->fid, name.data(), &length), "endpoint's address");
  name.resize(length);
  return name;
}

fi_addr_t FabricEndpoint::insert(std::string_view name) {
  fi_addr_t address = FI_ADDR_UNSPEC;
  if (const int done = fi_av_insert(addresses_.get(), name.data(), 1, &address, 0, nullptr); done != 1) {
    refuse("address of another process", done < 0 ? done : FI_EINVAL);
  }
  return address;
}

bool FabricEndpoint::open_memory() {
  // Providers that choose keys use consecutive numbers, so anybody could guess them and read.
  constexpr int kUnfit = FI_MR_ALLOCATED | FI_MR_LOCAL | FI_MR_PROV_KEY;
  const std::uint64_t key = base::random_bits();
  if ((info_->caps & FI_RMA) == 0 || (info_->domain_attr->mr_mode & kUnfit) != 0 ||
      info_->domain_attr->mr_key_size < sizeof key) {
    return false;
  }
  fid_mr* memory = nullptr;
  if (fi_mr_reg(domain_.get(), nullptr, kAddressSpace, FI_REMOTE_READ, 0, key, 0, &memory, nullptr) != 0) {
    return false;
  }
  memory_.reset(memory);
  if (fi_mr_key(memory) != key) {
    memory_.reset();
    return false;
  }
  if ((info_->domain_attr->mr_mode & FI_MR_ENDPOINT) != 0 &&
      (fi_mr_bind(memory, &endpoint_->fid, 0) != 0 || fi_mr_enable(memory) != 0)) {
    memory_.reset();
  }
  return memory_ != nullptr;
}

std::uint64_t FabricEndpoint::key() const { return memory_ != nullptr ? fi_mr_key(memory_.get()) : 0; }

void FabricEndpoint::use_arena(std::span<std::byte> arena) {
  if ((info_->domain_attr->mr_mode & FI_MR_LOCAL) == 0) {
    return;
  }
  fid_mr* memory = nullptr;
  require_success(
      fi_mr_reg(domain_.get(), arena.data(), arena.size(), FI_SEND | FI_RECV, 0, kArenaKey, 0, &memory, nullptr),
      "memory for messages");
  arena_.reset(memory);
}

int FabricEndpoint::send(fi_addr_t to, FabricOperation& operation) {
  void* descriptor = arena_ != nullptr ? fi_mr_desc(arena_.get()) : nullptr;
  return static_cast<int>(
      fi_send(endpoint_.get(), operation.buffer.data(), operation.bytes, descriptor, to, &operation));
}

int FabricEndpoint::receive(FabricOperation& operation) {
  void* descriptor = arena_ != nullptr ? fi_mr_desc(arena_.get()) : nullptr;
  return static_cast<int>(fi_recv(endpoint_.get(), operation.buffer.data(), operation.buffer.size(), descriptor,
                                  FI_ADDR_UNSPEC, &operation));
}

int FabricEndpoint::read(fi_addr_t from, std::uint64_t key, const void* address, std::span<std::byte> into,
                         FabricOperation& operation) {
  // The memory region starts at address 0, so that offset and virtual address are the same.
  return static_cast<int>(fi_read(endpoint_.get(), into.data(), into.size(), nullptr, from,
                                  reinterpret_cast<std::uint64_t>(address), key, &operation));
}

FabricCompletion FabricEndpoint::failed_completion() {
  fi_cq_err_entry entry{};
  if (fi_cq_readerr(queue_.get(), &entry, 0) <= 0) {
    return {nullptr, 0};
  }
  return {static_cast<FabricOperation*>(entry.op_context), entry.err != 0 ? entry.err : FI_EOTHER};
}

std::span<FabricCompletion> FabricEndpoint::completions(std::span<FabricCompletion, 16> room) {
  std::array<fi_cq_msg_entry, 16> entries{};
  const ssize_t found = fi_cq_read(queue_.get(), entries.data(), entries.size());
  if (found == -FI_EAVAIL) {
    room[0] = failed_completion();
    return room.first(room[0].operation != nullptr ? 1 : 0);
  }
  const auto count = static_cast<std::size_t>(std::max<ssize_t>(found, 0));
  for (std::size_t i = 0; i < count; ++i) {
    auto* operation = static_cast<FabricOperation*>(entries[i].op_context);
    if (operation->kind == FabricOperation::Kind::receive) {
      operation->bytes = entries[i].len;
    }
    room[i] = {operation, 0};
  }
  return room.first(count);
}

bool FabricEndpoint::ready_to_wait() {
  fid* queue = &queue_->fid;
  return fi_trywait(fabric_.get(), &queue, 1) == 0;
}

}  // namespace weft::net
