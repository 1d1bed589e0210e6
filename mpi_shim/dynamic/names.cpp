// MPI_Publish_name and its kind. Names are known within a process: in a job of several, they are refused by name.
#include "mpi_shim/client.hpp"
#include "mpi_shim/entry.hpp"

using namespace weft::mpi_shim;

namespace {

// MPI_SUCCESS, or the error that was raised.
int check(const Entry& entry, const char* service_name, const char* port_name) {
  if (service_name == nullptr || port_name == nullptr) {
    return entry.null_argument(MPI_COMM_NULL, service_name == nullptr ? "service_name" : "port_name");
  }
  if (entry.me.rank->job.process_count() > 1) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_SERVICE,
                       "names are not known between processes: run the job in one, or send the port's name");
  }
  return MPI_SUCCESS;
}

PublishedNames& names(const Entry& entry) { return client_of(entry.me.rank->job).published(); }

}  // namespace

extern "C" {

int PMPI_Publish_name(const char* service_name, MPI_Info /*info*/, const char* port_name) {
  const Entry entry("MPI_Publish_name");
  if (const int error = check(entry, service_name, port_name); error != MPI_SUCCESS) {
    return error;
  }
  if (!names(entry).publish(service_name, port_name)) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_SERVICE, "service {} is published already", service_name);
  }
  return MPI_SUCCESS;
}

int PMPI_Unpublish_name(const char* service_name, MPI_Info /*info*/, const char* port_name) {
  const Entry entry("MPI_Unpublish_name");
  if (const int error = check(entry, service_name, port_name); error != MPI_SUCCESS) {
    return error;
  }
  if (!names(entry).unpublish(service_name, port_name)) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_SERVICE, "service {} is not published with this port", service_name);
  }
  return MPI_SUCCESS;
}

int PMPI_Lookup_name(const char* service_name, MPI_Info /*info*/, char* port_name) {
  const Entry entry("MPI_Lookup_name");
  if (const int error = check(entry, service_name, port_name); error != MPI_SUCCESS) {
    return error;
  }
  const std::optional<std::string> port = names(entry).look_up(service_name);
  if (!port) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_NAME, "service {} is not published", service_name);
  }
  port->copy(port_name, MPI_MAX_PORT_NAME - 1);
  port_name[std::min<std::size_t>(port->size(), MPI_MAX_PORT_NAME - 1)] = '\0';
  return MPI_SUCCESS;
}
}
