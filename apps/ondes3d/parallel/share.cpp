#include "parallel/share.hpp"

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

#include "parallel/available_memory.hpp"
#include "parallel/weft.hpp"
#include "physics/footprint.hpp"
#include "physics/recorder.hpp"

namespace ondes3d {
namespace {

constexpr int kSourceTag = 301;
constexpr int kGeologyTag = 304;

template <typename Value>
void share_value(MPI_Comm comm, Value& value) {
  static_assert(std::is_trivially_copyable_v<Value>);
  MPI_Bcast(&value, static_cast<int>(sizeof(Value)), MPI_BYTE, 0, comm);
}

template <typename Value>
void share_list(MPI_Comm comm, std::vector<Value>& list) {
  static_assert(std::is_trivially_copyable_v<Value>);
  int count = static_cast<int>(list.size());
  MPI_Bcast(&count, 1, MPI_INT, 0, comm);
  list.resize(static_cast<std::size_t>(count));
  MPI_Bcast(list.data(), static_cast<int>(list.size() * sizeof(Value)), MPI_BYTE, 0, comm);
}

// Calls body(offset, count) for the pieces of so many bytes: MPI counts in ints.
template <typename Body>
void in_pieces(std::size_t size, const Body& body) {
  constexpr std::size_t kPiece = std::size_t{1} << 30;
  for (std::size_t offset = 0; offset < size; offset += kPiece) {
    body(offset, static_cast<int>(std::min(kPiece, size - offset)));
  }
}

void send(MPI_Comm comm, int to, int tag, const PackedBytes& packed) {
  const unsigned long long size = packed.bytes().size();
  MPI_Send(&size, 1, MPI_UNSIGNED_LONG_LONG, to, tag, comm);
  in_pieces(size, [&](std::size_t offset, int count) {
    MPI_Send(packed.bytes().data() + offset, count, MPI_BYTE, to, tag, comm);
  });
}

PackedBytes receive(MPI_Comm comm, int tag) {
  unsigned long long size = 0;
  MPI_Recv(&size, 1, MPI_UNSIGNED_LONG_LONG, 0, tag, comm, MPI_STATUS_IGNORE);
  std::vector<char> bytes(size);
  in_pieces(size, [&](std::size_t offset, int count) {
    MPI_Recv(bytes.data() + offset, count, MPI_BYTE, 0, tag, comm, MPI_STATUS_IGNORE);
  });
  return PackedBytes(std::move(bytes));
}

// The sources that touch these cells, in their order.
PackedBytes pack(const Grid& grid, const Box& own, const std::vector<Source>& all) {
  const auto near = [&](const Source& source) { return touches(grid, own, source.point.position); };
  PackedBytes packed;
  packed.put(std::count_if(all.begin(), all.end(), near));
  for (const Source& source : all) {
    if (near(source)) {
      packed.put(source.point);
      packed.put_list(source.rate);
      packed.put(source.interval);
      packed.put(source.first);
    }
  }
  return packed;
}

std::vector<Source> unpack(PackedBytes packed) {
  std::vector<Source> sources(static_cast<std::size_t>(packed.take<std::ptrdiff_t>()));
  for (Source& source : sources) {
    source.point = packed.take<SourcePoint>();
    source.rate = packed.take_list<float>();
    source.interval = packed.take<double>();
    source.first = packed.take<int>();
  }
  return sources;
}

}  // namespace

bool agree(MPI_Comm comm, bool ok) {
  int value = ok ? 1 : 0;
  share_value(comm, value);
  return value == 1;
}

std::string share_text(MPI_Comm comm, std::string text) {
  int length = static_cast<int>(text.size());
  share_value(comm, length);
  text.resize(static_cast<std::size_t>(length));
  MPI_Bcast(text.data(), length, MPI_CHAR, 0, comm);
  return text;
}

void share_model(MPI_Comm comm, Case& c) {
  share_value(comm, c.model.grid);
  share_value(comm, c.model.cpml);
  share_value(comm, c.hypocentre);
  share_value(comm, c.planes);
  share_list(comm, c.model.layers);
  share_list(comm, c.stations);
}

std::string check_memory(MPI_Comm comm, const Case& c, const Decomposition& blocks, std::size_t bytes_per_value) {
  std::array<char, MPI_MAX_PROCESSOR_NAME> host{};
  int length = 0;
  MPI_Get_processor_name(host.data(), &length);
  const AvailableMemory own = available_memory_here(host.data(), worker_count() > 0);
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  std::vector<AvailableMemory> available(rank == 0 ? static_cast<std::size_t>(blocks.ranks()) : 0);
  MPI_Gather(&own, sizeof own, MPI_BYTE, available.data(), sizeof own, MPI_BYTE, 0, comm);
  std::vector<double> needs;
  for (std::size_t n = 0; n < available.size(); ++n) {
    needs.push_back(footprint(c.model, blocks.own(static_cast<int>(n)), bytes_per_value));
  }
  if (rank == 0) {  // all seismograms come to rank 0
    needs[0] +=
        static_cast<double>(sizeof(Trace::value_type)) * c.model.grid.steps * static_cast<double>(c.stations.size());
  }
  return rank == 0 ? shortage(available, needs, c.model.grid.cells) : "";
}

SourceStrength share_strength(MPI_Comm comm, const std::vector<Source>& sources) {
  SourceStrength strength = strength_of(sources);
  share_value(comm, strength);
  return strength;
}

void share_geology(MPI_Comm comm, Case& c, const Decomposition& blocks) {
  if (!agree(comm, c.geology != nullptr)) {
    return;
  }
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  PackedBytes own;
  if (rank == 0) {
    for (int other = 1; other < blocks.ranks(); ++other) {
      send(comm, other, kGeologyTag, c.geology->part(blocks.own(other)));
    }
    own = c.geology->part(blocks.own(0));
  } else {
    own = receive(comm, kGeologyTag);
  }
  c.geology = unpack_geology(c.model.grid, std::move(own));
  c.model.geology = c.geology;
}

std::vector<Source> share_sources(MPI_Comm comm, const Grid& grid, const Decomposition& columns,
                                  std::vector<Source> all) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  if (rank != 0) {
    return unpack(receive(comm, kSourceTag));
  }
  for (int other = 1; other < columns.ranks(); ++other) {
    send(comm, other, kSourceTag, pack(grid, columns.own(other), all));
  }
  return unpack(pack(grid, columns.own(0), all));
}

}  // namespace ondes3d
