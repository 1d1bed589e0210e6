// Finds out why a rank cannot leave its process.
#include <stdio.h>

#include "runtime/image/libc_shim/carried_files.hpp"
#include "runtime/image/libc_shim/held_resources.hpp"
#include "runtime/image/libc_shim/rank_lifecycle.hpp"
#include "runtime/image/libc_shim/rank_state.hpp"

namespace weft::shim {
namespace {

char reason[320];

struct Phrase {
  const char* before;
  const char* after;
};

Phrase describe(ResourceKind kind) {
  switch (kind) {
    case ResourceKind::kStream:
      return {"stream '", "' is open"};
    case ResourceKind::kDescriptor:
      return {"file descriptor '", "' is open"};
    case ResourceKind::kDirectory:
      return {"directory '", "' is open"};
    case ResourceKind::kPattern:
      return {"regular expression '", "' is in use"};
  }
  return {"", ""};
}

}  // namespace
}  // namespace weft::shim

WEFT_RANK_EXPORT const char* weft_shim_pinned(int several_hosts);

const char* weft_shim_pinned(int several_hosts) {
  using namespace weft::shim;
  if (has_threads()) {
    return "it has threads";
  }
  if (const char* const why = why_mappings_stay(several_hosts != 0); why != nullptr) {
    return why;
  }
  for (const HeldResource* at = held_resources(); at != nullptr; at = at->next) {
    if (!may_be_carried(*at)) {
      const Phrase phrase = describe(at->kind);
      snprintf(reason, sizeof reason, "%s%.200s%s", phrase.before, at->name, phrase.after);
      return reason;
    }
    if (why_file_stays(*at, several_hosts != 0, reason, sizeof reason)) {
      return reason;
    }
  }
  return nullptr;
}
