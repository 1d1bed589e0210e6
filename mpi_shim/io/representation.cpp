#include "mpi_shim/io/representation.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "mpi_shim/datatype/external32/named_types.hpp"
#include "mpi_shim/io/file.hpp"
#include "mpi_shim/state/state.hpp"

namespace weft::mpi_shim::io {

namespace {

using Form = Representation::Form;

// File extents of predefined types by the program's extent function, called once for each type.
class Extents {
 public:
  Extents(RankState& me, const RegisteredDatarep& own) : me_(me), own_(own) {}
  std::uint64_t of(const Datatype& named) {
    const auto known = std::ranges::find(known_, named.handle, &Known::type);
    return known != known_.end() ? known->extent : ask(named.handle);
  }
  int error() const { return error_; }

 private:
  struct Known {
    MPI_Datatype type;
    std::uint64_t extent;
  };
  std::uint64_t ask(MPI_Datatype type) {
    MPI_Aint extent = 0;
    const int error = call_program(me_, [&] { return own_.extent(type, &extent, own_.extra_state); });
    error_ = error_ != MPI_SUCCESS ? error_ : extent < 0 ? MPI_ERR_CONVERSION : error;
    known_.push_back({type, extent < 0 ? 0 : static_cast<std::uint64_t>(extent)});
    return known_.back().extent;
  }

