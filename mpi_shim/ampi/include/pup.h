// Pup functions: one function lists the parts of an object, and is called to count, to pack and to unpack them. These
// are the C++ names that AMPI and Charm++ programs use. C++11; no type of the standard library is passed to Weft's own
// library.
//
//   struct Field {
//     int width;
//     std::vector<double> cells;
//     void pup(PUP::er& p) { p | width; p | cells; }
//   };
#ifndef WEFT_PUP_H
#define WEFT_PUP_H

#include <array>
#include <complex>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "pup_c.h"

namespace PUP {

// What pup_er points to. Programs make sizer, toMem and fromMem only.
class er {
 public:
  er(const er&) = delete;
  er& operator=(const er&) = delete;

  bool isSizing() const { return pup_isSizing(handle()) != 0; }
  bool isPacking() const { return pup_isPacking(handle()) != 0; }
  bool isUnpacking() const { return pup_isUnpacking(handle()) != 0; }
  bool isDeleting() const { return pup_isDeleting(handle()) != 0; }
  bool isUserlevel() const { return pup_isUserlevel(handle()) != 0; }
  bool isMigration() const { return pup_isMigration(handle()) != 0; }
  bool isCheckpoint() const { return pup_isCheckpoint(handle()) != 0; }
  std::size_t size() const { return pup_size(handle()); }

  // One value, some in a row, raw bytes.
  template <class T>
  void operator()(T& value);
  template <class T>
  void operator()(T* values, std::size_t count);
  void operator()(void* raw, std::size_t count) { pup_bytes(this, raw, count); }
  void comment(const char* /*text*/) {}

 protected:
  enum Mode : unsigned { kSizing = 1, kPacking = 2, kUnpacking = 4 };
  er(Mode mode, void* buffer) : mode_(mode), at_(static_cast<char*>(buffer)) {}

  // As mpi_shim/ampi/puper.hpp has them. Not private: clang warns of private variables that only a library reads.
  unsigned mode_;
  char* at_;
  std::size_t size_ = 0;
  std::size_t bytes_left_ = static_cast<std::size_t>(-1);

