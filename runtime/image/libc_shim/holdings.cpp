// The list of what a rank holds of the process, and the answer to "can it leave?".
#include "runtime/image/libc_shim/holdings.hpp"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/image/libc_shim/rank_state.hpp"
#include "runtime/image/libc_shim/subjects.hpp"

namespace weft::shim {
namespace {

Holding* newest;
int holdings_lock;
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
    case HoldingKind::kMapping:
      return {"memory from ", " is in use"};
    case HoldingKind::kDirectory:
      return {"directory '", "' is open"};
    case HoldingKind::kPattern:
      return {"regular expression '", "' is in use"};
  }
  return {"", ""};
}

}  // namespace

void hold(HoldingKind kind, size_t key, const char* name) {
  auto* holding = static_cast<Holding*>(malloc(sizeof(Holding) + strlen(name)));
  if (holding == nullptr) {
    return;  // then the rank is not kept here; it has no memory left to go on with
  }
  holding->kind = kind;
  holding->key = key;
  strcpy(holding->name, name);
  const ThreadLock lock(holdings_lock);
  holding->next = newest;
  newest = holding;
}

void let_go(HoldingKind kind, size_t key) {
  const ThreadLock lock(holdings_lock);
  for (Holding** at = &newest; *at != nullptr; at = &(*at)->next) {
    if ((*at)->kind == kind && (*at)->key == key) {
      Holding* gone = *at;
      *at = gone->next;
      free(gone);
      return;
    }
  }
}

const Holding* holdings() { return newest; }

void close_holdings() {
  while (newest != nullptr) {
    const Holding& holding = *newest;
    Holding* const before = newest;
    if (holding.kind == HoldingKind::kStream) {
      fclose(reinterpret_cast<FILE*>(holding.key));
    } else if (holding.kind == HoldingKind::kDescriptor) {
      close(static_cast<int>(holding.key));
    }
    if (newest == before) {
      newest = before->next;
    }
  }
}

}  // namespace weft::shim

WEFT_RANK_EXPORT const char* weft_shim_pinned();

const char* weft_shim_pinned() {
  using namespace weft::shim;
  if (has_threads()) {
    return "it has threads";
  }
  if (const int signal = handled_signal(); signal != 0) {
    snprintf(reason, sizeof reason, "it handles signal %d", signal);
    return reason;
  }
  if (newest == nullptr) {
    return nullptr;
  }
  const Phrase phrase = describe(newest->kind);
  snprintf(reason, sizeof reason, "%s%.200s%s", phrase.before, newest->name, phrase.after);
  return reason;
}
