// MPI_Psend_init, MPI_Precv_init, MPI_Pready and its like, MPI_Parrived.
#include "mpi_shim/entry/failure_errors.hpp"
#include "mpi_shim/p2p/partitioned/partitioned.hpp"
#include "mpi_shim/request/progress.hpp"
#include "mpi_shim/request/request_set.hpp"

using namespace weft::mpi_shim;

namespace {

// MPI_SUCCESS, or the error that was raised.
int check_init(const Entry& entry, const MessageArguments& call, int partitions, const MPI_Request* request) {
  if (const Communicator* const comm = find_comm(entry.me, call.comm); comm != nullptr) {
    if (const int error = refuse_if_fault_tolerant(entry, *comm, "partitioned messages"); error != MPI_SUCCESS) {
      return error;
    }
  }
  if (request == nullptr) {
    return entry.null_argument(call.comm, "request");
  }
  if (partitions < 0) {
    return entry.raise(call.comm, MPI_ERR_ARG, "partitions {} is negative", partitions);
  }
  return MPI_SUCCESS;
}

// REQUIRES: checked arguments.
PartitionedBuffer describe_buffer(RankState& me, const MessageArguments& call, int partitions) {
  const Datatype& type = *find_datatype(me, call.datatype);
  return {.base = static_cast<std::byte*>(const_cast<void*>(call.address)),
          .partitions = partitions,
          .count = static_cast<std::uint64_t>(call.count),
          .element_bytes = type.size(),
          .extent = type.extent(),
          .type = type.contiguous() ? nullptr : shared(type)};
}

template <typename Transfer>
int add_transfer(RankState& me, const MessageArguments& call, int partitions, const PreparedMessage& prepared,
                 MPI_Request* request) {
  auto transfer = std::make_unique<Transfer>(*me.rank, describe_buffer(me, call, partitions), prepared);
  transfer->start_handshake(call.comm);
  *request = add_persistent_operation(me, call.comm, std::move(transfer));
  return MPI_SUCCESS;
}

int send_init(const Entry& entry, const MessageArguments& call, int partitions, MPI_Request* request) {
  if (const int error = check_init(entry, call, partitions, request); error != MPI_SUCCESS) {
    return error;
  }
  CheckedMessage checked;
  PreparedMessage prepared;
  if (checked.checks_as_send(entry.me, call)) {
    prepared.to = &checked.receiver(entry.me, call);
    prepared.key = checked.send_key(call);
    prepared.key.context |= kPartitionedContext;
    prepared.peer = call.peer;
  } else if (const int error = refuse_send(entry, call); error != MPI_SUCCESS) {
    return error;
  }
  return add_transfer<PartitionedSend>(entry.me, call, partitions, prepared, request);
}

int receive_init(const Entry& entry, const MessageArguments& call, int partitions, MPI_Request* request) {
  if (const int error = check_init(entry, call, partitions, request); error != MPI_SUCCESS) {
    return error;
  }
  if (call.peer == MPI_ANY_SOURCE) {
    return entry.raise(call.comm, MPI_ERR_RANK, "partitions cannot be received from MPI_ANY_SOURCE");
  }
  if (call.tag == MPI_ANY_TAG) {
    return entry.raise(call.comm, MPI_ERR_TAG, "partitions cannot be received with MPI_ANY_TAG");
  }
  CheckedMessage checked;
  PreparedMessage prepared;
  if (checked.checks_as_receive(entry.me, call)) {
    prepared.key = checked.receive_key(call);
    prepared.key.context |= kPartitionedContext;
    prepared.peer = call.peer;
    prepared.receives = true;
  } else if (const int error = refuse_receive(entry, call); error != MPI_SUCCESS) {
    return error;
  }
  return add_transfer<PartitionedReceive>(entry.me, call, partitions, prepared, request);
}

// The checked request of a call on partitions.
template <typename Transfer>
struct OneTransfer {
  OneTransfer(const Entry& entry, MPI_Request request) : one(entry, &request) {
    transfer = one.request == nullptr ? nullptr : dynamic_cast<Transfer*>(one.request->operation.get());
    if (one.error == MPI_SUCCESS && transfer == nullptr) {
      one.error = entry.raise(one.request == nullptr ? MPI_COMM_NULL : one.request->comm, MPI_ERR_REQUEST,
                              "the request is not one that {} partitions",
                              std::is_same_v<Transfer, PartitionedSend> ? "sends" : "receives");
    }
  }
  // MPI_SUCCESS, or the error that was raised.
  int check_partition(const Entry& entry, int partition) const {
    if (partition >= 0 && partition < transfer->partitions()) {
      return MPI_SUCCESS;
    }
    return entry.raise(one.request->comm, MPI_ERR_ARG, "partition {} is not one of the request's, which are 0 to {}",
                       partition, transfer->partitions() - 1);
  }

