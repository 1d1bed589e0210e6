// What the argument fuzzer makes so that calls find something good, and how it frees all in the end.
#include <algorithm>
#include <cstring>

#include "mpi_shim/state/state.hpp"
#include "tests/mpi_shim/error/argument_callbacks.hpp"
#include "tests/mpi_shim/error/argument_holdings.hpp"

namespace weft::mpi_shim::fuzz {

namespace {

constexpr std::size_t kEnough = 3;  // below this more are made
constexpr std::size_t kMost = 20;   // above this the oldest are freed

}  // namespace

Holdings::Holdings(std::string folder) : folder_(std::move(folder)) {
  for (auto& arena : arenas_) {
    arena.resize(kArena);
  }
}

std::byte* Holdings::data(std::size_t arena) { return arenas_[arena].data() + kArena / 2; }

bool Holdings::is_live(MPI_Errhandler handler) {
  const auto& live = pool<MPI_Errhandler>().live;
  return std::ranges::find(live, handler) != live.end();
}

bool Holdings::is_internal(MPI_Comm comm) {
  return value_of(comm) >= kFirstReturned && find_comm(rank_state(), comm) != nullptr &&
         std::ranges::find(pool<MPI_Comm>().live, comm) == pool<MPI_Comm>().live.end();
}

void Holdings::settle_late_comms() {
  std::erase_if(late_comms_, [this](MPI_Comm* slot) {
    if (*slot == MPI_Comm{}) {
      return false;
    }
    if (value_of(*slot) >= kFirstReturned) {
      add(*slot);
    }
    return true;
  });
}

void Holdings::settle_keyval(int now, int before, int code) {
  if (now == before || code != MPI_SUCCESS) {
    return;
  }
  if (const auto place = std::ranges::find(keyvals_, before); place != keyvals_.end()) {
    keyvals_.erase(place);
  }
  if (now != MPI_KEYVAL_INVALID) {
    keyvals_.push_back(now);
  }
}

void Holdings::stock(Random& random) {
  release(kMost);
  stock_comms();
  stock_types();
  stock_requests();
  stock_windows();
  stock_others();
  std::memset(arenas_[static_cast<std::size_t>(below(random, static_cast<int>(kArenas)))].data(), 0, kArena);
}

void Holdings::stock_comms() {
  auto& comms = pool<MPI_Comm>();
  if (comms.live.size() > 2 * kEnough) {
    return;
  }
  MPI_Comm made = MPI_COMM_NULL;
  const auto take = [&](int code) {
    if (code == MPI_SUCCESS && made != MPI_COMM_NULL) {
      add(made);
    }
  };
  const int ones[] = {1, 1, 1};
  const int zeros[] = {0, 0, 0};
  const int indices[] = {2};
  take(PMPI_Comm_dup(MPI_COMM_WORLD, &made));
  take(PMPI_Comm_split(MPI_COMM_SELF, 0, 0, &made));
  take(PMPI_Cart_create(MPI_COMM_WORLD, 2, ones, ones, 0, &made));
  take(PMPI_Graph_create(MPI_COMM_WORLD, 1, indices, zeros, 0, &made));
  take(PMPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, zeros, ones, 2, zeros, ones, MPI_INFO_NULL, 0, &made));
}

void Holdings::stock_types() {
  auto& types = pool<MPI_Datatype>();
  if (types.live.size() > 2 * kEnough) {
    return;
  }
  MPI_Datatype made = MPI_DATATYPE_NULL;
  const auto take = [&](int code) {
    if (code == MPI_SUCCESS) {
      PMPI_Type_commit(&made);
      types.add(made);
    }
  };
  const int lengths[] = {1, 2, 1};
  const MPI_Aint places[] = {0, 8, -24};
  const MPI_Datatype members[] = {MPI_INT, MPI_DOUBLE, MPI_CHAR};
  take(PMPI_Type_vector(3, 1, 2, MPI_INT, &made));
  take(PMPI_Type_create_struct(3, lengths, places, members, &made));
  take(PMPI_Type_create_resized(MPI_DOUBLE, -8, 32, &made));
  take(PMPI_Type_create_resized(MPI_INT, 0, MPI_Aint{1} << 58, &made));
  take(PMPI_Type_contiguous(0, MPI_INT, &made));
  take(PMPI_Type_contiguous(4, MPI_BYTE, &made));
}

