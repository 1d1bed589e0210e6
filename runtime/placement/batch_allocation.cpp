#include "runtime/placement/batch_allocation.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <system_error>

#include "base/options.hpp"
#include "runtime/bootstrap/hosts.hpp"

namespace weft::placement {
namespace {

using base::OptionError;

constexpr std::uint32_t kMostHosts = 65536;

[[noreturn]] void fail(const std::string& variable, std::string_view what, std::string_view text) {
  throw OptionError(variable + ": expected " + std::string(what) + ", not '" + std::string(text) +
                    "' (--host or --hosts says where to run instead)");
}

std::optional<std::uint32_t> number_in(std::string_view text) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

// Splits at the commas outside of brackets.
std::vector<std::string_view> pieces_of(std::string_view text) {
  std::vector<std::string_view> pieces;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || (text[i] == ',' && depth == 0)) {
      pieces.push_back(text.substr(begin, i - begin));
      begin = i + 1;
    } else {
      depth += text[i] == '[' ? 1 : text[i] == ']' ? -1 : 0;
    }
  }
  return pieces;
}

void check_count(std::size_t hosts, std::string_view text) {
  if (hosts > kMostHosts) {
    fail("SLURM_JOB_NODELIST", "at most " + std::to_string(kMostHosts) + " hosts", text);
  }
}

// "01-03" or "7".
std::vector<std::string> expand_range(std::string_view range) {
  const auto dash = range.find('-');
  const std::string_view first = range.substr(0, dash);
  const auto low = number_in(first);
  const auto high = dash == std::string_view::npos ? low : number_in(range.substr(dash + 1));
  if (!low || !high || *low > *high || *high - *low >= kMostHosts) {
    fail("SLURM_JOB_NODELIST", "a range of numbers", range);
  }
  std::vector<std::string> numbers;
  for (std::uint64_t i = *low; i <= *high; ++i) {  // 64 bits: *high may be the last number of 32
    const std::string digits = std::to_string(i);
    numbers.push_back(std::string(first.size() - std::min(first.size(), digits.size()), '0') + digits);
  }
  return numbers;
}

// Expands one piece that may have several brackets: all combinations, the last bracket varies fastest.
std::vector<std::string> expand_piece(std::string_view piece) {
  std::vector<std::string> names{""};
  while (!piece.empty()) {
    const auto open = std::min(piece.find('['), piece.size());
    const auto close = piece.find(']', open);
    if (open < piece.size() && close == std::string_view::npos) {
      fail("SLURM_JOB_NODELIST", "a closing bracket", piece);
    }
    std::vector<std::string> fillings{""};
    if (open < piece.size()) {
      fillings.clear();
      for (const std::string_view range : base::split_words(piece.substr(open + 1, close - open - 1), ',')) {
        std::ranges::move(expand_range(range), std::back_inserter(fillings));
        check_count(names.size() * fillings.size(), piece);
      }
    }
    std::vector<std::string> longer;
    for (const std::string& name : names) {
      for (const std::string& filling : fillings) {
        std::string& text = longer.emplace_back(name);
        text += piece.substr(0, open);
        text += filling;
      }
    }
    names = std::move(longer);
    piece.remove_prefix(open < piece.size() ? close + 1 : piece.size());
  }
  return names;
}

std::vector<std::string_view> lines_of(std::string_view text) { return base::split_words(text, '\n'); }

std::string checked_host(const std::string& variable, std::string_view word) {
  const auto host = bootstrap::parse_host_word(std::string(word));
  if (!host || host->count) {
    fail(variable, "a host's name", word);
  }
  return host->host;
}

class Finder {
 public:
  explicit Finder(const AllocationSources& sources) : sources_(sources) {}

  std::optional<Allocation> find() const {
    if (const auto nodes = set("SLURM_JOB_NODELIST")) {
      return Allocation{"Slurm", slurm(*nodes)};
    }
    if (const auto path = set("PBS_NODEFILE")) {
      return Allocation{"PBS", slots_by_line("PBS_NODEFILE", *path)};
    }
    if (const auto words = set("LSB_MCPU_HOSTS")) {
      return Allocation{"LSF", pairs(*words)};
    }
    if (const auto path = set("LSB_DJOB_HOSTFILE")) {
      return Allocation{"LSF", slots_by_line("LSB_DJOB_HOSTFILE", *path)};
    }
    if (const auto path = set("PE_HOSTFILE")) {
      return Allocation{"SGE", sge(*path)};
    }
    return std::nullopt;
  }

 private:
  std::optional<std::string> set(const std::string& variable) const {
    auto value = sources_.variable(variable);
    return value && !value->empty() ? value : std::nullopt;
  }

