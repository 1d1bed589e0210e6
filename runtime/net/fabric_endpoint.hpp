// One libfabric endpoint with its completion queue, addresses and registered memory.
#pragma once

#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace weft::net {

// An operation in libfabric, from its post to its completion.
struct FabricOperation {
  enum class Kind : std::uint8_t { receive, send, read };

  fi_context2 context{};  // first: libfabric keeps here what it needs
  Kind kind{};
  std::uint32_t peer = 0;       // of a send or read
  std::span<std::byte> buffer;  // all of it, of a send or receive
  std::size_t bytes = 0;        // of the message, as posted or as received
};

struct FabricCompletion {
  FabricOperation* operation;
  int error;  // 0, or libfabric's positive error number
};

// Throws std::runtime_error when libfabric has no such provider here.
void require_provider(const std::string& provider);

// Posts and completions may be used by any number of threads at once.
class FabricEndpoint {
 public:
  // Opens the provider's first device, or that of network interface `interface` if one is given. `provider` "auto" is
  // the best one here. Throws std::runtime_error when there is none.
  FabricEndpoint(const std::string& provider, const std::string& interface);

  const std::string& provider() const { return provider_; }
  std::string name() const;
  // Throws std::runtime_error when the provider refuses the name.
  fi_addr_t insert(std::string_view name);

  // Makes the whole address space of this process readable for anybody who knows a key of 64 random bits. False where
  // the provider cannot read memory that is not pinned, or chooses keys itself.
  bool open_memory();
  std::uint64_t key() const;
  // Registers the memory in which the buffers of all sends and receives lie, if the provider needs that. To be called
  // before the first of them is posted.
  void use_arena(std::span<std::byte> arena);

  // Each posts an operation, which must stay in place until its completion. Returns 0, -FI_EAGAIN (try again later) or
  // another negative error of libfabric.
  int send(fi_addr_t to, FabricOperation& operation);
  int receive(FabricOperation& operation);
  int read(fi_addr_t from, std::uint64_t key, const void* address, std::span<std::byte> into,
           FabricOperation& operation);

  // Makes progress. Returns what has completed since the last call, in a part of `room`.
  std::span<FabricCompletion> completions(std::span<FabricCompletion, 16> room);

  // A descriptor that becomes readable when there is something to do, provided that ready_to_wait() returned true
  // before. -1 if the provider has none.
  int wait_descriptor() const { return wait_descriptor_; }
  bool ready_to_wait();
  std::size_t longest_read() const { return info_->ep_attr->max_msg_size; }

 private:
  struct Close {
    template <typename Object>
    void operator()(Object* object) const {
      fi_close(&object->fid);
    }
  };
  struct Free {
    void operator()(fi_info* info) const;
  };

  void open_queue();
  FabricCompletion failed_completion();

  std::unique_ptr<fi_info, Free> info_;
  std::string provider_;
  int wait_descriptor_ = -1;
  // Closed from the last to the first.
  std::unique_ptr<fid_fabric, Close> fabric_;
  std::unique_ptr<fid_domain, Close> domain_;
  std::unique_ptr<fid_cq, Close> queue_;
  std::unique_ptr<fid_av, Close> addresses_;
  std::unique_ptr<fid_mr, Close> memory_;
  std::unique_ptr<fid_mr, Close> arena_;
  std::unique_ptr<fid_ep, Close> endpoint_;
};

}  // namespace weft::net
