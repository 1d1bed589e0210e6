// The list of what a rank holds of the process.
#include "runtime/image/libc_shim/holdings.hpp"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/image/libc_shim/rank_state.hpp"

namespace weft::shim {
namespace {

Holding* newest;
uint64_t descriptions;
int holdings_lock;

}  // namespace

Holding* hold(HoldingKind kind, size_t key, const char* name) {
  auto* holding = static_cast<Holding*>(malloc(sizeof(Holding) + strlen(name)));
  if (holding == nullptr) {
    return nullptr;
  }
  holding->kind = kind;
  holding->key = key;
  holding->locked = false;
  holding->saved = nullptr;
  strcpy(holding->name, name);
  const ThreadLock lock(holdings_lock);
  holding->description = ++descriptions;
  holding->next = newest;
  newest = holding;
  return holding;
}

void let_go(HoldingKind kind, size_t key) {
  const ThreadLock lock(holdings_lock);
  for (Holding** at = &newest; *at != nullptr; at = &(*at)->next) {
    if ((*at)->kind == kind && (*at)->key == key) {
      Holding* gone = *at;
      *at = gone->next;
      free(gone->saved);
      free(gone);
      return;
    }
  }
}

int descriptor_of(const Holding& holding) {
  if (holding.kind == HoldingKind::kDescriptor) {
    return static_cast<int>(holding.key);
  }
  const auto* const file = reinterpret_cast<const FILE*>(holding.key);
  return holding.kind == HoldingKind::kStream && in_slot(file) ? file->_fileno : -1;
}

Holding* holding_of(int descriptor) {
  const ThreadLock lock(holdings_lock);
  Holding* at = newest;
  while (at != nullptr && descriptor_of(*at) != descriptor) {
    at = at->next;
  }
  return at;
}

Holding* holdings() { return newest; }

}  // namespace weft::shim
