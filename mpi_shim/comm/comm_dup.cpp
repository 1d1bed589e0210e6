// MPI_Comm_dup and MPI_Comm_create_group, which in a job of one process do not wait for other members; MPI_Comm_free.
#include "mpi_shim/comm/comm_dup.hpp"

#include "mpi_shim/attribute/attribute_callbacks.hpp"
#include "mpi_shim/comm/assembly_by_messages.hpp"
#include "mpi_shim/comm/comm_failures.hpp"
#include "mpi_shim/comm/communicator_assembly.hpp"
#include "mpi_shim/comm/membership.hpp"
#include "mpi_shim/comm/process_comms.hpp"
#include "mpi_shim/entry/entry.hpp"
#include "mpi_shim/entry/failure_errors.hpp"
#include "mpi_shim/error/errhandler.hpp"
#include "mpi_shim/info/info.hpp"
#include "mpi_shim/p2p/buffered_send.hpp"
#include "mpi_shim/session/session.hpp"

namespace {

using namespace weft::mpi_shim;
namespace runtime = weft::runtime;

// A communicator with the same groups and topology and a context of its own; of an intercommunicator, both sides.
NewComm make_copy(runtime::Job& job, const CommShared& of) {
  const auto lease = fresh_context(job);
  const auto half = [&](const auto& group, const auto& remote, int side) {
    return make_comm(job, lease, {.group = group, .remote = remote, .topology = of.topology, .side = side});
  };
  NewComm created;
  if (of.remote != nullptr) {
    created.side[static_cast<std::size_t>(1 - of.side)] = half(of.remote, of.group, 1 - of.side);
  }
  created.side[static_cast<std::size_t>(of.side)] = half(of.group, of.remote, of.side);
  return created;
}

// The same in a job of several processes.
std::shared_ptr<const CommShared> make_copy_by_messages(RankState& me, const Communicator& comm) {
  const CommShared& of = *comm.shared;
  require_no_failure(comm);
  const std::uint32_t context =
      comm.is_inter() ? assemble_by_messages(me, comm, {}, [](const Assembled&) { return 1U; }).first_context
                      : agree_on_context(me, comm.collective_context(), *of.group, kCommCreationTag + 1);
  return make_comm_by_number(me.rank->job, {context, of.group, of.remote, of.topology, of.side});
}

}  // namespace

namespace weft::mpi_shim {
inline namespace comm {

Communicator& duplicate(RankState& me, Communicator& comm) {
  const CommShared& of = *comm.shared;
  if (me.rank->job.spans_processes()) {
    Communicator& copy = add_comm(me, make_copy_by_messages(me, comm), comm);
    copy.neighbourhood = comm.neighbourhood;
    return copy;
  }
  const int members = of.group->size() + (of.remote == nullptr ? 0 : of.remote->size());
  const NewComm created = of.lease->take(comm.children++, 0, members, [&] { return make_copy(me.rank->job, of); });
  Communicator& copy = add_comm(me, created.side[static_cast<std::size_t>(of.side)], comm);
  copy.neighbourhood = comm.neighbourhood;
  return copy;
}

void remove_comm(RankState& me, Communicator& comm) {
  leave_comm(me, comm);
  me.comms.remove(comm.handle);
}

int duplicate_with_hints(const Entry& entry, MPI_Comm comm, const Info* hints, MPI_Comm* newcomm) {
  RankState& me = entry.me;
  Communicator* const parent = find_comm(me, comm);
  if (parent == nullptr || newcomm == nullptr) {
    return parent == nullptr ? entry.bad_comm(comm) : entry.null_argument(comm, "newcomm");
  }
  *newcomm = MPI_COMM_NULL;
  Communicator& copy = duplicate(me, *parent);
  const int error = copy_attributes(me, handle_value(comm), parent->attributes, copy.attributes);
  if (error != MPI_SUCCESS) {
    delete_attributes(me, handle_value(copy.handle), copy.attributes);
    remove_comm(me, copy);
    return entry.raise(comm, error, "the copy function of an attribute failed with {}", error);
  }
  if (hints != nullptr) {
    copy.hints = hints->pairs;
  }
  *newcomm = copy.handle;
  return MPI_SUCCESS;
}

int find_hints(const Entry& entry, MPI_Comm comm, MPI_Info info, const Info*& hints) {
  hints = find_info(entry.me, info);
  return hints != nullptr || info == MPI_INFO_NULL ? MPI_SUCCESS
                                                   : entry.raise(comm, MPI_ERR_INFO, "info is not an info object");
}

}  // namespace comm
}  // namespace weft::mpi_shim

