// What one module of the MPI layer keeps for a process of a job.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace weft::mpi_shim {
inline namespace state {

// Each module's part has a constant index, so that finding it is one load. Parts are destroyed in the opposite order.
enum class ProcessPartId : std::uint8_t { comms, assemblies, windows, open_files, published_names };
inline constexpr std::size_t kProcessParts = static_cast<std::size_t>(ProcessPartId::published_names) + 1;

// The base of the parts. Ranks of any worker use them, so each part is thread-safe by itself.
class ProcessPart {
 public:
  ProcessPart() = default;
  virtual ~ProcessPart() = default;
  ProcessPart(const ProcessPart&) = delete;
  ProcessPart& operator=(const ProcessPart&) = delete;
};

// The factory of each part, by ProcessPartId.
using ProcessPartTable = std::array<std::unique_ptr<ProcessPart> (*)(), kProcessParts>;

// The factories of these types; each type has its ProcessPartId as kProcessPart.
template <typename... Parts>
consteval ProcessPartTable process_part_table() {
  static_assert(sizeof...(Parts) == kProcessParts, "each part of ProcessPartId has one type");
  ProcessPartTable table{};
  ((table[static_cast<std::size_t>(Parts::kProcessPart)] = []() -> std::unique_ptr<ProcessPart> {
     return std::make_unique<Parts>();
   }),
   ...);
  return table;
}

}  // namespace state
}  // namespace weft::mpi_shim
