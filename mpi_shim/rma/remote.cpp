// One-sided operations on memory of other processes: the origin's side.
#include <algorithm>
#include <cstring>

#include "mpi_shim/rma/epochs.hpp"
#include "mpi_shim/rma/operation.hpp"
#include "runtime/control/cluster.hpp"

namespace weft::mpi_shim::rma {

namespace {

// Of what nobody answers, so much may be on its way to one process: it waits in this one's memory if that does not
// look.
constexpr std::size_t kMostUnflushed = std::size_t{1} << 20;
// From here on the target reads a put out of the origin's memory.
constexpr std::size_t kLongPut = 64 << 10;
constexpr std::size_t kMostRuns = 256;

// Payload and runs of one message.
struct Limits {
  std::size_t bytes;
  std::size_t runs;
};

Limits limits(const Operation& operation) {
  constexpr std::size_t kMostBytes = 64 << 10;
  const std::size_t longest = std::min(kMostBytes, operation.me.rank->job.cluster().longest_body() - sizeof(Words));
  if (operation.type->contiguous()) {
    return {longest, 1};
  }
  const std::size_t runs = std::min(kMostRuns, longest / 4 / sizeof(Run));
  return {longest - runs * sizeof(Run), runs};
}

Words words_of(const Operation& operation, What what) {
  Words words;
  words.window = operation.window->shared->id;
  words.what = what;
  words.target = operation.target;
  words.origin = operation.window->rank;
  words.address = reinterpret_cast<std::uint64_t>(operation.address);
  return words;
}

// Sends one piece; `payload` is packed.
void send(const Operation& operation, Words words, const Pieces& piece, std::span<const std::byte> payload) {
  const runtime::Job& job = operation.me.rank->job;
  words.skip = piece.skip();
  words.bytes = piece.bytes();
  if (piece.one_block()) {
    words.address += static_cast<std::uint64_t>(piece.runs()[0].offset);
    Message(words).send(job, operation.process(), payload);
  } else {
    Message(words).send(job, operation.process(), piece.runs(), payload);
  }
}

void note_unflushed(const Operation& operation, std::size_t bytes) {
  Window& window = *operation.window;
  const ProcessId process = operation.process();
  std::size_t& unflushed = window.unflushed[number(process)];
  unflushed += std::max<std::size_t>(bytes, 1);
  if (unflushed > kMostUnflushed) {
    start_flush(operation.me, window, process);
    window.unanswered.wait(operation.me, operation.target);
  }
}

// For a call that is answered; it ends with part_done().
Transfer& start_transfer(Operation& operation) {
  auto* const transfer = new Transfer(*operation.window);
  transfer->request = event_of(operation);
  transfer->into = operation.result;
  if (operation.result.layout != nullptr) {
    transfer->type = keep_alive(*operation.result_type);
  }
  return *transfer;
}

// A read of the target's memory.
struct Fetch : net::Read {
  Transfer* transfer = nullptr;
  runtime::Job* job = nullptr;
  std::vector<std::byte> room;  // where the result is not in a row
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

void start_fetch(const Operation& operation, Transfer& transfer) {
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
  ++transfer.left;
  begin_read(operation.me.rank->job, *fetch.release());
}

bool is_one_block(const Operation& operation) {
  return operation.type->contiguous() || (operation.count == 1 && operation.type->typemap().is_block());
}

void put_long(Operation& operation) {
  Transfer& transfer = start_transfer(operation);
  Words words = words_of(operation, What::put_long);
  words.address += static_cast<std::uint64_t>(operation.type->true_lower_bound());
  words.token = transfer.token();
  words.skip = reinterpret_cast<std::uint64_t>(operation.origin.base);
  words.bytes = operation.bytes;
  Message(words).send(operation.me.rank->job, operation.process());
}

}  // namespace

void put_remote(Operation& operation) {
  if (operation.bytes >= kLongPut && operation.origin.layout == nullptr && is_one_block(operation)) {
    put_long(operation);
    return;
  }
  const Limits most = limits(operation);
  std::vector<std::byte> room;
  for (Pieces piece(operation, 1, most.bytes, most.runs); piece.next();) {
    send(operation, words_of(operation, What::put), piece,
         {packed(operation.origin, piece.skip(), piece.bytes(), room), piece.bytes()});
    note_unflushed(operation, piece.bytes());
  }
}

void get_remote(Operation& operation) {
  Transfer& transfer = start_transfer(operation);
  if (is_one_block(operation)) {
    start_fetch(operation, transfer);
  } else {
    const Limits most = limits(operation);
    for (Pieces piece(operation, 1, most.bytes, most.runs); piece.next();) {
      Words words = words_of(operation, What::get);
      words.token = transfer.token();
      ++transfer.left;
      send(operation, words, piece, {});
    }
  }
  part_done(transfer);
}

void accumulate_remote(Operation& operation, MPI_Op op, const Datatype& element, bool old) {
  Transfer* const transfer = old ? &start_transfer(operation) : nullptr;
  const Limits most = limits(operation);
  std::vector<std::byte> room;
  for (Pieces piece(operation, element.size(), most.bytes, most.runs); piece.next();) {
    Words words = words_of(operation, What::accumulate);
    words.op = static_cast<std::uint32_t>(handle_value(op));
    words.element = static_cast<std::uint32_t>(handle_value(element.handle));
    std::span<const std::byte> payload;
    if (op != MPI_NO_OP) {
      payload = {packed(operation.origin, piece.skip(), piece.bytes(), room), piece.bytes()};
    }
    if (transfer != nullptr) {
      words.token = transfer->token();
      ++transfer->left;
    }
    send(operation, words, piece, payload);
    if (transfer == nullptr) {
      note_unflushed(operation, piece.bytes());
    }
  }
  if (transfer != nullptr) {
    part_done(*transfer);
  }
}

void swap_remote(Operation& operation, std::span<const std::byte> compare, std::span<const std::byte> value) {
  Transfer& transfer = start_transfer(operation);
  std::vector<std::byte> payload(compare.begin(), compare.end());
  payload.insert(payload.end(), value.begin(), value.end());
  Words words = words_of(operation, What::swap);
  words.token = transfer.token();
  words.bytes = compare.size();
  Message(words).send(operation.me.rank->job, operation.process(), payload);
}

}  // namespace weft::mpi_shim::rma