  RankState& me_;
  const RegisteredDatarep& own_;
  std::vector<Known> known_;
  int error_ = MPI_SUCCESS;
};

// Whether all displacements count elements (a portable datatype): then they also say where elements of another size
// lie.
bool portable(const Datatype& type) {
  const DatatypeRecipe* const recipe = type.recipe();
  if (recipe == nullptr) {
    return true;
  }
  constexpr int kPortable[] = {MPI_COMBINER_NAMED,    MPI_COMBINER_DUP,     MPI_COMBINER_CONTIGUOUS,
                               MPI_COMBINER_VECTOR,   MPI_COMBINER_INDEXED, MPI_COMBINER_INDEXED_BLOCK,
                               MPI_COMBINER_SUBARRAY, MPI_COMBINER_DARRAY};
  return std::ranges::find(kPortable, recipe->combiner) != std::end(kPortable) &&
         std::ranges::all_of(recipe->types, [](const auto& inner) { return portable(*inner); });
}

ElementInFile element_of_program(RankState& me, const RegisteredDatarep& own, const Datatype& type) {
  ElementInFile element;
  Extents extents(me, own);
  std::uint64_t memory_bytes = 0;
  std::uint64_t file_bytes = 0;  // of the first
  count_named(type, 1, [&](const Datatype& named, std::size_t count) {
    const std::uint64_t extent = extents.of(named);
    if (memory_bytes == 0) {
      memory_bytes = named.size();
      file_bytes = extent;
    }
    element.uniform &=
        extent * memory_bytes == file_bytes * named.size() && named.extent() == static_cast<MPI_Aint>(named.size());
    element.bytes += count * extent;
  });
  element.error = extents.error();
  return element;
}

}  // namespace

void Conversion::pup(pup::Puper& p) {
  pup::same_address(p, small);
  pup::same_address(p, large);
}

void RegisteredDatarep::pup(pup::Puper& p) {
  p | read | write;
  pup::same_address(p, extent);
  pup::same_address(p, extra_state);
}

std::optional<Representation> find_representation(RankState& me, const std::string& name) {
  if (name == "native" || name == "internal") {
    return Representation{};
  }
  if (name == "external32") {
    return Representation{Form::external32};
  }
  const auto own = me.part<Files>().representations.find(name);
  return own == me.part<Files>().representations.end()
             ? std::nullopt
             : std::optional(Representation{Form::user_defined, &own->second});
}

ElementInFile element_in_file(RankState& me, const Representation& representation, const Datatype& type) {
  if (representation.form == Form::native) {
    return {type.size()};
  }
  if (representation.form == Form::external32) {
    const ExternalSize external = external_size(type);
    return {external.bytes, external.uniform};
  }
  return element_of_program(me, *representation.own, type);
}

bool find_map(const ElementInFile& element, MPI_Offset displacement, const Datatype& filetype, FileMap& map) {
  if (element.bytes == filetype.size()) {
    map = FileMap(displacement, filetype);
    return true;
  }
  if (filetype.contiguous()) {
    map = FileMap(displacement);
    return true;
  }
  bool fits = false;
  if (element.uniform && portable(filetype)) {
    map = FileMap(displacement, filetype, element.bytes, filetype.size(), fits);
  }
  return fits;
}

MPI_Count extent_in_file(const ElementInFile& element, const Datatype& type) {
  if (element.bytes == type.size()) {
    return type.extent();
  }
  const auto bytes = static_cast<MPI_Count>(element.bytes);
  if (!element.uniform || !portable(type)) {
    return bytes;
  }
  __extension__ using Int128 = __int128;  // extent and size may both be several GiB
  return static_cast<MPI_Count>(Int128{type.extent()} * bytes / static_cast<MPI_Count>(type.size()));
}

Staging::Staging(RankState& me, const Representation& representation, const MemoryElements& elements, bool writes)
    : me_(me),
      type_(elements.type),
      writes_(writes),
      address_(const_cast<void*>(elements.address)),
      memory_(message_buffer(elements.address, elements.count, elements.type)),
      buffer_(memory_) {
  if (representation.form == Form::native || memory_.bytes == 0) {
    return;
  }
  if (representation.form == Form::user_defined) {
    stage_own(*representation.own, elements.count);
    return;
  }
  external_ = External32(type_);
  converted_.resize(elements.count * external_->size());
  buffer_ = {converted_.data(), converted_.size()};
  if (writes) {
    std::vector<std::byte> packed(memory_.bytes);
    runtime::pack(memory_, packed);
    external_->write(packed, converted_.data());
  }
}

void Staging::stage_own(const RegisteredDatarep& own, std::size_t count) {
  const Conversion& function = writes_ ? own.write : own.read;
  if (!function) {
    return;
  }
  own_ = &own;
  Extents extents(me_, own);
  std::uint64_t file_bytes = 0;
  std::uint64_t items = 0;
  for_each_named(type_, 1, [&](const Datatype& named, std::size_t n) {
    runs_.push_back({named.size(), extents.of(named), n});
    file_bytes += runs_.back().file_bytes * n;
    items += n;
  });
  converted_.resize(count * file_bytes);
  error_ = extents.error();
  if (writes_ && error_ == MPI_SUCCESS) {
    error_ = convert(function, count * items);
  }
  buffer_ = {converted_.data(), error_ == MPI_SUCCESS ? converted_.size() : 0};
}

// Calls the conversion function, several times if it counts in int. Each call but the last converts whole elements, so
// that its bytes are known.
int Staging::convert(const Conversion& function, std::uint64_t items) {
  if (items == 0) {
    return MPI_SUCCESS;
  }
  if (function.large != nullptr) {
    return call_program(me_, [&] {
      return function.large(address_, type_.handle, static_cast<MPI_Count>(items), converted_.data(), 0,
                            own_->extra_state);
    });
  }
  std::uint64_t of_element = 0;
  std::uint64_t bytes = 0;
  for (const Run& run : runs_) {
    of_element += run.count;
    bytes += run.count * run.file_bytes;
  }
  const std::uint64_t at_once = std::max<std::uint64_t>(std::numeric_limits<int>::max() / of_element, 1);
  int error = MPI_SUCCESS;
  for (std::uint64_t done = 0; done < items && error == MPI_SUCCESS; done += at_once * of_element) {
    const std::uint64_t part = std::min(items - done, at_once * of_element);
    if (part > std::numeric_limits<int>::max()) {
      return MPI_ERR_COUNT;
    }
    error = call_program(me_, [&] {
      return function.small(address_, type_.handle, static_cast<int>(part),
                            converted_.data() + done / of_element * bytes, static_cast<MPI_Offset>(done),
                            own_->extra_state);
    });
  }
  return error;
}

std::uint64_t Staging::finish(std::uint64_t file_bytes) {
  if (writes_) {
    return file_bytes == buffer_.bytes ? memory_.bytes : file_bytes;  // fewer than all only after an error
  }
  if (own_ != nullptr) {
    return finish_own(file_bytes);
  }
  if (!external_) {
    return file_bytes;
  }
  const std::size_t elements = external_->size() == 0 ? 0 : file_bytes / external_->size();
  std::vector<std::byte> packed(elements * type_.size());
  external_->read(converted_.data(), packed);
  runtime::unpack(packed, memory_);
  return packed.size();
}

// The file may end within an element: its complete basic elements are converted.
std::uint64_t Staging::finish_own(std::uint64_t file_bytes) {
  std::uint64_t items = 0;
  std::uint64_t in_memory = 0;
  bool more = error_ == MPI_SUCCESS && file_bytes > 0;
  while (more) {
    more = false;
    for (const Run& run : runs_) {
      const std::uint64_t whole = run.file_bytes == 0 ? run.count : std::min(run.count, file_bytes / run.file_bytes);
      file_bytes -= whole * run.file_bytes;
      items += whole;
      in_memory += whole * run.memory_bytes;
      more = whole == run.count && file_bytes > 0;
      if (whole < run.count) {
        break;
      }
    }
  }
  error_ = error_ != MPI_SUCCESS ? error_ : convert(own_->read, items);
  return error_ == MPI_SUCCESS ? in_memory : 0;
}

}  // namespace weft::mpi_shim::io
