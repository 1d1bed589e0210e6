// The hash table of hsearch() and the tree of tsearch(), in the rank's heap.
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/image/libc_shim/rank_state.hpp"

namespace weft::shim {
namespace {

struct HashTable {
  ENTRY* slots;  // an empty one has no key
  size_t capacity, count, most;

  ENTRY* find(const char* key) const {
    size_t hash = 14695981039346656037U;
    for (const char* c = key; *c != '\0'; ++c) {
      hash = (hash ^ static_cast<unsigned char>(*c)) * 1099511628211U;
    }
    size_t at = hash & (capacity - 1);
    while (slots[at].key != nullptr && strcmp(slots[at].key, key) != 0) {
      at = (at + 1) & (capacity - 1);
    }
    return &slots[at];
  }
};

HashTable table;

int refuse(int error) {
  errno = error;
  return 0;
}

// A tree whose shape is drawn at random from the nodes' addresses: balanced in expectation.
struct Node {
  const void* key;  // first: users read the key through the node's pointer
  Node* left;
  Node* right;

  size_t priority() const { return (reinterpret_cast<size_t>(this) >> 4) * 0x9E3779B97F4A7C15U; }
};

Node* as_node(const void* root) { return static_cast<Node*>(const_cast<void*>(root)); }

// Splits a tree into the nodes before and after key, which is not in it.
void split(Node* node, const void* key, comparison_fn_t compare, Node** before, Node** after) {
  while (node != nullptr) {
    if (compare(key, node->key) < 0) {
      *after = node;
      after = &node->left;
      node = node->left;
    } else {
      *before = node;
      before = &node->right;
      node = node->right;
    }
  }
  *before = *after = nullptr;
}

Node* merge(Node* left, Node* right) {
  Node* root = nullptr;
  Node** at = &root;
  while (left != nullptr && right != nullptr) {
    if (left->priority() > right->priority()) {
      *at = left;
      at = &left->right;
      left = left->right;
    } else {
      *at = right;
      at = &right->left;
      right = right->left;
    }
  }
  *at = left != nullptr ? left : right;
  return root;
}

Node** place_of(const void* key, Node** root, comparison_fn_t compare, Node** parent) {
  Node** at = root;
  while (*at != nullptr) {
    const int order = compare(key, (*at)->key);
    if (order == 0) {
      break;
    }
    *parent = *at;
    at = order < 0 ? &(*at)->left : &(*at)->right;
  }
  return at;
}

void walk(const Node* node, __action_fn_t act, int depth) {
  if (node->left == nullptr && node->right == nullptr) {
    act(node, leaf, depth);
    return;
  }
  act(node, preorder, depth);
  if (node->left != nullptr) {
    walk(node->left, act, depth + 1);
  }
  act(node, postorder, depth);
  if (node->right != nullptr) {
    walk(node->right, act, depth + 1);
  }
  act(node, endorder, depth);
}

void walk_with(const Node* node, void (*act)(const void*, VISIT, void*), void* closure) {
  if (node->left == nullptr && node->right == nullptr) {
    act(node, leaf, closure);
    return;
  }
  act(node, preorder, closure);
  if (node->left != nullptr) {
    walk_with(node->left, act, closure);
  }
  act(node, postorder, closure);
  if (node->right != nullptr) {
    walk_with(node->right, act, closure);
  }
  act(node, endorder, closure);
}

}  // namespace
}  // namespace weft::shim

using weft::shim::Node;
using weft::shim::table;

WEFT_RANK_EXPORT int hcreate(size_t most) noexcept {
  if (table.slots != nullptr) {
    return 0;
  }
  if (most > SIZE_MAX / 4 / sizeof(ENTRY)) {
    return weft::shim::refuse(ENOMEM);
  }
  table.most = most < 3 ? 3 : most;
  table.capacity = std::bit_ceil(2 * table.most);
  table.count = 0;
  table.slots = static_cast<ENTRY*>(calloc(table.capacity, sizeof(ENTRY)));
  return table.slots != nullptr ? 1 : 0;
}

WEFT_RANK_EXPORT ENTRY* hsearch(ENTRY entry, ACTION action) noexcept {
  ENTRY* found = table.slots != nullptr ? table.find(entry.key) : nullptr;
  if (found != nullptr && found->key != nullptr) {
    return found;
  }
  if (action == FIND || found == nullptr) {
    errno = ESRCH;
    return nullptr;
  }
  if (table.count == table.most) {
    errno = ENOMEM;
    return nullptr;
  }
  ++table.count;
  *found = entry;
  return found;
}

WEFT_RANK_EXPORT void hdestroy() noexcept {
  free(table.slots);
  table = {};
}

WEFT_RANK_EXPORT void* tsearch(const void* key, void** root, comparison_fn_t compare) {
  if (root == nullptr) {
    return nullptr;
  }
  Node* parent = nullptr;
  if (Node* found = *weft::shim::place_of(key, reinterpret_cast<Node**>(root), compare, &parent)) {
    return found;
  }
  Node* added = static_cast<Node*>(malloc(sizeof(Node)));
  if (added == nullptr) {
    return nullptr;
  }
  added->key = key;
  Node** at = reinterpret_cast<Node**>(root);
  while (*at != nullptr && (*at)->priority() > added->priority()) {
    at = compare(key, (*at)->key) < 0 ? &(*at)->left : &(*at)->right;
  }
  weft::shim::split(*at, key, compare, &added->left, &added->right);
  *at = added;
  return added;
}

WEFT_RANK_EXPORT void* tfind(const void* key, void* const* root, comparison_fn_t compare) {
  Node* parent = nullptr;
  return root == nullptr
             ? nullptr
             : *weft::shim::place_of(key, reinterpret_cast<Node**>(const_cast<void**>(root)), compare, &parent);
}

// Returns the parent of the removed node; for the root, some pointer that is not null; null if the key is not there.
WEFT_RANK_EXPORT void* tdelete(const void* key, void** root, comparison_fn_t compare) {
  if (root == nullptr) {
    return nullptr;
  }
  Node* parent = nullptr;
  Node** at = weft::shim::place_of(key, reinterpret_cast<Node**>(root), compare, &parent);
  Node* found = *at;
  if (found == nullptr) {
    return nullptr;
  }
  *at = weft::shim::merge(found->left, found->right);
  free(found);
  return parent != nullptr ? static_cast<void*>(parent) : static_cast<void*>(root);
}

WEFT_RANK_EXPORT void twalk(const void* root, __action_fn_t act) {
  if (root != nullptr && act != nullptr) {
    weft::shim::walk(weft::shim::as_node(root), act, 0);
  }
}

WEFT_RANK_EXPORT void twalk_r(const void* root, void (*act)(const void*, VISIT, void*), void* closure) {
  if (root != nullptr && act != nullptr) {
    weft::shim::walk_with(weft::shim::as_node(root), act, closure);
  }
}

WEFT_RANK_EXPORT void tdestroy(void* root, __free_fn_t release) {
  Node* node = weft::shim::as_node(root);
  while (node != nullptr) {
    Node* rest = weft::shim::merge(node->left, node->right);
    release(const_cast<void*>(node->key));
    free(node);
    node = rest;
  }
}
