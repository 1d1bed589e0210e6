#include "launch/backtrace.hpp"

#include <sys/uio.h>
#include <unistd.h>
#include <unwind.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <span>

#include "base/say.hpp"
#include "launch/code_owner.hpp"
#include "launch/source_lines.hpp"
#include "runtime/image/describe.hpp"

namespace weft::launch {
namespace {

constexpr std::size_t kMostLines = 32;
constexpr std::size_t kMostKept = kMostCodeLocations;
constexpr int kMostFrames = 20000;

struct Frame {
  std::uintptr_t address = 0;  // of the call, or of the interrupted instruction
  int repeated = 0;            // by recursion
  CodeOwner owner = CodeOwner::system;
};

// The frames of one thread, the innermost first.
struct Walk {
  std::uintptr_t from = 0;  // frames inside of this one belong to the report itself
  bool begun = false;
  int frames = 0;
  std::uintptr_t last = 0;  // the address of the previous frame, which recursion repeats
  std::array<Frame, kMostKept> kept{};
  std::size_t count = 0;
};

_Unwind_Reason_Code visit(_Unwind_Context* context, void* argument) {
  auto& walk = *static_cast<Walk*>(argument);
  int before = 0;
  const std::uintptr_t address = _Unwind_GetIPInfo(context, &before);
  walk.begun = walk.begun || address == walk.from;
  if (!walk.begun || address == 0) {
    return _URC_NO_REASON;
  }
  if (++walk.frames > 1 && address == walk.last) {
    ++walk.kept[walk.count - 1].repeated;
    return walk.frames < kMostFrames ? _URC_NO_REASON : _URC_END_OF_STACK;
  }
  walk.last = address;
  // A return address belongs to the call before it.
  const std::uintptr_t place = before != 0 ? address : address - 1;
  walk.kept[walk.count++] = {.address = place, .owner = code_owner(code_location(place), place)};
  return walk.count < walk.kept.size() ? _URC_NO_REASON : _URC_END_OF_STACK;
}

// For places without unwind information, such as after a call through a null pointer: keeps the instruction, and its
// caller if the return address lies where the call has put it.
void keep_unknown(Walk& walk, std::uintptr_t from, std::uintptr_t stack_pointer) {
  walk.kept[walk.count++] = {.address = from};
  std::uintptr_t caller = 0;
  const iovec here{&caller, sizeof caller};
  const iovec there{reinterpret_cast<void*>(stack_pointer), sizeof caller};
  // Unlike a load, this call fails with an error where there is no memory.
  const bool is_read = ::process_vm_readv(::getpid(), &here, 1, &there, 1, 0) == static_cast<ssize_t>(sizeof caller);
  if (is_read && code_location(caller).file != nullptr) {
    walk.kept[walk.count++] = {.address = caller - 1, .owner = CodeOwner::program};
  }
}

using FrameName = std::array<char, 512>;

const char* name_of(const Frame& frame, FrameName& name) {
  return image::describe(reinterpret_cast<const void*>(frame.address), name.data(), name.size());
}

// Whether the frame belongs to a function that no program calls.
bool is_internal(const Frame& frame) {
  if (frame.owner != CodeOwner::runtime && frame.owner != CodeOwner::rank_library) {
    return false;
  }
  FrameName name{};
  return is_internal_name(name_of(frame, name));
}

bool begins_call(const Frame& frame) {
  return frame.owner == CodeOwner::program || (frame.owner == CodeOwner::runtime && !is_internal(frame));
}

// Keeps, in place, the frames that the user is shown. All of them are where none is the program's.
std::span<Frame> visible_frames(std::span<Frame> frames, BacktraceStart start) {
  const auto is_program = [](const Frame& frame) { return frame.owner == CodeOwner::program; };
  const auto outermost = std::find_if(frames.rbegin(), frames.rend(), is_program).base();
  if (outermost == frames.begin()) {
    return frames.first(std::min(frames.size(), kMostLines));
  }
  auto first = frames.begin();
  auto end = first;
  if (start == BacktraceStart::call) {
    first = std::find_if(first, outermost, begins_call);
  } else {
    *end++ = *first++;
  }
  for (; first != outermost; ++first) {
    if (!is_internal(*first)) {
      *end++ = *first;
    }
  }
  return frames.first(std::min(static_cast<std::size_t>(end - frames.begin()), kMostLines));
}

void print(std::span<const Frame> frames, std::span<const CodeLocation> places) {
  int number = 0;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    FrameName name{};
    std::array<char, 900> text{};
    const char* const line = places[i].line.data();
    std::snprintf(text.data(), text.size(), "  #%-2d %s%s%s\n", number, name_of(frames[i], name),
                  *line == '\0' ? "" : " at ", line);
    base::say(text.data());
    if (frames[i].repeated > 0) {
      std::snprintf(text.data(), text.size(), "  ... the same frame %d more times\n", frames[i].repeated);
      base::say(text.data());
    }
    number += 1 + frames[i].repeated;
  }
}

_Unwind_Reason_Code find_program(_Unwind_Context* context, void* argument) {
  const std::uintptr_t address = _Unwind_GetIP(context);
  const char* const file = address == 0 ? nullptr : code_location(address - 1).file;
  if (file == nullptr || is_rank_library(file)) {
    return _URC_NO_REASON;
  }
  *static_cast<std::uintptr_t*>(argument) = address;
  return _URC_END_OF_STACK;
}

}  // namespace

void print_backtrace(std::uintptr_t from, std::uintptr_t stack_pointer, BacktraceStart start) {
  Walk walk;
  walk.from = from;
  walk.begun = from == 0 && stack_pointer == 0;
  _Unwind_Backtrace(&visit, &walk);
  if (walk.count == 0) {
    keep_unknown(walk, from, stack_pointer);
  }
  const std::span<Frame> frames = visible_frames(std::span(walk.kept).first(walk.count), start);
  std::array<CodeLocation, kMostLines> places;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    places[i] = code_location(frames[i].address);
  }
  read_source_lines(std::span(places).first(frames.size()));
  print(frames, places);
}

std::uintptr_t program_return_address() {
  std::uintptr_t address = 0;
  _Unwind_Backtrace(&find_program, &address);
  return address;
}

}  // namespace weft::launch
