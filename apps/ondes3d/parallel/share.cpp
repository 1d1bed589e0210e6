#include "parallel/share.hpp"

#include <type_traits>
#include <utility>

namespace ondes3d {
namespace {

constexpr int kSourceTag = 301;
constexpr int kGeologyTag = 304;

struct SourceParcel {
  std::vector<SourcePoint> points;
  std::vector<float> rates;
  double interval = 1;
};

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

SourceParcel pack(const Grid& grid, const Box& own, const std::vector<Source>& all) {
  SourceParcel parcel;
  for (const Source& source : all) {
    if (touches(grid, own, source.point.position)) {
      parcel.points.push_back(source.point);
      parcel.rates.insert(parcel.rates.end(), source.rate.begin(), source.rate.end());
      parcel.interval = source.interval;
    }
  }
  return parcel;
}

void send(MPI_Comm comm, int to, const SourceParcel& parcel) {
  const int counts[2] = {static_cast<int>(parcel.points.size()), static_cast<int>(parcel.rates.size())};
  MPI_Send(counts, 2, MPI_INT, to, kSourceTag, comm);
  MPI_Send(&parcel.interval, 1, MPI_DOUBLE, to, kSourceTag, comm);
  MPI_Send(parcel.points.data(), static_cast<int>(parcel.points.size() * sizeof(SourcePoint)), MPI_BYTE, to, kSourceTag,
           comm);
  MPI_Send(parcel.rates.data(), counts[1], MPI_FLOAT, to, kSourceTag, comm);
}

SourceParcel receive(MPI_Comm comm) {
  SourceParcel parcel;
  int counts[2] = {0, 0};
  MPI_Recv(counts, 2, MPI_INT, 0, kSourceTag, comm, MPI_STATUS_IGNORE);
  MPI_Recv(&parcel.interval, 1, MPI_DOUBLE, 0, kSourceTag, comm, MPI_STATUS_IGNORE);
  parcel.points.resize(static_cast<std::size_t>(counts[0]));
  parcel.rates.resize(static_cast<std::size_t>(counts[1]));
  MPI_Recv(parcel.points.data(), static_cast<int>(parcel.points.size() * sizeof(SourcePoint)), MPI_BYTE, 0, kSourceTag,
           comm, MPI_STATUS_IGNORE);
  MPI_Recv(parcel.rates.data(), counts[1], MPI_FLOAT, 0, kSourceTag, comm, MPI_STATUS_IGNORE);
  return parcel;
}

std::vector<Source> unpack(const SourceParcel& parcel) {
  std::vector<Source> sources;
  const auto samples =
      parcel.points.empty() ? 0 : static_cast<std::ptrdiff_t>(parcel.rates.size() / parcel.points.size());
  auto rate = parcel.rates.begin();
  for (const SourcePoint& point : parcel.points) {
    sources.push_back({point, {rate, rate + samples}, parcel.interval});
    rate += samples;
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

void share_geology(MPI_Comm comm, Case& c, const Decomposition& blocks) {
  if (!agree(comm, c.geology != nullptr)) {
    return;
  }
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  Parcel own;
  if (rank == 0) {
    for (int other = 1; other < blocks.ranks(); ++other) {
      const Parcel part = c.geology->part(blocks.own(other));
      MPI_Send(part.bytes().data(), static_cast<int>(part.bytes().size()), MPI_BYTE, other, kGeologyTag, comm);
    }
    own = c.geology->part(blocks.own(0));
  } else {
    MPI_Status status;
    MPI_Probe(0, kGeologyTag, comm, &status);
    int size = 0;
    MPI_Get_count(&status, MPI_BYTE, &size);
    std::vector<char> bytes(static_cast<std::size_t>(size));
    MPI_Recv(bytes.data(), size, MPI_BYTE, 0, kGeologyTag, comm, MPI_STATUS_IGNORE);
    own = Parcel(std::move(bytes));
  }
  c.geology = unpack_geology(c.model.grid, std::move(own));
  c.model.geology = c.geology;
}

std::vector<Source> share_sources(MPI_Comm comm, const Grid& grid, const Decomposition& columns,
                                  std::vector<Source> all) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  if (rank != 0) {
    return unpack(receive(comm));
  }
  for (int other = 1; other < columns.ranks(); ++other) {
    send(comm, other, pack(grid, columns.own(other), all));
  }
  return unpack(pack(grid, columns.own(0), all));
}

}  // namespace ondes3d
