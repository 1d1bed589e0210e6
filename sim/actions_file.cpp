#include "sim/actions_file.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <istream>
#include <ostream>
#include <string_view>
#include <type_traits>

#include <fmt/format.h>

#include "base/input_file.hpp"

namespace weft::sim {
namespace {

static_assert(std::endian::native == std::endian::little, "sections are written as they lie in memory");

constexpr std::string_view kMagic = "WEFTACTS";
constexpr std::uint32_t kSections = 10;

struct SectionHead {
  std::uint32_t number = 0;
  std::uint32_t element = 0;
  std::uint64_t elements = 0;
};

// FNV-1a over 8-byte words: byte by byte the sum would take longer than reading the file.
class Sum {
 public:
  void add(const void* data, std::size_t bytes) {  // a multiple of 8
    const auto* at = static_cast<const char*>(data);
    for (; bytes >= 8; bytes -= 8, at += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, at, 8);
      value_ = (value_ ^ word) * 0x100000001b3U;
    }
  }
  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325U;
};

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    text += name + '\n';
  }
  return text;
}

class Writer {
 public:
  explicit Writer(std::ostream& out) : out_(out) {}
  void write(const void* data, std::size_t bytes) {
    constexpr std::array<char, 8> zeros{};
    const std::size_t whole = bytes / 8 * 8;
    put(data, whole);
    if (bytes != whole) {
      std::array<char, 8> last = zeros;
      std::memcpy(last.data(), static_cast<const char*>(data) + whole, bytes - whole);
      put(last.data(), last.size());
    }
  }
  void end() {
    const std::uint64_t sum = sum_.value();
    put(&sum, sizeof sum);
  }

 private:
  void put(const void* data, std::size_t bytes) {
    if (bytes != 0) {
      sum_.add(data, bytes);
      out_.write(static_cast<const char*>(data), static_cast<std::streamsize>(bytes));
    }
  }
  std::ostream& out_;
  Sum sum_;
};

class Reader {
 public:
  Reader(std::istream& in, const std::string& name) : in_(in), name_(name) {}

  [[noreturn]] void refuse(std::string_view what) const { throw WorkloadError(fmt::format("{}: {}", name_, what)); }
  // Reads `bytes` bytes, which the file pads to a multiple of 8.
  void read(void* data, std::size_t bytes) {
    const std::size_t whole = bytes / 8 * 8;
    take(data, whole);
    if (bytes != whole) {
      std::array<char, 8> last{};
      take(last.data(), last.size());
      std::memcpy(static_cast<char*>(data) + whole, last.data(), bytes - whole);
    }
  }
  // Reads in pieces: with a damaged length the end of the file is found before all memory is allocated.
  template <typename T>
  void read_vector(std::vector<T>& to, const SectionHead& head) {
    constexpr std::uint64_t kPiece = std::uint64_t{1} << 20;
    if (head.element != sizeof(T)) {
      refuse(fmt::format("section {} has elements of {} bytes, expected {}", head.number, head.element, sizeof(T)));
    }
    static_assert(kPiece * sizeof(T) % 8 == 0);
    to.clear();
    for (std::uint64_t done = 0; done < head.elements; done += kPiece) {
      const std::uint64_t n = std::min(kPiece, head.elements - done);
      to.resize(done + n);
      read(to.data() + done, n * sizeof(T));
    }
  }
  void end() {
    const std::uint64_t expected = sum_.value();
    std::uint64_t sum = 0;
    take(&sum, sizeof sum);
    if (sum != expected) {
      refuse("its sum is wrong: the file was changed or damaged");
    }
    if (in_.peek() != std::istream::traits_type::eof()) {
      refuse("there is something after its end");
    }
  }

 private:
  void take(void* data, std::size_t bytes) {
    in_.read(static_cast<char*>(data), static_cast<std::streamsize>(bytes));
    if (static_cast<std::size_t>(in_.gcount()) != bytes) {
      refuse("the file ends too early: it was cut");
    }
    sum_.add(data, bytes);
  }
  std::istream& in_;
  const std::string& name_;
  Sum sum_;
};

// Calls `visit` with each section's vector, in the order of their numbers, which are part of the format.
template <typename W, typename Visit>
void visit_sections(W& workload,
                    std::conditional_t<std::is_const_v<W>, const std::vector<char>, std::vector<char>>& names,
                    const Visit& visit) {
  visit(workload.actions);
  visit(workload.channels);
  visit(workload.templates);
  visit(workload.streams);
  visit(workload.values);
  visit(workload.calls);
  visit(workload.comms);
  visit(workload.members);
  visit(workload.counts);
  visit(names);
}

}  // namespace

void write_actions(const Workload& workload, std::ostream& out) {
  Writer writer(out);
  const std::string text = joined(workload.phases);
  const std::vector<char> names(text.begin(), text.end());
  const std::array<std::uint32_t, 2> head{kActionsVersion, kSections};
  writer.write(kMagic.data(), kMagic.size());
  writer.write(head.data(), sizeof head);
  std::uint32_t number = 0;
  visit_sections(workload, names, [&](const auto& section) {
    const SectionHead section_head{number++, static_cast<std::uint32_t>(sizeof section[0]), section.size()};
    writer.write(&section_head, sizeof section_head);
  });
  visit_sections(workload, names,
                 [&](const auto& section) { writer.write(section.data(), section.size() * sizeof section[0]); });
  writer.end();
}

Workload read_actions(std::istream& in, const std::string& name) {
  Reader reader(in, name);
  std::array<char, 8> magic{};
  std::array<std::uint32_t, 2> head{};
  reader.read(magic.data(), magic.size());
  if (std::string_view(magic.data(), magic.size()) != kMagic) {
    reader.refuse("not a file of actions");
  }
  reader.read(head.data(), sizeof head);
  if (head[0] != kActionsVersion || head[1] != kSections) {
    reader.refuse(fmt::format("version {} with {} sections; this program reads version {} with {}", head[0], head[1],
                              kActionsVersion, kSections));
  }
  std::array<SectionHead, kSections> heads{};
  reader.read(heads.data(), sizeof heads);
  Workload workload;
  std::vector<char> names;
  std::uint32_t number = 0;
  visit_sections(workload, names, [&](auto& section) {
    if (heads[number].number != number) {
      reader.refuse(fmt::format("section {} stands where {} should", heads[number].number, number));
    }
    reader.read_vector(section, heads[number++]);
  });
  reader.end();
  for (auto begin = names.begin(); begin != names.end();) {
    const auto end = std::find(begin, names.end(), '\n');
    workload.phases.emplace_back(begin, end);
    begin = end == names.end() ? end : end + 1;
  }
  try {
    check_workload(workload);
  } catch (const WorkloadError& error) {
    reader.refuse(error.what());
  }
  return workload;
}

void write_actions(const Workload& workload, const std::string& file) {
  std::ofstream out(file, std::ios::binary);
  write_actions(workload, out);
  out.close();
  if (!out) {
    throw std::runtime_error(fmt::format("{}: cannot be written: {}", file, std::strerror(errno)));
  }
}

Workload read_actions(const std::string& file) {
  if (const std::string why = base::why_unreadable(file); !why.empty()) {
    throw WorkloadError(why);
  }
  std::ifstream in(file, std::ios::binary);
  return read_actions(in, file);
}

}  // namespace weft::sim
