#include "runtime/bootstrap/pmi1.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <stdexcept>

#include <fmt/format.h>

namespace weft::bootstrap {
namespace {

// Slurm reads lines into a buffer of this size, although it allows longer values.
constexpr std::size_t kLineBytes = 1024;
// The size of a put without its value and the name of the key-value space.
constexpr std::size_t kWordsBytes = 96;

// Microseconds to wait before an abort: hydra drops unread output of processes when it gets one.
constexpr useconds_t kAbortDelay = 100'000;
// Seconds for which a process that has requested the abort waits to be killed by the launcher.
constexpr unsigned kAbortWait = 5;

template <typename Number>
Number parse_number(std::string_view text, std::string_view what) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) {
    throw std::runtime_error(fmt::format("PMI-1: '{}' is no number for {}", text, what));
  }
  return number;
}

std::string_view variable(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? "" : text;
}

// The word after `name=` in a reply; empty if there is none.
std::string_view field(std::string_view reply, std::string_view name) {
  while (!reply.empty()) {
    const auto word = reply.substr(0, reply.find(' '));
    reply.remove_prefix(std::min(word.size() + 1, reply.size()));
    if (word.starts_with(name) && word.substr(name.size()).starts_with('=')) {
      return word.substr(name.size() + 1);
    }
  }
  return {};
}

// Converts a key of any bytes and length to a word that PMI-1 accepts: its hash, in 16 hexadecimal digits.
std::string key_word(std::string_view key) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : key) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  return fmt::format("{:016x}", hash);
}

class Pmi1 final : public Bootstrap {
 public:
  Pmi1()
      : fd_(parse_number<int>(variable("PMI_FD"), "PMI_FD")),
        rank_(parse_number<std::uint32_t>(variable("PMI_RANK"), "PMI_RANK")),
        size_(parse_number<std::uint32_t>(variable("PMI_SIZE"), "PMI_SIZE")) {
    // Any other descriptor is not the launcher's. It may be a file of the user, into which nothing must be written.
    struct stat kind {};
    if (::fstat(fd_, &kind) != 0 || !S_ISSOCK(kind.st_mode)) {
      throw std::runtime_error(fmt::format("PMI-1: descriptor {} is no socket", fd_));
    }
    ::fcntl(fd_, F_SETFD, FD_CLOEXEC);
    ask("cmd=init pmi_version=1 pmi_subversion=1", "response_to_init");
    const auto maxes = ask("cmd=get_maxes", "maxes");
    space_ = field(ask("cmd=get_my_kvsname", "my_kvsname"), "kvsname");
    value_most_ = std::min(parse_number<std::size_t>(field(maxes, "vallen_max"), "vallen_max") - 1,
                           kLineBytes - kWordsBytes - std::min(space_.size(), kLineBytes / 2));
  }
  ~Pmi1() override { ::close(fd_); }
  Pmi1(const Pmi1&) = delete;
  Pmi1& operator=(const Pmi1&) = delete;

  ProcessId process() const override { return ProcessId{rank_}; }
  std::uint32_t processes() const override { return size_; }

  void put(std::string_view key, std::string_view value) override {
    const auto words = cut_into_words(value, value_most_);
    for (std::size_t piece = 0; piece < words.size(); ++piece) {
      ask(fmt::format("cmd=put kvsname={} key={} value={}", space_, name(rank_, key, piece), words[piece]),
          "put_result");
    }
  }

  void fence() override { ask("cmd=barrier_in", "barrier_out"); }

  std::string get(ProcessId of, std::string_view key) override {
    std::vector<std::string> pieces;
    do {
      send(fmt::format("cmd=get kvsname={} key={}", space_, name(number(of), key, pieces.size())));
      const auto reply = receive("get_result");
      if (failed(reply)) {
        throw std::runtime_error(fmt::format("process {} has published no '{}'", number(of), key));
      }
      pieces.emplace_back(field(reply, "value"));
    } while (pieces.size() < count_pieces(pieces.front()));
    return join_words(pieces);
  }

