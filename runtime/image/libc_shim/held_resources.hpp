// The process's resources that a rank holds. They are released when the rank ends, and keep it in its process until
// then.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace weft::shim {

enum class ResourceKind { kStream, kDescriptor, kDirectory, kPattern };

struct SavedFile;

struct HeldResource {
  HeldResource* next;
  ResourceKind kind;
  size_t key;            // FILE*, descriptor, …
  uint64_t description;  // of a descriptor: equal numbers share an offset; 0: not the rank's alone
  bool locked;           // the rank has locked the file by this descriptor, or by the one of which it is a duplicate
  SavedFile* saved;      // data to open the file again elsewhere; null unless the rank is being packed or has just come
  char name[1];          // path or kind, for messages; longer than declared
};

// Notes a resource. Null if there is no memory: the rank is not kept in its process then, but it has no memory left to
// continue with.
HeldResource* hold_resource(ResourceKind kind, size_t key, const char* name);
void forget_resource(ResourceKind kind, size_t key);
// Notes a stream or directory that the rank has made of a descriptor and that will close it: in place of the descriptor
// if that was noted.
void hold_in_place_of(int descriptor, ResourceKind kind, size_t key);
// The descriptor that the resource is, or that its stream uses; -1 if it has none, or if only the C library knows it.
int descriptor_of(const HeldResource& resource);
// The newest resource with this descriptor; null if there is none.
HeldResource* resource_of(int descriptor);
// All resources, newest first; constant while nothing is opened or closed.
HeldResource* held_resources();

inline size_t key_of(const void* pointer) { return reinterpret_cast<size_t>(pointer); }

}  // namespace weft::shim
