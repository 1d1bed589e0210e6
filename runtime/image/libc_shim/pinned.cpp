// The answer to "can the rank leave its process?".
#include <stdio.h>

#include "runtime/image/libc_shim/carried_files.hpp"
#include "runtime/image/libc_shim/holdings.hpp"
#include "runtime/image/libc_shim/rank_state.hpp"
#include "runtime/image/libc_shim/subjects.hpp"

namespace weft::shim {
namespace {

char reason[320];

struct Phrase {
  const char* before;
  const char* after;
};

Phrase describe(HoldingKind kind) {
  switch (kind) {
    case HoldingKind::kStream:
      return {"stream '", "' is open"};
    case HoldingKind::kDescriptor:
      return {"file descriptor '", "' is open"};
    case HoldingKind::kDirectory:
      return {"directory '", "' is open"};
    case HoldingKind::kPattern:
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
  for (const Holding* at = holdings(); at != nullptr; at = at->next) {
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
