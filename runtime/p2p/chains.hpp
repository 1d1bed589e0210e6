// A hash table of intrusive chains that keep the order of insertion within one key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace weft::runtime {
inline namespace p2p {

// Links gives next(node), previous(node) and hash(node). Nodes are owned elsewhere. The table grows and never shrinks.
template <typename Node, typename Links>
class Chains {
 public:
  Chains() = default;
  explicit Chains(Links links) : links_(links) {}

  std::size_t size() const { return size_; }

  void append(Node& node, std::uint64_t hash) {
    if (size_ >= 2 * buckets_.size()) [[unlikely]] {
      grow();
    }
    Bucket& bucket = buckets_[hash & (buckets_.size() - 1)];
    links_.next(node) = nullptr;
    links_.previous(node) = bucket.last;
    (bucket.last != nullptr ? links_.next(*bucket.last) : bucket.first) = &node;
    bucket.last = &node;
    ++size_;
  }

  // Inserts the node at its place: walks back from the end of its bucket, past all nodes for which comes_before(node,
  // other).
  template <typename Before>
  void insert(Node& node, std::uint64_t hash, Before&& comes_before) {
    append(node, hash);
    Bucket& bucket = buckets_[hash & (buckets_.size() - 1)];
    Node* before = links_.previous(node);
    if (before == nullptr || !comes_before(node, *before)) {
      return;
    }
    bucket.last = before;
    links_.next(*before) = nullptr;
    while (links_.previous(*before) != nullptr && comes_before(node, *links_.previous(*before))) {
      before = links_.previous(*before);
    }
    Node* const ahead = links_.previous(*before);
    links_.next(node) = before;
    links_.previous(*before) = &node;
    links_.previous(node) = ahead;
    (ahead != nullptr ? links_.next(*ahead) : bucket.first) = &node;
  }

  void erase(Node& node, std::uint64_t hash) {
    Bucket& bucket = buckets_[hash & (buckets_.size() - 1)];
    Node* const before = links_.previous(node);
    Node* const after = links_.next(node);
    (before != nullptr ? links_.next(*before) : bucket.first) = after;
    (after != nullptr ? links_.previous(*after) : bucket.last) = before;
    --size_;
  }

  // The first node under `hash` for which `holds(node)`; null when there is none.
  template <typename Predicate>
  Node* find(std::uint64_t hash, Predicate&& holds) const {
    if (size_ == 0) {
      return nullptr;
    }
    for (Node* node = buckets_[hash & (buckets_.size() - 1)].first; node != nullptr; node = links_.next(*node)) {
      if (holds(*node)) {
        return node;
      }
    }
    return nullptr;
  }

  template <typename Function>
  void for_each(Function&& function) const {
    for (const Bucket& bucket : buckets_) {
      for (Node* node = bucket.first; node != nullptr; node = links_.next(*node)) {
        function(*node);
      }
    }
  }

 private:
  struct Bucket {
    Node* first = nullptr;
    Node* last = nullptr;
  };

  // Nodes of one key keep their order: they all are in one bucket, before and after.
  void grow() {
    std::vector<Bucket> old(buckets_.empty() ? kFirstBuckets : buckets_.size() * 4);
    std::swap(old, buckets_);
    size_ = 0;
    for (const Bucket& bucket : old) {
      for (Node* node = bucket.first; node != nullptr;) {
        Node* const after = links_.next(*node);
        append(*node, links_.hash(*node));
        node = after;
      }
    }
  }

  static constexpr std::size_t kFirstBuckets = 8;
  [[no_unique_address]] Links links_;
  std::vector<Bucket> buckets_;
  std::size_t size_ = 0;
};

}  // namespace p2p
}  // namespace weft::runtime
