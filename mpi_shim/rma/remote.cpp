// One-sided operations on memory of other processes: the origin side.
#include <algorithm>
#include <cstring>

#include "mpi_shim/rma/epochs.hpp"
#include "mpi_shim/rma/operation.hpp"
#include "runtime/control/cluster.hpp"

namespace weft::mpi_shim::rma {

namespace {

// Bytes of operations without a reply that may be under way to one process. They stay in this process's memory while
// the other one does not poll.
constexpr std::size_t kMostUnflushed = std::size_t{1} << 20;
// For a contiguous put of at least this many bytes, the target reads the origin's memory.
constexpr std::size_t kLongPut = 64 << 10;
constexpr std::size_t kMostRegions = 256;

// The most payload bytes and regions of one message.
struct Limits {
  std::size_t bytes;
  std::size_t regions;
};

Limits limits(const CheckedOperation& operation) {
  constexpr std::size_t kMostBytes = 64 << 10;
  const std::size_t longest =
      std::min(kMostBytes, operation.me.rank->job.cluster().longest_body() - sizeof(MessageHeader));
  if (operation.type->contiguous()) {
    return {longest, 1};
  }
  const std::size_t regions = std::min(kMostRegions, longest / 4 / sizeof(StridedRegion));
  return {longest - regions * sizeof(StridedRegion), regions};
}

MessageHeader header_of(const CheckedOperation& operation, RmaMessageKind kind) {
  MessageHeader header;
  header.window = operation.window->shared->id;
  header.kind = kind;
  header.target = operation.target;
  header.origin = operation.window->rank;
  header.address = reinterpret_cast<std::uint64_t>(operation.address);
  return header;
}

// Sends one fragment; `payload` is packed.
void send(const CheckedOperation& operation, MessageHeader header, const FragmentCursor& fragment,
          std::span<const std::byte> payload) {
  const runtime::Job& job = operation.me.rank->job;
  header.skip = fragment.skip();
  header.bytes = fragment.bytes();
  if (fragment.one_block()) {
    header.address += static_cast<std::uint64_t>(fragment.regions()[0].offset);
    RmaMessage(header).send(job, operation.process(), payload);
  } else {
    RmaMessage(header).send(job, operation.process(), fragment.regions(), payload);
  }
}

void note_unflushed(const CheckedOperation& operation, std::size_t bytes) {
  Window& window = *operation.window;
  const ProcessId process = operation.process();
  std::size_t& unflushed = window.unflushed[number(process)];
  unflushed += std::max<std::size_t>(bytes, 1);
  if (unflushed > kMostUnflushed) {
    start_flush(operation.me, window, process);
    window.outstanding.wait(operation.me, operation.target);
  }
}

// For a call with replies. The caller ends its own part with part_done().
Transfer& start_transfer(CheckedOperation& operation) {
  auto* const transfer = new Transfer(*operation.window);
  transfer->request = start_request(operation);
  transfer->into = operation.result;
  if (operation.result.layout != nullptr) {
    transfer->type = keep_alive(*operation.result_type);
  }
  return *transfer;
}

// A read of the target's memory by the transport.
struct Fetch : net::Read {
  Transfer* transfer = nullptr;
  runtime::Job* job = nullptr;
  std::vector<std::byte> room;  // the packed data, if the result buffer is not contiguous
};

void end_fetch(net::Read& read) {
  const std::unique_ptr<Fetch> fetch(&static_cast<Fetch&>(read));
  const runtime::Buffer& into = fetch->transfer->into;
  if (!fetch->room.empty()) {
    into.layout->unpack(into.base, into.count, 0, fetch->room);
  }
  part_done(*fetch->transfer);
  end_read(*fetch->job);
}

void start_fetch(const CheckedOperation& operation, Transfer& transfer) {
  auto fetch = std::make_unique<Fetch>();
  fetch->transfer = &transfer;
  fetch->job = &operation.me.rank->job;
  fetch->from = operation.process();
  fetch->address = operation.address + operation.type->true_lower_bound();
  if (operation.result.layout != nullptr) {
    fetch->room.resize(operation.bytes);
    fetch->into = fetch->room;
  } else {
    fetch->into = {static_cast<std::byte*>(operation.result.base), operation.bytes};
  }
  fetch->finished = &end_fetch;
  ++transfer.parts_left;
  begin_read(operation.me.rank->job, *fetch.release());
}

bool is_one_block(const CheckedOperation& operation) {
  return operation.type->contiguous() || (operation.count == 1 && operation.type->typemap().is_block());
}

void put_long(CheckedOperation& operation) {
  Transfer& transfer = start_transfer(operation);
  MessageHeader header = header_of(operation, RmaMessageKind::put_long);
  header.address += static_cast<std::uint64_t>(operation.type->true_lower_bound());
  header.token = transfer.token();
  header.skip = reinterpret_cast<std::uint64_t>(operation.origin.base);
  header.bytes = operation.bytes;
  RmaMessage(header).send(operation.me.rank->job, operation.process());
}

}  // namespace

void put_remote(CheckedOperation& operation) {
  if (operation.bytes >= kLongPut && operation.origin.layout == nullptr && is_one_block(operation)) {
    put_long(operation);
    return;
  }
  const Limits most = limits(operation);
  std::vector<std::byte> room;
  for (FragmentCursor fragment(operation, 1, most.bytes, most.regions); fragment.next();) {
    send(operation, header_of(operation, RmaMessageKind::put), fragment,
         {packed(operation.origin, fragment.skip(), fragment.bytes(), room), fragment.bytes()});
    note_unflushed(operation, fragment.bytes());
  }
}

void get_remote(CheckedOperation& operation) {
  Transfer& transfer = start_transfer(operation);
  if (is_one_block(operation)) {
    start_fetch(operation, transfer);
  } else {
    const Limits most = limits(operation);
    for (FragmentCursor fragment(operation, 1, most.bytes, most.regions); fragment.next();) {
      MessageHeader header = header_of(operation, RmaMessageKind::get);
      header.token = transfer.token();
      ++transfer.parts_left;
      send(operation, header, fragment, {});
    }
  }
  part_done(transfer);
}

void accumulate_remote(CheckedOperation& operation, MPI_Op op, const Datatype& element, bool old) {
  Transfer* const transfer = old ? &start_transfer(operation) : nullptr;
  const Limits most = limits(operation);
  std::vector<std::byte> room;
  for (FragmentCursor fragment(operation, element.size(), most.bytes, most.regions); fragment.next();) {
    MessageHeader header = header_of(operation, RmaMessageKind::accumulate);
    header.op = static_cast<std::uint32_t>(handle_value(op));
    header.element = static_cast<std::uint32_t>(handle_value(element.handle));
    std::span<const std::byte> payload;
    if (op != MPI_NO_OP) {
      payload = {packed(operation.origin, fragment.skip(), fragment.bytes(), room), fragment.bytes()};
    }
    if (transfer != nullptr) {
      header.token = transfer->token();
      ++transfer->parts_left;
    }
    send(operation, header, fragment, payload);
    if (transfer == nullptr) {
      note_unflushed(operation, fragment.bytes());
    }
  }
  if (transfer != nullptr) {
    part_done(*transfer);
  }
}

void swap_remote(CheckedOperation& operation, std::span<const std::byte> compare, std::span<const std::byte> value) {
  Transfer& transfer = start_transfer(operation);
  std::vector<std::byte> payload(compare.begin(), compare.end());
  payload.insert(payload.end(), value.begin(), value.end());
  MessageHeader header = header_of(operation, RmaMessageKind::swap);
  header.token = transfer.token();
  header.bytes = compare.size();
  RmaMessage(header).send(operation.me.rank->job, operation.process(), payload);
}

}  // namespace weft::mpi_shim::rma