void Holdings::stock_requests() {
  auto& requests = pool<MPI_Request>();
  if (requests.live.size() > 2 * kEnough) {
    return;
  }
  MPI_Request made = MPI_REQUEST_NULL;
  const auto take = [&](int code) {
    if (code == MPI_SUCCESS) {
      requests.add(made);
    }
  };
  void* const buffer = data(0);
  take(PMPI_Irecv(buffer, 4, MPI_INT, 0, 1, MPI_COMM_WORLD, &made));
  take(PMPI_Isend(buffer, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &made));
  take(PMPI_Send_init(buffer, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &made));
  take(PMPI_Recv_init(buffer, 4, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &made));
  take(PMPI_Psend_init(buffer, 2, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &made));
  take(PMPI_Barrier_init(MPI_COMM_SELF, MPI_INFO_NULL, &made));
  take(PMPI_Grequest_start(&Callback<MPI_Grequest_query_function>::call, &Callback<MPI_Grequest_free_function>::call,
                           &Callback<MPI_Grequest_cancel_function>::call, nullptr, &made));
  PMPI_Send(buffer, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
}

void Holdings::stock_windows() {
  if (pool<MPI_Win>().live.size() >= kEnough) {
    return;
  }
  MPI_Win made[4] = {};
  void* base = data(1);
  PMPI_Win_create(base, kRoom, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &made[0]);
  PMPI_Win_allocate(kRoom, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &made[1]);
  PMPI_Win_allocate_shared(kRoom, 1, MPI_INFO_NULL, MPI_COMM_SELF, &base, &made[2]);
  PMPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &made[3]);
  for (const MPI_Win window : made) {
    add(window);
  }
}

void Holdings::stock_others() {
  const auto lacks = [&](auto& of_kind) { return of_kind.live.size() < kEnough; };
  if (auto& files = pool<MPI_File>(); lacks(files)) {
    MPI_File made = MPI_FILE_NULL;
    if (PMPI_File_open(MPI_COMM_SELF, (folder_ + "a").c_str(), MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &made) ==
        MPI_SUCCESS) {
      files.add(made);
    }
  }
  if (auto& infos = pool<MPI_Info>(); lacks(infos)) {
    infos.add(MPI_INFO_NULL);
    PMPI_Info_create(&infos.live.back());
    PMPI_Info_set(infos.live.back(), "key", "a");
  }
  if (auto& groups = pool<MPI_Group>(); lacks(groups)) {
    groups.add(MPI_GROUP_NULL);
    PMPI_Comm_group(MPI_COMM_WORLD, &groups.live.back());
  }
  if (auto& ops = pool<MPI_Op>(); lacks(ops)) {
    ops.add(MPI_OP_NULL);
    PMPI_Op_create(&Callback<MPI_User_function>::call, 1, &ops.live.back());
  }
  if (auto& handlers = pool<MPI_Errhandler>(); lacks(handlers)) {
    handlers.add(MPI_ERRHANDLER_NULL);
    PMPI_Comm_create_errhandler(&Callback<MPI_Comm_errhandler_function>::call, &handlers.live.back());
  }
  if (auto& sessions = pool<MPI_Session>(); lacks(sessions)) {
    sessions.add(MPI_SESSION_NULL);
    PMPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &sessions.live.back());
  }
  if (auto& messages = pool<MPI_Message>(); lacks(messages)) {
    int flag = 0;
    MPI_Message made = MPI_MESSAGE_NULL;
    PMPI_Improbe(0, 2, MPI_COMM_WORLD, &flag, &made, MPI_STATUS_IGNORE);
    if (flag != 0) {
      messages.add(made);
    }
  }
}

// Receives what has come.
void Holdings::drain(MPI_Comm comm) {
  for (int flag = 1; flag != 0;) {
    MPI_Message message = MPI_MESSAGE_NULL;
    flag = 0;
    PMPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &flag, &message, MPI_STATUS_IGNORE);
    if (flag != 0) {
      PMPI_Mrecv(arenas_[0].data(), kArena, MPI_BYTE, &message, MPI_STATUS_IGNORE);
    }
  }
}

// Whether the request is gone.
bool Holdings::retire(MPI_Request request) {
  const auto done = [&] {
    int flag = 0;
    return PMPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE) != MPI_SUCCESS || flag != 0;
  };
  if (!done()) {
    PMPI_Grequest_complete(request);
    PMPI_Cancel(&request);
    drain(MPI_COMM_WORLD);
    drain(MPI_COMM_SELF);
  }
  for (int partition = 0; partition < kRoom && !done(); ++partition) {
    PMPI_Pready(partition, request);
  }
  if (!done()) {
    return false;
  }
  PMPI_Wait(&request, MPI_STATUS_IGNORE);
  if (request != MPI_REQUEST_NULL) {
    PMPI_Request_free(&request);
  }
  return true;
}