 private:
  pup_er handle() const { return const_cast<er*>(this); }
};

class sizer : public er {
 public:
  sizer() : er(kSizing, nullptr) {}
};

// The buffer holds what a sizer counted.
class toMem : public er {
 public:
  explicit toMem(void* buffer) : er(kPacking, buffer) {}
};

class fromMem : public er {
 public:
  explicit fromMem(const void* buffer) : er(kUnpacking, const_cast<void*>(buffer)) {}
};

// Whether T is copied as it lies in memory. See PUPbytes.
template <class T>
struct as_bytes : std::integral_constant<bool, std::is_arithmetic<T>::value || std::is_enum<T>::value> {};
template <class T>
struct as_bytes<std::complex<T>> : as_bytes<T> {};

namespace detail {

struct No {};
struct Yes : No {};

template <class T>
auto has_member(Yes) -> decltype(std::declval<T&>().pup(std::declval<er&>()), std::true_type());
template <class T>
std::false_type has_member(No);

template <class T>
auto has_function(Yes) -> decltype(pup(std::declval<er&>(), std::declval<T&>()), std::true_type());
template <class T>
std::false_type has_function(No);

enum class Way { bytes, member, function, none };

template <class T>
constexpr Way way() {
  return as_bytes<T>::value                        ? Way::bytes
         : decltype(has_member<T>(Yes()))::value   ? Way::member
         : decltype(has_function<T>(Yes()))::value ? Way::function
                                                   : Way::none;
}

template <Way kWay>
struct Item;
template <>
struct Item<Way::bytes> {
  template <class T>
  static void pup_it(er& p, T& value) {
    p(static_cast<void*>(&value), sizeof(T));
  }
};
template <>
struct Item<Way::member> {
  template <class T>
  static void pup_it(er& p, T& value) {
    value.pup(p);
  }
};
template <>
struct Item<Way::function> {
  template <class T>
  static void pup_it(er& p, T& value) {
    pup(p, value);
  }
};

}  // namespace detail

template <class T>
er& operator|(er& p, T& value) {
  static_assert(detail::way<T>() != detail::Way::none,
                "this type needs a member pup(PUP::er&), a function pup(PUP::er&, T&) or PUPbytes(T)");
  detail::Item<detail::way<T>()>::pup_it(p, value);
  return p;
}

template <class T, std::size_t kCount>
er& operator|(er& p, T (&values)[kCount]) {
  p(values, kCount);
  return p;
}

namespace detail {

template <class T>
void items(er& p, T* values, std::size_t count, std::true_type /*as bytes*/) {
  p(static_cast<void*>(values), count * sizeof(T));
}
template <class T>
void items(er& p, T* values, std::size_t count, std::false_type) {
  for (std::size_t i = 0; i < count; ++i) {
    p | values[i];
  }
}

// The container's size, which unpacking learns.
template <class Container>
std::size_t count_of(er& p, const Container& values) {
  std::size_t count = values.size();
  p | count;
  return count;
}

template <class Sequence>
er& sequence(er& p, Sequence& values) {
  const std::size_t count = count_of(p, values);
  if (p.isUnpacking()) {
    values.clear();
    values.resize(count);
  }
  for (auto& value : values) {
    p | value;
  }
  return p;
}

template <class Set>
er& set_like(er& p, Set& values) {
  using Key = typename Set::key_type;
  const std::size_t count = count_of(p, values);
  if (!p.isUnpacking()) {
    for (const Key& key : values) {
      p | const_cast<Key&>(key);
    }
    return p;
  }
  values.clear();
  for (std::size_t i = 0; i < count; ++i) {
    Key key{};
    p | key;
    values.insert(values.end(), std::move(key));
  }
  return p;
}

template <class Map>
er& map_like(er& p, Map& values) {
  using Key = typename Map::key_type;
  const std::size_t count = count_of(p, values);
  if (!p.isUnpacking()) {
    for (auto& entry : values) {
      p | const_cast<Key&>(entry.first);
      p | entry.second;
    }
    return p;
  }
  values.clear();
  for (std::size_t i = 0; i < count; ++i) {
    std::pair<Key, typename Map::mapped_type> entry{};
    p | entry.first;
    p | entry.second;
    values.insert(values.end(), std::move(entry));
  }
  return p;
}

}  // namespace detail

template <class T>
void er::operator()(T& value) {
  *this | value;
}
template <class T>
void er::operator()(T* values, std::size_t count) {
  detail::items(*this, values, count, std::integral_constant<bool, as_bytes<T>::value>());
}

template <class First, class Second>
er& operator|(er& p, std::pair<First, Second>& both) {
  return p | both.first, p | both.second;
}

template <class Character, class Traits, class Allocator>
er& operator|(er& p, std::basic_string<Character, Traits, Allocator>& text) {
  const std::size_t count = detail::count_of(p, text);
  if (p.isUnpacking()) {
    text.resize(count);
  }
  p(&text[0], count);
  return p;
}

template <class T, class Allocator>
er& operator|(er& p, std::vector<T, Allocator>& values) {
  const std::size_t count = detail::count_of(p, values);
  if (p.isUnpacking()) {
    values.clear();
    values.resize(count);
  }
  p(values.data(), count);
  return p;
}

template <class Allocator>
er& operator|(er& p, std::vector<bool, Allocator>& values) {
  const std::size_t count = detail::count_of(p, values);
  if (p.isUnpacking()) {
    values.assign(count, false);
  }
  for (std::size_t i = 0; i < count; ++i) {
    bool value = values[i];
    p | value;
    values[i] = value;
  }
  return p;
}

template <class T, std::size_t kCount>
er& operator|(er& p, std::array<T, kCount>& values) {
  p(values.data(), kCount);
  return p;
}

template <class T, class Allocator>
er& operator|(er& p, std::deque<T, Allocator>& values) {
  return detail::sequence(p, values);
}
template <class T, class Allocator>
er& operator|(er& p, std::list<T, Allocator>& values) {
  return detail::sequence(p, values);
}

template <class... Types>
er& operator|(er& p, std::set<Types...>& values) {
  return detail::set_like(p, values);
}
template <class... Types>
er& operator|(er& p, std::multiset<Types...>& values) {
  return detail::set_like(p, values);
}
template <class... Types>
er& operator|(er& p, std::unordered_set<Types...>& values) {
  return detail::set_like(p, values);
}
template <class... Types>
er& operator|(er& p, std::map<Types...>& values) {
  return detail::map_like(p, values);
}
template <class... Types>
er& operator|(er& p, std::multimap<Types...>& values) {
  return detail::map_like(p, values);
}
template <class... Types>
er& operator|(er& p, std::unordered_map<Types...>& values) {
  return detail::map_like(p, values);
}

template <class T>
er& operator|(er& p, std::unique_ptr<T>& object) {
  bool present = object != nullptr;
  p | present;
  if (p.isUnpacking()) {
    object.reset(present ? new T() : nullptr);
  }
  return present ? p | *object : p;
}

}  // namespace PUP

// Some values in a row.
template <class T>
void PUParray(PUP::er& p, T* values, std::size_t count) {
  p(values, count);
}

// Says, outside of all namespaces, that a type is copied as it lies in memory.
#define PUPbytes(...)                               \
  namespace PUP {                                   \
  template <>                                       \
  struct as_bytes<__VA_ARGS__> : std::true_type {}; \
  }
#define PUPn(member) p | member

#endif
