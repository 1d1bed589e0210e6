#include "tests/mpi_shim/error/argument_notes.hpp"

#include <algorithm>
#include <string_view>

#include "mpi_shim/state/state.hpp"

namespace weft::mpi_shim::fuzz {

namespace {

bool is_done(MPI_Request request) {
  int flag = 0;
  return PMPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE) != MPI_SUCCESS || flag != 0;
}

// Bytes on either side of an address that elements of the type may touch; 0 for what is no type. Saturated.
std::int64_t reach_of(MPI_Datatype type, std::int64_t count, std::int64_t displacement) {
  MPI_Count lower = 0, extent = 0, true_lower = 0, true_extent = 0;
  if (PMPI_Type_get_extent_c(type, &lower, &extent) != MPI_SUCCESS ||
      PMPI_Type_get_true_extent_c(type, &true_lower, &true_extent) != MPI_SUCCESS) {
    return 0;
  }
  const auto positive = [](std::int64_t value) { return static_cast<long double>(value < 0 ? -(value + 1) : value); };
  const long double reach = (positive(count) + positive(displacement)) * std::max(positive(extent), 1.0L) +
                            positive(true_lower) + positive(true_extent) + positive(lower);
  return reach > 1e15L ? INT64_MAX : static_cast<std::int64_t>(reach);
}

}  // namespace

bool ArgumentNotes::may_call(Guard guard, Holdings& holdings) const {
  return refused() || (fits() && allowed(guard, holdings));
}

void ArgumentNotes::note_number(const char* name, Numbers kind, std::int64_t value) {
  numbers_.emplace_back(name, value);
  if (kind == Numbers::count || kind == Numbers::length || std::string_view(name) == "partitions") {
    most_count_ = std::max(most_count_, value);
  } else if (kind == Numbers::displ || (kind == Numbers::wide && std::string_view(name).ends_with("displs"))) {
    most_displacement_ = std::max({most_displacement_, value, value == INT64_MIN ? INT64_MAX : -value});
  }
}

std::int64_t ArgumentNotes::noted(std::string_view name) const {
  const auto found = std::ranges::find_if(numbers_, [&](const auto& one) { return name == one.first; });
  return found == numbers_.end() ? 0 : found->second;
}

bool ArgumentNotes::has(std::string_view name) const {
  return std::ranges::any_of(numbers_, [&](const auto& one) { return name == one.first; });
}

bool ArgumentNotes::all_done() const {
  const std::string_view length = has("incount") ? "incount" : "count";
  const auto asked = has(length) ? std::clamp<std::int64_t>(noted(length), 0, kLongArray) : 1;
  const auto end = requests_.begin() + std::min<std::int64_t>(asked, std::ssize(requests_));
  return std::all_of(requests_.begin(), end, is_done);
}

bool ArgumentNotes::refused() const {
  RankState& me = rank_state();
  return std::ranges::any_of(comms_, [&](MPI_Comm comm) { return find_comm(me, comm) == nullptr; });
}

bool ArgumentNotes::fits() const {
  if (!has_data_) {
    return true;
  }
  const bool absolute =
      std::ranges::any_of(types_, [](MPI_Datatype type) { return value_of(type) >= Holdings::kFirstReturned; });
  return !(has_null_data_ && absolute) && std::ranges::all_of(types_, [&](MPI_Datatype type) {
    return reach_of(type, most_count_, most_displacement_) <= Holdings::kRoom;
  });
}

// Whether a receive would find one at once, or complain.
bool ArgumentNotes::has_message(std::int64_t source, std::int64_t tag, MPI_Comm comm) const {
  int flag = 0;
  return PMPI_Iprobe(static_cast<int>(source), static_cast<int>(tag), comm, &flag, MPI_STATUS_IGNORE) != MPI_SUCCESS ||
         flag != 0;
}

// The rank's own communicators are freed at some time, MPI_COMM_WORLD and MPI_COMM_SELF are not.
bool ArgumentNotes::send_can_be_fetched(std::int64_t dest) const {
  return dest != 0 || comms_.empty() || comms_.front() == MPI_COMM_WORLD || comms_.front() == MPI_COMM_SELF;
}

bool ArgumentNotes::allowed(Guard guard, Holdings& holdings) const {
  const MPI_Comm comm = comms_.empty() ? MPI_COMM_NULL : comms_.front();
  switch (guard) {
    case Guard::none:
      return true;
    case Guard::send:
      return send_can_be_fetched(noted("dest"));
    case Guard::synchronous:
      return noted("dest") != 0;
    case Guard::receive:
      return has_message(noted("source"), noted("tag"), comm);
    case Guard::sendrecv:
      return send_can_be_fetched(noted("dest")) && has_message(noted("source"), noted("recvtag"), comm);
    case Guard::partitioned:
      return noted("dest") != 0 && noted("dest") != MPI_ANY_SOURCE;
    case Guard::adjacent:  // else calls among neighbours wait for what nobody sends
      return noted("indegree") == noted("outdegree");
    case Guard::wait:
      return all_done();
    case Guard::win_start: {
      int size = 0;
      return groups_.empty() || PMPI_Group_size(groups_.front(), &size) != MPI_SUCCESS || size == 0;
    }
    case Guard::win_wait: {
      int flag = 0;
      return windows_.empty() || PMPI_Win_test(windows_.front(), &flag) != MPI_SUCCESS || flag != 0;
    }
    case Guard::errhandler_free:  // a second time would take it from an object that has it
      return errhandlers_.empty() || value_of(errhandlers_.front()) < Holdings::kFirstReturned ||
             holdings.is_live(errhandlers_.front());
  }
  return true;
}

}  // namespace weft::mpi_shim::fuzz