void Holdings::close_window(MPI_Win window) {
  PMPI_Win_unlock_all(window);
  PMPI_Win_unlock(0, window);
  PMPI_Win_complete(window);
  int flag = 0;
  if (PMPI_Win_test(window, &flag) == MPI_SUCCESS && flag == 0) {  // exposed to this rank
    MPI_Group group = MPI_GROUP_NULL;
    PMPI_Win_get_group(window, &group);
    PMPI_Win_start(group, 0, window);
    PMPI_Win_complete(window);
    PMPI_Win_wait(window);
    PMPI_Group_free(&group);
  }
  PMPI_Win_fence(MPI_MODE_NOSUCCEED, window);
  PMPI_Win_free(&window);
}

void Holdings::close_file(MPI_File file) {
  for (const auto end : {&PMPI_File_read_all_end, &PMPI_File_read_at_all_end, &PMPI_File_read_ordered_end}) {
    end(file, arenas_[0].data(), MPI_STATUS_IGNORE);
  }
  for (const auto end : {&PMPI_File_write_all_end, &PMPI_File_write_at_all_end, &PMPI_File_write_ordered_end}) {
    end(file, arenas_[0].data(), MPI_STATUS_IGNORE);
  }
  PMPI_File_close(&file);
}

template <typename Handle, typename Free>
void Holdings::release(std::size_t leave, Free&& free) {
  Pool<Handle>& mine = pool<Handle>();
  while (mine.live.size() > leave) {
    const Handle oldest = mine.live.front();
    free(oldest);
    mine.forget(oldest);
  }
}

void Holdings::release(std::size_t leave) {
  auto& requests = pool<MPI_Request>();
  for (std::size_t i = 0; i < requests.live.size() && requests.live.size() > leave;) {
    const MPI_Request one = requests.live[i];
    retire(one) ? requests.forget(one) : static_cast<void>(++i);
  }
  settle_late_comms();
  release<MPI_Message>(
      leave, [&](MPI_Message one) { PMPI_Mrecv(arenas_[0].data(), kArena, MPI_BYTE, &one, MPI_STATUS_IGNORE); });
  release<MPI_Win>(leave, [&](MPI_Win one) { close_window(one); });
  release<MPI_File>(leave, [&](MPI_File one) { close_file(one); });
  release<MPI_Comm>(leave, [](MPI_Comm one) { PMPI_Comm_free(&one); });
  release<MPI_Datatype>(leave, [](MPI_Datatype one) { PMPI_Type_free(&one); });
  release<MPI_Group>(leave, [](MPI_Group one) { PMPI_Group_free(&one); });
  release<MPI_Info>(leave, [](MPI_Info one) { PMPI_Info_free(&one); });
  release<MPI_Op>(leave, [](MPI_Op one) { PMPI_Op_free(&one); });
  release<MPI_Errhandler>(leave, [](MPI_Errhandler one) { PMPI_Errhandler_free(&one); });
  release<MPI_Session>(leave, [](MPI_Session one) { PMPI_Session_finalize(&one); });
  release<MPI_T_cvar_handle>(leave, [](MPI_T_cvar_handle one) { PMPI_T_cvar_handle_free(&one); });
  release<MPI_T_pvar_session>(leave, [](MPI_T_pvar_session one) { PMPI_T_pvar_session_free(&one); });
  pool<MPI_T_pvar_handle>().live.clear();  // with their sessions
  for (; keyvals_.size() > leave; keyvals_.erase(keyvals_.begin())) {
    for (const auto free : {&PMPI_Comm_free_keyval, &PMPI_Type_free_keyval, &PMPI_Win_free_keyval}) {
      int keyval = keyvals_.front();
      free(&keyval);
    }
  }
  for (; allocated_.size() > leave; allocated_.pop_back()) {
    PMPI_Free_mem(allocated_.back());
  }
}

void Holdings::release_all() {
  PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  PMPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  PMPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN);
  release(0);
  drain(MPI_COMM_WORLD);
  drain(MPI_COMM_SELF);
  release(0);
  void* detached = nullptr;
  int size = 0;
  PMPI_Buffer_detach(&detached, &size);
  PMPI_Comm_detach_buffer(MPI_COMM_WORLD, &detached, &size);
  PMPI_Comm_detach_buffer(MPI_COMM_SELF, &detached, &size);
  while (PMPI_T_finalize() == MPI_SUCCESS) {
  }
}

}  // namespace weft::mpi_shim::fuzz