  void finish() override { ask("cmd=finalize", "finalize_ack"); }
  void abort(int code) override {
    ::usleep(kAbortDelay);
    send(fmt::format("cmd=abort exitcode={}", code));
  }
  void abort_from_handler(int code) override {
    std::array<char, 64> line{};
    const auto end = fmt::format_to_n(line.data(), line.size(), "cmd=abort exitcode={}\n", code).out;
    ::usleep(kAbortDelay);
    if (::write(fd_, line.data(), static_cast<std::size_t>(end - line.data())) > 0) {
      ::sleep(kAbortWait);
    }
  }

 private:
  static std::string name(std::uint32_t process, std::string_view key, std::size_t piece) {
    return fmt::format("w{}-{}-{}", process, key_word(key), piece);
  }

  static bool failed(std::string_view reply) {
    const auto code = field(reply, "rc");
    return !code.empty() && code != "0";
  }

  // Sends a command and waits for its reply.
  std::string ask(const std::string& command, std::string_view expected) {
    send(command);
    auto reply = receive(expected);
    if (failed(reply)) {
      throw std::runtime_error(fmt::format("PMI-1: '{}' was answered by '{}'", command.substr(0, 60), reply));
    }
    return reply;
  }

  void send(const std::string& command) {
    const auto line = command + "\n";
    for (std::size_t sent = 0; sent < line.size();) {
      const ssize_t count = ::write(fd_, line.data() + sent, line.size() - sent);
      if (count < 0 && errno != EINTR) {
        throw std::runtime_error("PMI-1: the launcher is gone");
      }
      sent += count > 0 ? static_cast<std::size_t>(count) : 0;
    }
  }

  std::string receive(std::string_view expected) {
    auto end = input_.find('\n');
    while (end == std::string::npos) {
      std::array<char, 4096> bytes;
      const ssize_t count = ::read(fd_, bytes.data(), bytes.size());
      if (count == 0 || (count < 0 && errno != EINTR)) {
        throw std::runtime_error("PMI-1: the launcher is gone");
      }
      input_.append(bytes.data(), count > 0 ? static_cast<std::size_t>(count) : 0);
      end = input_.find('\n');
    }
    auto reply = input_.substr(0, end);
    input_.erase(0, end + 1);
    if (field(reply, "cmd") != expected) {
      throw std::runtime_error(fmt::format("PMI-1: expected '{}', not '{}'", expected, reply));
    }
    return reply;
  }

  int fd_;
  std::uint32_t rank_, size_;
  std::size_t value_most_ = 0;
  std::string space_;
  std::string input_;
};

}  // namespace

std::unique_ptr<Bootstrap> connect_pmi1() { return std::make_unique<Pmi1>(); }

std::vector<std::string> cut_into_words(std::string_view value, std::size_t most) {
  constexpr std::size_t kCountBytes = 12;
  std::string digits;
  digits.reserve(2 * value.size());
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    digits += "0123456789abcdef"[byte >> 4];
    digits += "0123456789abcdef"[byte & 15];
  }
  const std::size_t in_first = std::min(digits.size(), most - kCountBytes);
  const std::size_t later = (digits.size() - in_first + most - 1) / most;
  std::vector<std::string> words{fmt::format("{}x{}", 1 + later, digits.substr(0, in_first))};
  for (std::size_t i = 0; i < later; ++i) {
    words.push_back(digits.substr(in_first + i * most, most));
  }
  return words;
}

std::size_t count_pieces(std::string_view first) {
  return parse_number<std::size_t>(first.substr(0, first.find('x')), "a value's pieces");
}

std::string join_words(const std::vector<std::string>& pieces) {
  std::string digits = pieces.front().substr(pieces.front().find('x') + 1);
  for (std::size_t i = 1; i < pieces.size(); ++i) {
    digits += pieces[i];
  }
  std::string value;
  value.reserve(digits.size() / 2);
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    value += static_cast<char>(16 * digit(digits[i]) + digit(digits[i + 1]));
  }
  return value;
}

}  // namespace weft::bootstrap
