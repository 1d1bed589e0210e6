// Selects the kernel of a reduction operation on a datatype.
#include "mpi_shim/op/op.hpp"

#include <algorithm>
#include <array>
#include <climits>

#include "mpi_shim/op/op_kernels.hpp"
#include "runtime/sched/pauses.hpp"

namespace weft::mpi_shim {
inline namespace op {
namespace {

struct Row {
  Basic basic;
  Number number;
};
// clang-format off
constexpr Row kByBasic[] = {
    {Basic::byte, Number::byte}, {Basic::character, Number::int8},
    {Basic::logical8, Number::logical8}, {Basic::logical16, Number::logical16}, {Basic::logical, Number::logical32},
    {Basic::logical64, Number::logical64}, {Basic::logical128, Number::logical128},
    {Basic::int8, Number::int8}, {Basic::int16, Number::int16}, {Basic::int32, Number::int32}, {Basic::int64, Number::int64},
    {Basic::int128, Number::int128},
    {Basic::uint8, Number::uint8}, {Basic::uint16, Number::uint16}, {Basic::uint32, Number::uint32}, {Basic::uint64, Number::uint64},
    {Basic::float16, Number::float16}, {Basic::float32, Number::float32}, {Basic::float64, Number::float64},
    {Basic::float80, Number::float80}, {Basic::float128, Number::float128},
    {Basic::complex32, Number::complex16}, {Basic::complex64, Number::complex32},
    {Basic::complex128, Number::complex64}, {Basic::complex160, Number::complex80}, {Basic::complex256, Number::complex128},
    {Basic::cxx_bool, Number::boolean}, {Basic::c_bool, Number::boolean},
    {Basic::float_int, Number::float_int}, {Basic::double_int, Number::double_int}, {Basic::long_int, Number::long_int},
    {Basic::two_int, Number::two_int}, {Basic::two_integer, Number::two_int}, {Basic::short_int, Number::short_int},
    {Basic::long_double_int, Number::long_double_int}, {Basic::two_real, Number::two_real}, {Basic::two_double, Number::two_double},
};
struct Name {
  std::uintptr_t handle;
  const char* text;
};
const Name kNames[] = {
    {handle_value(MPI_OP_NULL), "MPI_OP_NULL"},
    {handle_value(MPI_SUM), "MPI_SUM"}, {handle_value(MPI_MIN), "MPI_MIN"}, {handle_value(MPI_MAX), "MPI_MAX"}, {handle_value(MPI_PROD), "MPI_PROD"},
    {handle_value(MPI_BAND), "MPI_BAND"}, {handle_value(MPI_BOR), "MPI_BOR"}, {handle_value(MPI_BXOR), "MPI_BXOR"},
    {handle_value(MPI_LAND), "MPI_LAND"}, {handle_value(MPI_LOR), "MPI_LOR"}, {handle_value(MPI_LXOR), "MPI_LXOR"},
    {handle_value(MPI_MINLOC), "MPI_MINLOC"}, {handle_value(MPI_MAXLOC), "MPI_MAXLOC"},
    {handle_value(MPI_REPLACE), "MPI_REPLACE"}, {handle_value(MPI_NO_OP), "MPI_NO_OP"},
};
// clang-format on

constexpr std::size_t kBasics = static_cast<std::size_t>(Basic::packed) + 1;

struct Tables {
  std::array<Number, kBasics> by_basic{};
  std::array<std::array<Kernel, kNumbers>, kPredefinedOps> kernels{};

  Tables() {
    for (const Row& row : kByBasic) {
      by_basic[static_cast<std::size_t>(row.basic)] = row.number;
    }
    for (std::size_t op = 0; op < kPredefinedOps; ++op) {
      for (std::size_t number = 0; number < kNumbers; ++number) {
        kernels[op][number] =
            kernel(reinterpret_cast<MPI_Op>(kFirstOp + op), Number{static_cast<std::uint8_t>(number)});
      }
    }
  }

  static Kernel kernel(MPI_Op op, Number number) {
    if (const Kernel found = arithmetic_kernel(op, number)) {
      return found;
    }
    const Kernel found = logical_kernel(op, number);
    return found != nullptr ? found : location_kernel(op, number);
  }
};

// Never freed: reductions may run while static objects are being destroyed.
const Tables& kTables = *new Tables;

Number number_of(const Datatype& type) { return kTables.by_basic[static_cast<std::size_t>(type.basic())]; }

// Value-index pairs with padding in their C structure. Types derived from them are packed without the padding, but
// kernels expect it.
bool has_padding(Basic basic) {
  return basic == Basic::short_int || basic == Basic::double_int || basic == Basic::long_int ||
         basic == Basic::long_double_int;
}

}  // namespace

Kernel predefined_kernel(MPI_Op op, const Datatype& type) {
  if (!is_predefined(op) || (has_padding(type.basic()) && !type.predefined())) {
    return nullptr;
  }
  return kTables.kernels[handle_value(op) - kFirstOp][static_cast<std::size_t>(number_of(type))];
}

std::size_t element_bytes(const Datatype& type) {
  return type.predefined() ? static_cast<std::size_t>(type.extent()) : type.basic_size();
}

std::size_t elements_in(const Datatype& type) {
  return type.predefined() || type.basic_size() == 0 ? 1 : type.size() / type.basic_size();
}

const char* op_name(MPI_Op op) {
  const auto row = std::find_if(std::begin(kNames), std::end(kNames),
                                [&](const Name& name) { return name.handle == handle_value(op); });
  return row == std::end(kNames) ? "a user's operation" : row->text;
}

void call_user_function(const Op& op, const void* in, void* inout, std::size_t count, const Datatype& type) {
  // The collective call or the step of a schedule that combines must not be interrupted: the function may sleep or call
  // sched_yield().
  const runtime::SuspensionGuard in_the_midst_of_a_call;
  MPI_Datatype handle = type.handle;
  if (op.large_function != nullptr) {
    auto length = static_cast<MPI_Count>(count);
    op.large_function(const_cast<void*>(in), inout, &length, &handle);
    return;
  }
  // The function counts in int, so a longer vector takes several calls.
  constexpr std::size_t kMost = INT_MAX;
  for (std::size_t done = 0; done < count; done += kMost) {
    auto length = static_cast<int>(std::min(count - done, kMost));
    const auto offset = static_cast<std::ptrdiff_t>(done) * type.extent();
    op.function(static_cast<std::byte*>(const_cast<void*>(in)) + offset, static_cast<std::byte*>(inout) + offset,
                &length, &handle);
  }
}

}  // namespace op
}  // namespace weft::mpi_shim
