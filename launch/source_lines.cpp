#include "launch/source_lines.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

#include "base/executable.hpp"
#include "runtime/image/program.hpp"
#include "runtime/image/unwind.hpp"

namespace weft::launch {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kTimeout(4);  // less than the crash report may take

std::string line_reader;  // written once, before the first rank starts

// What one run of the tool is given.
struct Question {
  std::array<std::array<char, 20>, kMostCodePlaces> words;
  std::array<const char*, kMostCodePlaces + 4> arguments;
  std::array<CodePlace*, kMostCodePlaces> places;
  std::size_t count = 0;
  int output = -1;
};

// The child, in its parent's memory until it executes the tool. Instrumented code would note what it does there.
[[gnu::no_sanitize_address, gnu::no_sanitize_thread]] int execute(void* argument) {
  const auto& question = *static_cast<Question*>(argument);
  const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  const std::array<const char*, 2> environment{"LC_ALL=C", nullptr};
  if (nowhere >= 0 && ::dup2(nowhere, 0) == 0 && ::dup2(question.output, 1) == 1 && ::dup2(nowhere, 2) == 2) {
    ::execve(line_reader.c_str(), const_cast<char* const*>(question.arguments.data()),
             const_cast<char* const*>(environment.data()));
  }
  ::_exit(127);
}

// Not fork(), which calls handlers and copies the page tables of all ranks' memory. No signal tells of the child's end:
// the program may have a handler for SIGCHLD.
pid_t start(Question& question) {
  constexpr std::size_t kStackBytes = std::size_t{16} << 10;
  alignas(16) std::array<std::byte, kStackBytes> stack;
  return ::clone(&execute, stack.data() + stack.size(), CLONE_VM | CLONE_VFORK, &question);
}

// Reads until the end, or as much as there is place for.
std::size_t read_until(int from, std::span<char> text, Clock::time_point end) {
  std::size_t size = 0;
  while (size < text.size()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
    pollfd wanted{from, POLLIN, 0};
    const int found = ::poll(&wanted, 1, static_cast<int>(std::max<std::int64_t>(left, 0)));
    const ssize_t got = found > 0 ? ::read(from, text.data() + size, text.size() - size) : found;
    if (got == 0 || (got < 0 && errno != EINTR)) {
      break;
    }
    size += got > 0 ? static_cast<std::size_t>(got) : 0;
  }
  return size;
}

// "/home/me/solver.c:12 (discriminator 2)" or, for what is unknown, "??:0" and "/home/me/solver.c:?".
void keep_line(std::string_view answer, CodePlace& place) {
  answer = answer.substr(0, answer.find(" (discriminator"));
  const bool is_known = !answer.starts_with("??") && !answer.ends_with(":?") && !answer.ends_with(":0");
  if (is_known && answer.size() < place.line.size()) {
    *std::ranges::copy(answer, place.line.begin()).out = '\0';
  }
}

void ask(Question& question, Clock::time_point end) {
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) {
    return;
  }
  question.output = pipe[1];
  const pid_t child = start(question);
  ::close(pipe[1]);
  std::array<char, 16384> text;
  std::string_view answers(text.data(), child > 0 ? read_until(pipe[0], text, end) : 0);
  ::close(pipe[0]);
  if (child > 0) {
    ::kill(child, SIGKILL);  // unless it has ended by itself
    ::waitpid(child, nullptr, __WALL);
  }
  for (std::size_t i = 0; i < question.count && answers.find('\n') != std::string_view::npos; ++i) {
    keep_line(answers.substr(0, answers.find('\n')), *question.places[i]);
    answers.remove_prefix(answers.find('\n') + 1);
  }
}

// All places of the file, which are no longer asked for then.
void collect(std::span<CodePlace> places, std::span<bool> asked, const char* file, Question& question) {
  std::size_t words = 0;
  for (const char* const word : {"addr2line", "-e", file}) {
    question.arguments[words++] = word;
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (!asked[i] && places[i].file != nullptr && std::strcmp(places[i].file, file) == 0) {
      asked[i] = true;
      auto& word = question.words[question.count];
      std::snprintf(word.data(), word.size(), "%#llx", static_cast<unsigned long long>(places[i].address));
      question.arguments[words++] = word.data();
      question.places[question.count++] = &places[i];
    }
  }
  question.arguments[words] = nullptr;
}

}  // namespace

void find_line_reader() { line_reader = base::find_executable("addr2line", base::path_folders()).value_or(""); }

void read_source_lines(std::span<CodePlace> places) noexcept {
  const int error = errno;
  const auto end = Clock::now() + kTimeout;
  places = places.first(std::min(places.size(), kMostCodePlaces));
  std::array<bool, kMostCodePlaces> asked{};
  for (std::size_t i = 0; i < places.size() && !line_reader.empty(); ++i) {
    if (!asked[i] && places[i].file != nullptr) {
      Question question{};
      collect(places, asked, places[i].file, question);
      ask(question, end);
    }
  }
  errno = error;
}

CodePlace code_place(std::uintptr_t address) noexcept {
  CodePlace place;
  const image::Program* const program = image::program_at(address);
  const auto found = image::find_image(address);
  if (program != nullptr && found) {
    place.file = program->images()[found->index].elf.path().c_str();
    place.address = address - found->begin;
  }
  return place;
}

}  // namespace weft::launch
