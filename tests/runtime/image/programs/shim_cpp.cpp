// C++ streams, and what C++ keeps per thread, in ranks that have threads.
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "shim_check.h"

extern "C" const char* weft_shim_pinned(int several_hosts);

namespace {

struct Loud {
  explicit Loud(const char* text) : name(text) {}
  ~Loud() { std::cout << "destroyed " << name << '\n'; }
  std::string name;
};

Loud global("global");
thread_local std::string own = "initial";
thread_local int deaths_seen = 0;
int thread_deaths = 0;

struct Mortal {
  ~Mortal() { __atomic_fetch_add(&thread_deaths, 1, __ATOMIC_RELAXED); }
  int use = 0;
};
thread_local Mortal mortal;

void in_thread(int number) {
  CHECK(own == "initial");
  own = std::to_string(number);
  mortal.use = number;
  for (int i = 0; i < 1000; ++i) {
    std::string longer(static_cast<std::size_t>(i), 'x');
    CHECK(longer.size() == static_cast<std::size_t>(i));
  }
  try {
    throw std::runtime_error(own);
  } catch (const std::runtime_error& error) {
    CHECK(error.what() == std::to_string(number));
  }
  CHECK(own == std::to_string(number));
}

// The standard library's own copy in the rank opens directories by openat() and fdopendir().
void list_directory() {
  for (const auto& entry : std::filesystem::directory_iterator("/")) {
    const char* const reason = weft_shim_pinned(0);
    CHECK(!entry.path().empty() && reason != nullptr && std::string(reason) == "directory '/' is open");
  }
  CHECK(weft_shim_pinned(0) == nullptr);
}

}  // namespace

int main() {
  list_directory();
  own = "main's";
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back(in_thread, i);
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  CHECK(own == "main's" && thread_deaths == 4);
  host_yield();
  CHECK(own == "main's");
  static Loud local("local");
  std::cout << "cout " << 1.5 << std::endl;
  std::cerr << "cerr " << 2 << '\n';
  std::clog << "clog\n";
  std::wcout << L"wcout\n";
  std::string word;
  CHECK(!(std::cin >> word));
  std::cout << "not flushed\n";
  return failures;
}