namespace {

// Identifies a call that makes a communicator of a group of one parent: the tag of MPI_Comm_create_group, or the string
// of MPI_Comm_create_from_group, with a negative tag.
struct GroupCallName {
  int tag;
  const char* text;
};

// The tag of the call's messages. Negative, as no other tag is, and never a wildcard.
int creation_tag(const GroupCallName& call) {
  const auto& [tag, name] = call;
  constexpr std::uint32_t kNumbers = (1U << 29) - 1;
  const std::uint32_t named = tag < 0 ? 1U << 30 : 0;
  const auto number =
      tag < 0 ? static_cast<std::uint32_t>(std::hash<std::string>()(name)) : static_cast<std::uint32_t>(tag);
  return static_cast<int>(1U << 31 | named | (number & kNumbers));
}

int from_group(const Entry& entry, const Communicator& parent, const std::shared_ptr<const Group>& group,
               const GroupCallName& call, MPI_Comm* newcomm) {
  RankState& me = entry.me;
  *newcomm = MPI_COMM_NULL;
  const int number = group->rank_of(me.job_rank);
  if (number == MPI_UNDEFINED) {
    return MPI_SUCCESS;  // MPI lets only members call, but programs call on every rank and other MPIs accept that
  }
  runtime::Job& job = me.rank->job;
  std::shared_ptr<const CommShared> shared;
  require_no_failure(parent);
  if (job.spans_processes()) {
    const std::uint32_t context = agree_on_context(me, parent.collective_context(), *group, creation_tag(call));
    shared = make_comm_by_number(job, {.context = context, .group = group});
  } else {
    shared = process_part<CommunicatorAssemblies>(job).take(job, {parent.shared->context, call.tag, call.text}, group,
                                                            number);
  }
  *newcomm = add_comm(me, std::move(shared), parent).handle;
  return MPI_SUCCESS;
}

int free_comm(const Entry& entry, MPI_Comm* comm) {
  if (comm == nullptr) {
    return entry.null_argument(MPI_COMM_NULL, "comm");
  }
  Communicator* const found = find_comm(entry.me, *comm);
  if (found == nullptr) {
    return entry.bad_comm(*comm);
  }
  if (found == &entry.me.world || found == &entry.me.self) {
    return entry.raise(*comm, MPI_ERR_COMM, "{} cannot be freed", describe(*found));
  }
  const int error = delete_attributes(entry.me, handle_value(*comm), found->attributes);
  if (error != MPI_SUCCESS) {
    return entry.raise(*comm, error, "the delete function of an attribute failed with {}", error);
  }
  if (found->send_buffer != nullptr) {
    found->send_buffer->flush(entry.me);
  }
  if (*comm == entry.me.parent) {
    entry.me.parent = MPI_COMM_NULL;
  }
  if (entry.me.rank->job.failures() != nullptr) [[unlikely]] {
    keep_while_used(entry.me, *found);
  }
  remove_comm(entry.me, *found);
  *comm = MPI_COMM_NULL;
  return MPI_SUCCESS;
}

int comm_dup_with_info(const Entry& entry, MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm) {
  const Info* hints = nullptr;
  const int error = find_hints(entry, comm, info, hints);
  return error != MPI_SUCCESS ? error : duplicate_with_hints(entry, comm, hints, newcomm);
}

int comm_create_group(const Entry& entry, Communicator& parent, MPI_Group group, int tag, MPI_Comm* newcomm) {
  const std::shared_ptr<const Group>* const found = find_group(entry.me, group);
  if (found == nullptr) {
    return entry.raise(parent.handle, MPI_ERR_GROUP, "group is not a group of this rank");
  }
  if (tag < 0) {
    return entry.raise(parent.handle, MPI_ERR_TAG, "tag {} is negative", tag);
  }
  return from_group(entry, parent, *found, {tag, ""}, newcomm);
}

int comm_create_from_group(const Entry& entry, MPI_Group group, const char* stringtag, MPI_Info info,
                           MPI_Errhandler errhandler, MPI_Comm* newcomm) {
  if (!is_handler_for(entry.me, errhandler, Errhandler::Object::comm)) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_ERRHANDLER, "errhandler is not an error handler of communicators");
  }
  if (newcomm == nullptr || stringtag == nullptr) {
    return handle_error(
        entry.me, MPI_COMM_NULL, errhandler,
        {MPI_ERR_ARG, entry.call(), newcomm == nullptr ? "newcomm is a null pointer" : "stringtag is a null pointer"});
  }
  const std::shared_ptr<const Group>* const found = find_group(entry.me, group);
  if (found == nullptr) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_GROUP, "group is not a group of this rank");
  }
  if (const int error = from_group(entry, entry.me.world, *found, {-1, stringtag}, newcomm); error != MPI_SUCCESS) {
    return error;
  }
  if (*newcomm == MPI_COMM_NULL) {
    return MPI_SUCCESS;
  }
  Communicator& made = *find_comm(entry.me, *newcomm);
  made.session = session_of(entry.me, group);
  if (const Info* const hints = find_info(entry.me, info); hints != nullptr) {
    made.hints = hints->pairs;
  }
  const InCallback inside(entry.me);
  return PMPI_Comm_set_errhandler(*newcomm, errhandler);
}

}  // namespace

#include "mpi_shim/generated/comm/comm_dup.inc"
