// A user's program, loaded once and placed once per rank. Every rank has its own globals, thread-local variables, heap
// and stack at fixed addresses of its slot; all ranks share the text.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/image/debug_table.h"
#include "runtime/image/layout.hpp"
#include "runtime/image/rank_shim.hpp"
#include "runtime/image/region.hpp"
#include "runtime/image/relocation.hpp"
#include "runtime/image/shim_abi.h"

namespace weft::image {

struct ProgramOptions {
  LayoutOptions layout;
  std::vector<std::string> shared;                      // further libraries that ranks share; see share_list.hpp
  std::vector<std::string> plugins;                     // what ranks will open with dlopen: patterns of file names
  std::map<std::string, void*, std::less<>> overrides;  // symbols that bind to host functions whatever defines them
  std::optional<std::string> library_path;              // in place of LD_LIBRARY_PATH
  bool ranks_stay_on_thread = false;                    // with one worker; allows code compiled with -mtls-dialect=gnu2
};

struct FoundImage;  // unwind.hpp

// What a rank knows of its host; copied into its WeftShimInfo.
struct RankInfo {
  std::uint32_t rank = 0, rank_count = 1;
  WeftHostCalls host = {};
};

struct ByteRange {  // counts from the slot's first byte
  std::uint64_t offset, bytes;
};

// Constant after publish() or use_region(); its functions may run in several threads at once, for different slots.
class Program {
 public:
  // Reads the program, the shim and all private libraries, opens the shared ones in this process, and relocates. With
  // an empty shim_path there is no shim: the ranks can then be placed but not run. Throws LoadError.
  static std::unique_ptr<Program> load(const std::string& path, const std::string& shim_path,
                                       const ProgramOptions& options = {});
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  // Makes this the process's program, with its slots in `region` (borrowed). Required for place() and run(); debuggers,
  // the unwinder and describe() use this program. Throws LoadError if the slots are too small.
  void publish(const Region& region);
  // For another program in the published program's region: like publish(), but only the slots in which it is placed
  // belong to it.
  void use_region(const Region& region);

  // Creates one rank in its slot: memory, text, data, thread-local block, WeftShimInfo. The slot must be unused. Runs
  // none of the rank's code except indirect-function resolvers. Throws LoadError if the kernel refuses.
  void place(Slot slot, const RankInfo& info) const;
  // For a rank that arrives from another process: maps memory and text, without data. Fill its ranges afterwards, then
  // call attach().
  void place_text(Slot slot) const;
  // Tells a rank that has arrived about its new host.
  void attach(Slot slot, const RankInfo& info) const;
  // The functions of the shim in a rank's slot. REQUIRES: loaded with a shim.
  const RankShim& shim() const { return *shim_; }
  // Keeps the guard and the heap's unused addresses, terabytes that the kernel would walk through, out of a core file.
  // Safe in a signal handler; false if the kernel refuses.
  bool shorten_core(Slot slot) const noexcept;
  // Frees the slot's memory; the addresses stay reserved.
  void release(Slot slot) const;

  // The ranges that must be copied to move a rank: ascending and disjoint. stack_pointer: its saved stack pointer, or
  // an address in the caller's frame where the rank itself calls. It may lie on a stack that the program has allocated
  // (makecontext): the slot's stack is then copied as a whole. The ranges include pages that were never touched (large
  // zeroed arrays); touched_ranges.hpp removes these. Mappings of files behind the heap are left out: they are made
  // again.
  std::vector<ByteRange> ranges(Slot slot, const void* stack_pointer) const;

  // The usable stack of a slot's rank; the fibre starts at its end.
  std::span<std::byte> stack(Slot slot) const;
  std::span<std::byte> heap(Slot slot) const;
  // The host's own bytes at the slot's beginning; they move with the rank.
  std::span<std::byte> control(Slot slot) const;

  // Runs the rank, on its own stack: constructors, main, exit. Ends through WeftHostCalls::exit. argv and the
  // environment's array are copied into the rank's heap.
  [[noreturn]] void run(Slot slot, int argc, const char* const* argv) const;

  // Whether a host function is the one that calls the program's main(). Safe in signal handlers, as the next function.
  static bool calls_main(const void* function) noexcept;
  bool is_shim(const FoundImage& image) const noexcept;

  // The slot offset of the rank's own definition of a symbol; nothing if no image except plugins defines it.
  std::optional<std::uint64_t> symbol(std::string_view name) const;
  // The same for one image and those that it needs.
  std::optional<std::uint64_t> symbol(const Image& image, std::string_view name) const;

  // Whether the program or one of its private libraries, except Weft's, refers to this function of the host.
  bool calls(std::string_view name) const;

  // A text that is equal in two processes if ranks can move between them: files, build ids, offsets, and the addresses
  // of the C library and the host.
  std::string fingerprint() const;

  const Layout& layout() const { return layout_; }
  const std::vector<Image>& images() const { return images_; }
  const Template& initial() const { return template_; }
  const Region* region() const { return region_; }
  std::span<const WeftDebugImage> debug_images() const { return debug_images_; }

 private:
  Program() = default;
  void find_entry();
  void describe_images();
  void fill_info(Slot slot, const RankInfo& info) const;
  void map_memory(Slot slot) const;
  void map_text(Slot slot) const;
  std::uint64_t heap_end(Slot slot) const;
  void run_constructors(Slot slot, int argc, char** argv, char** environment) const;
  static void run_destructors(void* slot);

  std::vector<Image> images_;  // program, shim, private libraries breadth first, plugins and what only these need
  std::vector<std::uint32_t> constructor_order_;
  Layout layout_;
  Template template_;
  std::optional<RankShim> shim_;
  std::uint64_t main_ = 0;          // slot offset of main, or 0
  std::uint64_t main_pointer_ = 0;  // slot offset of weft_main, a pointer to it, or 0
  // One for each of images_. Every rank's WeftShimInfo points to shim_images_.
  std::vector<WeftShimImage> shim_images_;
  std::vector<WeftDebugImage> debug_images_;  // the same, for unwinders and debuggers
  const Region* region_ = nullptr;
};

// The program that was published last; null if it has been destroyed.
const Program* published_program();
// The program in the slot that contains the address: the published program, unless another one was placed there. Null
// outside of all slots. No lock, no allocation; safe in signal handlers.
const Program* program_at(std::uint64_t address) noexcept;

}  // namespace weft::image
