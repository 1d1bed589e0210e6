// A C++ program: objects, exceptions, streams and thread-local variables all belong to the rank, over thread changes.
#include <algorithm>
#include <exception>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <typeinfo>
#include <vector>

#include "host.h"

namespace {
int failures;

void check(bool holds, int line) {
  if (!holds) {
    ++failures;
    std::cerr << "rank " << host_rank() << ": line " << line << " does not hold\n";
  }
}
#define CHECK(x) check((x), __LINE__)

struct Registry {
  std::vector<std::string> names{"first"};
  std::map<std::string, int> numbers{{"a", 1}};
  ~Registry() {
    if (names.size() != 1 + static_cast<std::size_t>(host_rank())) {
      std::cerr << "rank " << host_rank() << ": the registry was another rank's\n";
      std::abort();
    }
  }
};
Registry registry;

struct Base {
  virtual ~Base() = default;
  virtual int value() const = 0;
};
struct Plus : Base {
  explicit Plus(int v) : v_(v) {}
  int value() const override { return v_; }
  int v_;
};
struct Minus : Plus {
  using Plus::Plus;
  int value() const override { return -v_; }
};

struct RankError : std::runtime_error {
  explicit RankError(int r) : std::runtime_error("rank error"), rank(r) {}
  int rank;
};

template <class T>
struct Holder {
  static T value;
};
template <class T>
T Holder<T>::value = T(41);
thread_local std::string thread_text = "init";
thread_local std::vector<int> thread_numbers{1, 2, 3};
std::mutex mutex;

Base& single() {
  static Minus one(host_rank());
  return one;
}

void throw_below(int depth) {
  std::string local(100, 'x');
  if (depth == 0) {
    throw RankError(host_rank());
  }
  throw_below(depth - 1);
}

// The rank changes threads while it handles an exception, throws another inside, and rethrows the first.
void exceptions_over_yields(int rank) {
  for (int k = 0; k < 3; ++k) {
    try {
      throw_below(5);
      CHECK(false);
    } catch (const RankError& outer) {
      host_yield();
      CHECK(outer.rank == rank && std::current_exception() != nullptr);
      try {
        throw_below(2);
      } catch (const std::exception& inner) {
        host_yield();
        CHECK(dynamic_cast<const RankError*>(&inner) != nullptr && std::uncaught_exceptions() == 0);
      }
      host_yield();
      try {
        throw;
      } catch (const std::runtime_error& again) {
        CHECK(std::string(again.what()) == "rank error");
      }
    }
    CHECK(std::current_exception() == nullptr);
    host_yield();
  }
}

void library_errors() {
  try {
    std::vector<int> empty;
    (void)empty.at(10);
    CHECK(false);
  } catch (const std::out_of_range&) {
  }
  try {
    (void)std::stoi("zz");
    CHECK(false);
  } catch (const std::invalid_argument&) {
  }
}

void streams(int rank) {
  std::ostringstream out;
  out << std::hex << 255 << ' ' << 3.5;
  CHECK(out.str() == "ff 3.5");
  std::cout.precision(rank % 10 + 1);
  host_yield();
  CHECK(std::cout.precision() == rank % 10 + 1);
}
}  // namespace

inline int inline_variable = 3;
std::function<int(int)> function = [](int a) { return a + inline_variable; };

int main() {
  const int rank = host_rank();
  CHECK(registry.names.size() == 1 && registry.numbers["a"] == 1);
  CHECK(inline_variable == 3 && Holder<long>::value == 41 && thread_text == "init");
  for (int i = 0; i < rank; ++i) {
    registry.names.push_back("n" + std::to_string(i));
  }
  inline_variable = rank;
  Holder<long>::value = rank;
  thread_text += std::to_string(rank);
  thread_numbers.push_back(rank);
  host_yield();
  CHECK(inline_variable == rank && Holder<long>::value == rank && thread_text == "init" + std::to_string(rank));
  CHECK(thread_numbers.size() == 4 && thread_numbers.back() == rank && single().value() == -rank);
  exceptions_over_yields(rank);
  library_errors();
  streams(rank);
  std::unique_ptr<Base> object = std::make_unique<Minus>(rank);
  const Base& base = *object;
  CHECK(base.value() == -rank && dynamic_cast<const Plus*>(&base) != nullptr && typeid(base) == typeid(Minus));
  std::mt19937 generator(static_cast<unsigned>(rank));
  std::vector<double> values(1000);
  std::generate(values.begin(), values.end(), [&] { return std::normal_distribution<>()(generator); });
  std::sort(values.begin(), values.end());
  CHECK(std::is_sorted(values.begin(), values.end()) && function(1) == rank + 1);
  CHECK(std::regex_match("abc123", std::regex("[a-z]+[0-9]+")));
  {
    std::lock_guard lock(mutex);  // the rank's own: no other rank waits for it
    host_yield();
  }
  return failures;
}