  std::string text_of(const std::string& variable, const std::string& path) const {
    auto text = sources_.file(path);
    if (!text) {
      fail(variable, "a file that can be read", path);
    }
    return *text;
  }

  std::vector<HostSlots> slurm(const std::string& nodes) const {
    std::vector<HostSlots> hosts;
    for (const std::string& name : expand_nodelist(nodes)) {
      hosts.push_back({checked_host("SLURM_JOB_NODELIST", name), std::nullopt});
    }
    if (const auto tasks = set("SLURM_TASKS_PER_NODE")) {
      const auto counts = expand_counts(*tasks);
      const std::string each = set("SLURM_CPUS_PER_TASK").value_or("1");
      const auto cpus = number_in(each);
      if (!cpus || *cpus == 0) {
        fail("SLURM_CPUS_PER_TASK", "a number", each);
      }
      if (counts.size() != hosts.size()) {
        fail("SLURM_TASKS_PER_NODE", "a number for each of " + std::to_string(hosts.size()) + " hosts", *tasks);
      }
      for (std::size_t i = 0; i < hosts.size(); ++i) {
        hosts[i].slots = counts[i] * *cpus;
      }
    }
    return hosts;
  }

  // Each line is one slot, even for a host with a single line (in a user's hostfile such a host has as many slots as
  // cores).
  std::vector<HostSlots> slots_by_line(const std::string& variable, const std::string& path) const {
    HostList list;
    const std::string text = text_of(variable, path);
    for (const std::string_view line : lines_of(text)) {
      list.add(checked_host(variable, line.substr(0, line.find_first_of(" \t\r"))), 1);
    }
    return some(variable, list, path);
  }

  // "a 2 b 1".
  static std::vector<HostSlots> pairs(const std::string& text) {
    HostList list;
    const auto words = base::split_words(text);
    for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
      const auto slots = number_in(words[i + 1]);
      if (!slots || *slots == 0) {
        fail("LSB_MCPU_HOSTS", "hosts and numbers in turn", text);
      }
      list.add(checked_host("LSB_MCPU_HOSTS", words[i]), slots);
    }
    if (words.size() % 2 != 0) {
      fail("LSB_MCPU_HOSTS", "hosts and numbers in turn", text);
    }
    return some("LSB_MCPU_HOSTS", list, text);
  }

  // "host slots queue processors".
  std::vector<HostSlots> sge(const std::string& path) const {
    HostList list;
    const std::string text = text_of("PE_HOSTFILE", path);
    for (const std::string_view line : lines_of(text)) {
      const auto words = base::split_words(line);
      const auto slots = words.size() > 1 ? number_in(words[1]) : std::nullopt;
      if (!slots || *slots == 0) {
        fail("PE_HOSTFILE", "lines HOST SLOTS QUEUE PROCESSORS in " + path, line);
      }
      list.add(checked_host("PE_HOSTFILE", words[0]), slots);
    }
    return some("PE_HOSTFILE", list, path);
  }

  static std::vector<HostSlots> some(const std::string& variable, const HostList& list, const std::string& text) {
    auto hosts = list.hosts();
    if (hosts.empty()) {
      fail(variable, "at least one host", text);
    }
    return hosts;
  }

  const AllocationSources& sources_;
};

}  // namespace

std::vector<std::string> expand_nodelist(std::string_view text) {
  std::vector<std::string> names;
  for (const std::string_view piece : pieces_of(text)) {
    std::ranges::move(expand_piece(piece), std::back_inserter(names));
    check_count(names.size(), text);
  }
  return names;
}

std::vector<std::uint32_t> expand_counts(std::string_view text) {
  std::vector<std::uint32_t> counts;
  for (const std::string_view piece : base::split_words(text, ',')) {
    const auto open = piece.find('(');
    const auto count = number_in(piece.substr(0, open));
    std::optional<std::uint32_t> times = 1;
    if (open != std::string_view::npos) {
      const std::string_view repeat = piece.substr(open);
      times = repeat.starts_with("(x") && repeat.ends_with(')') ? number_in(repeat.substr(2, repeat.size() - 3))
                                                                : std::nullopt;
    }
    if (!count || *count == 0 || *count > kMostHosts || !times || *times > kMostHosts) {
      fail("SLURM_TASKS_PER_NODE", "numbers such as 2(x3),1", text);
    }
    counts.insert(counts.end(), *times, *count);
  }
  return counts;
}

std::optional<Allocation> find_allocation(const AllocationSources& sources) { return Finder(sources).find(); }

}  // namespace weft::placement
