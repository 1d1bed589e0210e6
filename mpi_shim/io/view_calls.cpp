// MPI_File_set_view and MPI_File_get_view.
#include <cstring>
#include <functional>
#include <string_view>

#include "mpi_shim/datatype/datatype_create.hpp"
#include "mpi_shim/io/allgather_value.hpp"
#include "mpi_shim/io/hints.hpp"
#include "mpi_shim/io/problem.hpp"

using namespace weft::mpi_shim;
using namespace weft::mpi_shim::io;

namespace {

struct ViewCall {
  MPI_Offset displacement;
  MPI_Datatype etype, filetype;
  const char* representation;
  MPI_Info info;
};

Problem check_order(const File& file, const Datatype& type, const char* name) {
  const DisplacementOrder order = displacement_order(type.typemap());
  if (type.typemap().low() < 0) {
    return problem(MPI_ERR_IO, "{} has data at negative displacements", name);
  }
  if (order == DisplacementOrder::decreasing) {
    return problem(MPI_ERR_IO, "{} has displacements that fall", name);
  }
  if (order == DisplacementOrder::overlapping && (file.amode & MPI_MODE_RDONLY) == 0) {
    return problem(MPI_ERR_IO, "{} has overlapping data, in a file that is open for writing", name);
  }
  return {};
}

Problem check_types(RankState& me, const File& file, const ViewCall& call) {
  const Datatype* const etype = find_datatype(me, call.etype);
  const Datatype* const filetype = find_datatype(me, call.filetype);
  if (etype == nullptr || filetype == nullptr) {
    return problem(MPI_ERR_TYPE, "{} is MPI_DATATYPE_NULL or not a datatype of this rank",
                   etype == nullptr ? "etype" : "filetype");
  }
  if (!etype->committed || !filetype->committed) {
    return problem(MPI_ERR_TYPE, "{} is not committed: call MPI_Type_commit first",
                   etype->committed ? "filetype" : "etype");
  }
  if (etype->size() == 0 ? filetype->size() != 0 : filetype->size() % etype->size() != 0) {
    return problem(MPI_ERR_ARG, "filetype has {} bytes, which are not whole etypes of {}", filetype->size(),
                   etype->size());
  }
  const Problem wrong = check_order(file, *etype, "etype");
  return wrong ? wrong : check_order(file, *filetype, "filetype");
}

// MPI_DISPLACEMENT_CURRENT, the position of the shared pointer, is required with MPI_MODE_SEQUENTIAL and not allowed
// otherwise.
Problem check_displacement(const File& file, MPI_Offset displacement) {
  const bool sequential = (file.amode & MPI_MODE_SEQUENTIAL) != 0;
  if (sequential != (displacement == MPI_DISPLACEMENT_CURRENT)) {
    return problem(MPI_ERR_UNSUPPORTED_OPERATION,
                   "disp is {}, but a file open with MPI_MODE_SEQUENTIAL, and no other, takes MPI_DISPLACEMENT_CURRENT",
                   displacement);
  }
  if (displacement < 0 && !sequential) {
    return problem(MPI_ERR_ARG, "disp {} is negative", displacement);
  }
  return {};
}

Problem failed_extent(std::string_view representation, int error) {
  return problem(MPI_ERR_CONVERSION, "the extent function of datarep \"{}\" returned error {}", representation, error);
}

// The sizes of the types in the new representation.
struct NewView {
  ElementInFile etype, filetype;
};

Problem check_representation(RankState& me, const ViewCall& call, NewView& view) {
  const char* const name = call.representation == nullptr ? "" : call.representation;
  const std::optional<Representation> representation = find_representation(me, name);
  if (!representation) {
    return problem(MPI_ERR_UNSUPPORTED_DATAREP, "datarep \"{}\" is not known", name);
  }
  view.etype = element_in_file(me, *representation, *find_datatype(me, call.etype));
  view.filetype = element_in_file(me, *representation, *find_datatype(me, call.filetype));
  if (const int error = view.etype.error != MPI_SUCCESS ? view.etype.error : view.filetype.error;
      error != MPI_SUCCESS) {
    return failed_extent(name, error);
  }
  FileMap map;
  if (!find_map(view.filetype, call.displacement, *find_datatype(me, call.filetype), map)) {
    return problem(MPI_ERR_UNSUPPORTED_DATAREP,
                   "filetype has gaps given in bytes, and elements that have other sizes in {} than in memory", name);
  }
  return {};
}

Problem check_view(RankState& me, const File& file, const ViewCall& call, NewView& view) {
  if (Problem wrong = check_displacement(file, call.displacement)) {
    return wrong;
  }
  if (Problem wrong = check_types(me, file, call)) {
    return wrong;
  }
  if (call.info != MPI_INFO_NULL && find_info(me, call.info) == nullptr) {
    return problem(MPI_ERR_INFO, "info is not an info object");
  }
  return check_representation(me, call, view);
}

FileView make_view(RankState& me, const ViewCall& call, const NewView& made) {
  FileView view;
  view.displacement = call.displacement;
  view.etype = shared(*find_datatype(me, call.etype));
  view.filetype = shared(*find_datatype(me, call.filetype));
  view.representation = call.representation;
  view.etype_bytes = std::max<std::uint64_t>(made.etype.bytes, 1);
  find_map(made.filetype, call.displacement, *view.filetype, view.map);
  return view;
}

// Collective, after the members' arguments were compared: sets the view and resets both file pointers to its beginning.
int replace_view(const Entry& entry, const Communicator& comm, File& file, ViewCall call, const NewView& made) {
  struct Begin {
    MPI_Offset displacement;
    int error;
  } begin{call.displacement, 0};
  if (comm.rank == 0) {
    const SharedFilePointer pointer = file.shared_pointer();
    if (call.displacement == MPI_DISPLACEMENT_CURRENT) {
      std::int64_t position = 0;
      begin.error = pointer.get(position);
      begin.displacement = static_cast<MPI_Offset>(
          file.view.map.offset_of(static_cast<std::uint64_t>(position) * file.view.etype_bytes));
    }
    begin.error = begin.error != 0 ? begin.error : pointer.reset(0);
  }
  begin = allgather_value(entry, comm, begin)[0];
  if (begin.error != 0) {
    return raise(entry, &file, system_problem(begin.error, file.pointer_path));
  }
  call.displacement = call.displacement == MPI_DISPLACEMENT_CURRENT ? begin.displacement : call.displacement;
  file.view = make_view(entry.me, call, made);
  file.position = file.pointer_start = 0;
  file.hints = merged_hints(file.hints, find_info(entry.me, call.info));
  return MPI_SUCCESS;
}

// A handle for the program: that of a predefined type, else a copy that the program frees.
MPI_Datatype handle_for(RankState& me, const Datatype& type) {
  if (type.predefined()) {
    return type.handle;
  }
  const auto copy = DatatypeBuilder::copy(type);
  DatatypeRecipe recipe;
  recipe.combiner = MPI_COMBINER_DUP;
  recipe.types.push_back(shared(type));
  DatatypeBuilder::set_recipe(*copy, std::make_shared<const DatatypeRecipe>(std::move(recipe)));
  copy->committed = true;
  return add_datatype(me, copy);
}

template <typename Number>
int get_type_extent(const Entry& entry, MPI_File fh, MPI_Datatype datatype, Number* extent) {
  int error = MPI_SUCCESS;
  const File* const file = checked_file(entry, fh, error);
  if (file == nullptr) {
    return error;
  }
  const Datatype* const type = find_datatype(entry.me, datatype);
  if (type == nullptr || extent == nullptr) {
    return raise(entry, file,
                 extent == nullptr ? problem(MPI_ERR_ARG, "extent is a null pointer")
                                   : problem(MPI_ERR_TYPE, "datatype is not a datatype of this rank"));
  }
  const ElementInFile element =
      element_in_file(entry.me, *find_representation(entry.me, file->view.representation), *type);
  *extent = static_cast<Number>(extent_in_file(element, *type));
  return element.error == MPI_SUCCESS ? MPI_SUCCESS
                                      : raise(entry, file, failed_extent(file->view.representation, element.error));
}

int file_set_view(const Entry& entry, File& file, MPI_Offset disp, MPI_Datatype etype, MPI_Datatype filetype,
                  const char* datarep, MPI_Info info) {
  int error = MPI_SUCCESS;
  const ViewCall call{disp, etype, filetype, datarep, info};
  const Communicator& comm = *find_comm(entry.me, file.comm);
  NewView made;
  const Problem wrong = check_view(entry.me, file, call, made);
  const auto named = static_cast<std::int64_t>(std::hash<std::string_view>()(datarep == nullptr ? "" : datarep));
  error = raise_unless_same(entry, &file, comm, wrong, {"data representations", named});
  return error != MPI_SUCCESS ? error : replace_view(entry, comm, file, call, made);
}

int file_get_view(const Entry& entry, File& file, MPI_Offset* disp, MPI_Datatype* etype, MPI_Datatype* filetype,
                  char* datarep) {
  if (disp == nullptr || etype == nullptr || filetype == nullptr || datarep == nullptr) {
    return raise_null(entry, &file, "one of the results");
  }
  const FileView& view = file.view;
  *disp = view.displacement;
  *etype = handle_for(entry.me, *view.etype);
  *filetype = handle_for(entry.me, *view.filetype);
  std::memcpy(datarep, view.representation.c_str(), view.representation.size() + 1);
  return MPI_SUCCESS;
}

}  // namespace

#include "mpi_shim/generated/io/view_calls.inc"
