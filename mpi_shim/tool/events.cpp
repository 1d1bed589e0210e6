// MPI_T's events: there are none, and no sources, so that no handle, instance or index of theirs is right.
#include "mpi_shim/tool/tool.hpp"

using namespace weft::mpi_shim;

namespace {

// Of a call about something that cannot exist.
int refuse(const char* call, int error) {
  const Entry entry(call, Entry::kAnytime);
  return find_tool(entry) == nullptr ? MPI_T_ERR_NOT_INITIALIZED : error;
}
int no_handle(const char* call) { return refuse(call, MPI_T_ERR_INVALID_HANDLE); }
int no_index(const char* call) { return refuse(call, MPI_T_ERR_INVALID_INDEX); }

int give_none(const char* call, int* number) {
  const int error = refuse(call, number == nullptr ? MPI_T_ERR_INVALID : MPI_SUCCESS);
  if (error == MPI_SUCCESS) {
    *number = 0;
  }
  return error;
}

}  // namespace

extern "C" {

int PMPI_T_event_get_num(int* num_events) { return give_none("MPI_T_event_get_num", num_events); }

int PMPI_T_source_get_num(int* num_sources) { return give_none("MPI_T_source_get_num", num_sources); }

int PMPI_T_event_get_index(const char* name, int* event_index) {
  return refuse("MPI_T_event_get_index",
                name == nullptr || event_index == nullptr ? MPI_T_ERR_INVALID : MPI_T_ERR_INVALID_NAME);
}

int PMPI_T_event_get_info(int, char*, int*, int*, MPI_Datatype[], MPI_Aint[], int*, MPI_T_enum*, MPI_Info*, char*, int*,
                          int*) {
  return no_index("MPI_T_event_get_info");
}

int PMPI_T_event_handle_alloc(int, void*, MPI_Info, MPI_T_event_registration*) {
  return no_index("MPI_T_event_handle_alloc");
}

int PMPI_T_event_handle_get_info(MPI_T_event_registration, MPI_Info*) {
  return no_handle("MPI_T_event_handle_get_info");
}

int PMPI_T_event_handle_set_info(MPI_T_event_registration, MPI_Info) {
  return no_handle("MPI_T_event_handle_set_info");
}

int PMPI_T_event_handle_free(MPI_T_event_registration, void*, MPI_T_event_free_cb_function) {
  return no_handle("MPI_T_event_handle_free");
}

int PMPI_T_event_register_callback(MPI_T_event_registration, MPI_T_cb_safety, MPI_Info, void*,
                                   MPI_T_event_cb_function) {
  return no_handle("MPI_T_event_register_callback");
}

int PMPI_T_event_callback_get_info(MPI_T_event_registration, MPI_T_cb_safety, MPI_Info*) {
  return no_handle("MPI_T_event_callback_get_info");
}

int PMPI_T_event_callback_set_info(MPI_T_event_registration, MPI_T_cb_safety, MPI_Info) {
  return no_handle("MPI_T_event_callback_set_info");
}

int PMPI_T_event_set_dropped_handler(MPI_T_event_registration, MPI_T_event_dropped_cb_function) {
  return no_handle("MPI_T_event_set_dropped_handler");
}

int PMPI_T_event_read(MPI_T_event_instance, int, void*) { return no_handle("MPI_T_event_read"); }

int PMPI_T_event_copy(MPI_T_event_instance, void*) { return no_handle("MPI_T_event_copy"); }

int PMPI_T_event_get_timestamp(MPI_T_event_instance, MPI_Count*) { return no_handle("MPI_T_event_get_timestamp"); }

int PMPI_T_event_get_source(MPI_T_event_instance, int*) { return no_handle("MPI_T_event_get_source"); }

int PMPI_T_source_get_info(int, char*, int*, char*, int*, MPI_T_source_order*, MPI_Count*, MPI_Count*, MPI_Info*) {
  return no_index("MPI_T_source_get_info");
}

int PMPI_T_source_get_timestamp(int, MPI_Count*) { return no_index("MPI_T_source_get_timestamp"); }
}