  OneRequest one;
  Transfer* transfer = nullptr;
};

int make_ready(const Entry& entry, const OneTransfer<PartitionedSend>& send, int partition) {
  if (!send.one.active()) {
    return entry.raise(send.one.request->comm, MPI_ERR_REQUEST, "the request is not active: call MPI_Start first");
  }
  if (const int error = send.check_partition(entry, partition); error != MPI_SUCCESS) {
    return error;
  }
  if (!send.transfer->ready(entry.me, partition)) {
    return entry.raise(send.one.request->comm, MPI_ERR_ARG, "partition {} has been marked as ready since MPI_Start",
                       partition);
  }
  return MPI_SUCCESS;
}

// Makes partition_of(i) ready, for all i in [0, n).
template <typename PartitionOf>
int make_all_ready(const Entry& entry, MPI_Request request, std::int64_t n, PartitionOf&& partition_of) {
  const OneTransfer<PartitionedSend> send(entry, request);
  if (send.one.error != MPI_SUCCESS) {
    return send.one.error;
  }
  for (std::int64_t i = 0; i < n; ++i) {
    if (const int error = make_ready(entry, send, partition_of(i)); error != MPI_SUCCESS) {
      return error;
    }
  }
  weft::runtime::wake_waiters(*entry.me.rank);  // a thread that waits for all partitions may have waited for these
  return MPI_SUCCESS;
}

int pready_range(const Entry& entry, int partition_low, int partition_high, MPI_Request request) {
  if (partition_low > partition_high) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_ARG, "partition_low {} is above partition_high {}", partition_low,
                       partition_high);
  }
  const std::int64_t first = partition_low;
  return make_all_ready(entry, request, partition_high - first + 1,
                        [&](std::int64_t i) { return static_cast<int>(first + i); });
}

int pready_list(const Entry& entry, int length, const int array_of_partitions[], MPI_Request request) {
  if (length < 0 || (length > 0 && array_of_partitions == nullptr)) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_ARG, "length {} is negative or array_of_partitions a null pointer",
                       length);
  }
  return make_all_ready(entry, request, length, [&](std::int64_t i) { return array_of_partitions[i]; });
}

int parrived(const Entry& entry, MPI_Request request, int partition, int* flag) {
  *flag = 1;
  if (request == MPI_REQUEST_NULL) {
    return MPI_SUCCESS;
  }
  const OneTransfer<PartitionedReceive> receive(entry, request);
  if (receive.one.error != MPI_SUCCESS) {
    return receive.one.error;
  }
  if (const int error = receive.check_partition(entry, partition); error != MPI_SUCCESS) {
    return error;
  }
  const PendingRequest& pending = *receive.one.request;
  if (!pending.active || pending.finished || receive.transfer->arrived(entry.me, partition)) {
    return MPI_SUCCESS;
  }
  make_progress(entry.me);
  *flag = pending.finished || receive.transfer->arrived(entry.me, partition) ? 1 : 0;
  return MPI_SUCCESS;
}

}  // namespace

extern "C" {

int PMPI_Pready(int partition, MPI_Request request) {
  return make_all_ready(Entry("MPI_Pready"), request, 1, [&](std::int64_t) { return partition; });
}
}

#include "mpi_shim/generated/p2p/partitioned/calls.inc"
