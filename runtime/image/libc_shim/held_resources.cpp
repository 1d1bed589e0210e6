// The list of resources of the process that a rank holds.
#include "runtime/image/libc_shim/held_resources.hpp"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/image/libc_shim/rank_state.hpp"

namespace weft::shim {
namespace {

HeldResource* newest;
uint64_t descriptions;  // the number given out last
int resources_lock;     // guards both

}  // namespace

HeldResource* hold_resource(ResourceKind kind, size_t key, const char* name) {
  auto* resource = static_cast<HeldResource*>(malloc(sizeof(HeldResource) + strlen(name)));
  if (resource == nullptr) {
    return nullptr;
  }
  resource->kind = kind;
  resource->key = key;
  resource->locked = false;
  resource->saved = nullptr;
  strcpy(resource->name, name);
  const ThreadLock lock(resources_lock);
  resource->description = ++descriptions;
  resource->next = newest;
  newest = resource;
  return resource;
}

void forget_resource(ResourceKind kind, size_t key) {
  const ThreadLock lock(resources_lock);
  for (HeldResource** at = &newest; *at != nullptr; at = &(*at)->next) {
    if ((*at)->kind == kind && (*at)->key == key) {
      HeldResource* gone = *at;
      *at = gone->next;
      free(gone->saved);
      free(gone);
      return;
    }
  }
}

void hold_in_place_of(int descriptor, ResourceKind kind, size_t key) {
  if (HeldResource* const before = resource_of(descriptor);
      before != nullptr && before->kind == ResourceKind::kDescriptor) {
    before->kind = kind;
    before->key = key;
  } else if (HeldResource* const resource = hold_resource(kind, key, "of a descriptor"); resource != nullptr) {
    resource->description = 0;
  }
}

int descriptor_of(const HeldResource& resource) {
  if (resource.kind == ResourceKind::kDescriptor) {
    return static_cast<int>(resource.key);
  }
  const auto* const file = reinterpret_cast<const FILE*>(resource.key);
  return resource.kind == ResourceKind::kStream && in_slot(file) ? file->_fileno : -1;
}

HeldResource* resource_of(int descriptor) {
  const ThreadLock lock(resources_lock);
  HeldResource* at = newest;
  while (at != nullptr && descriptor_of(*at) != descriptor) {
    at = at->next;
  }
  return at;
}

HeldResource* held_resources() { return newest; }

}  // namespace weft::shim
