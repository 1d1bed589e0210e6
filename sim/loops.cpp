#include "sim/loops.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <string_view>
#include <unordered_map>

namespace weft::sim {
namespace {

constexpr std::size_t kLongestBody = 1 << 14;  // symbols
constexpr unsigned kMostCandidates = 64;       // examined for each appended symbol
constexpr std::uint64_t kHashBase = 0x9e3779b97f4a7c15U;

std::uint64_t mixed(std::uint32_t symbol) {
  std::uint64_t z = (symbol + std::uint64_t{1}) * 0xbf58476d1ce4e5b9U;
  return z ^ (z >> 31);
}

// A symbol is a run of actions (a compute action and those up to the next one) or a loop over symbols.
struct LoopSymbol {
  std::vector<std::uint32_t> body;
  std::uint64_t times = 0;
  unsigned depth = 1;
};

// A list to which symbols are appended one by one. When the tail of the list repeats the symbols before it, both become
// a loop of two iterations. When the tail repeats the body of the loop before it, the loop gets one more iteration.
// Inner loops are found first and then count as symbols of outer loops.
class LoopFinder {
 public:
  explicit LoopFinder(std::uint32_t runs) : runs_(runs), last_(runs, kNowhere), powers_(1, 1) {
    for (std::size_t i = 0; i < kLongestBody; ++i) {
      powers_.push_back(powers_.back() * kHashBase);
    }
  }

  void add(std::uint32_t symbol) {
    push(symbol);
    while (extend_loop() || make_loop()) {
    }
  }
  [[nodiscard]] std::vector<std::uint32_t> symbols() const {
    std::vector<std::uint32_t> symbols;
    for (const Place& place : places_) {
      symbols.push_back(place.symbol);
    }
    return symbols;
  }
  [[nodiscard]] bool is_loop(std::uint32_t symbol) const { return symbol >= runs_; }
  [[nodiscard]] const LoopSymbol& loop(std::uint32_t symbol) const { return loops_[symbol - runs_]; }

 private:
  static constexpr std::uint32_t kNowhere = UINT32_MAX;
  struct Place {
    std::uint32_t symbol = 0;
    std::uint32_t before = kNowhere;  // where the same symbol stands before this place
    std::uint64_t hash = 0;           // of all symbols up to this one
  };

  void push(std::uint32_t symbol) {
    const auto at = static_cast<std::uint32_t>(places_.size());
    const std::uint64_t hash = (places_.empty() ? 0 : places_.back().hash) * kHashBase + mixed(symbol);
    places_.push_back({symbol, last_[symbol], hash});
    last_[symbol] = at;
    if (is_loop(symbol)) {
      loop_places_.push_back(at);
    }
  }
  void pop(std::size_t n) {
    for (; n > 0; --n) {
      last_[places_.back().symbol] = places_.back().before;
      places_.pop_back();
    }
    while (!loop_places_.empty() && loop_places_.back() >= places_.size()) {
      loop_places_.pop_back();
    }
  }
  // Hash of the `n` symbols before `end`.
  [[nodiscard]] std::uint64_t hash_of(std::size_t end, std::size_t n) const {
    const std::uint64_t before = end == n ? 0 : places_[end - n - 1].hash;
    return places_[end - 1].hash - before * powers_[n];
  }
  [[nodiscard]] std::vector<std::uint32_t> tail(std::size_t n) const {
    std::vector<std::uint32_t> symbols;
    for (std::size_t i = places_.size() - n; i < places_.size(); ++i) {
      symbols.push_back(places_[i].symbol);
    }
    return symbols;
  }

  bool extend_loop() {
    unsigned candidates = 0;
    for (auto at = loop_places_.rbegin(); at != loop_places_.rend() && candidates < kMostCandidates; ++at) {
      const std::size_t n = places_.size() - 1 - *at;
      const LoopSymbol& before = loop(places_[*at].symbol);
      ++candidates;
      if (n > 0 && before.body.size() == n && before.body == tail(n)) {
        LoopSymbol longer = before;
        ++longer.times;
        pop(n + 1);
        push(number_of(std::move(longer)));
        return true;
      }
    }
    return false;
  }

  bool make_loop() {
    std::uint32_t at = places_.back().before;
    for (unsigned i = 0; i < kMostCandidates && at != kNowhere; ++i, at = places_[at].before) {
      const std::size_t n = places_.size() - 1 - at;
      if (n > kLongestBody || 2 * n > places_.size()) {
        return false;
      }
      if (hash_of(places_.size(), n) == hash_of(places_.size() - n, n) && repeats(n) && fold(n)) {
        return true;
      }
    }
    return false;
  }
  [[nodiscard]] bool repeats(std::size_t n) const {
    const auto end = places_.end();
    const auto length = static_cast<std::ptrdiff_t>(n);
    return std::equal(end - length, end, end - 2 * length,
                      [](const Place& a, const Place& b) { return a.symbol == b.symbol; });
  }
  // Replaces the last 2n symbols by a loop. Returns false if loops would nest too deeply.
  bool fold(std::size_t n) {
    LoopSymbol made{.body = tail(n), .times = 2};
    for (const std::uint32_t symbol : made.body) {
      made.depth = std::max(made.depth, is_loop(symbol) ? loop(symbol).depth + 1 : 1);
    }
    if (made.depth > kMostLevels) {
      return false;
    }
    pop(2 * n);
    push(number_of(std::move(made)));
    return true;
  }

  std::uint32_t number_of(LoopSymbol loop) {
    const auto [at, is_new] =
        numbers_.try_emplace({loop.times, loop.body}, static_cast<std::uint32_t>(runs_ + loops_.size()));
    if (is_new) {
      loops_.push_back(std::move(loop));
      last_.push_back(kNowhere);
    }
    return at->second;
  }

  std::uint32_t runs_;
  std::vector<Place> places_;
  std::vector<std::uint32_t> last_;         // by symbol: its last place
  std::vector<std::uint32_t> loop_places_;  // of loops, in order
  std::vector<std::uint64_t> powers_;       // of kHashBase
  std::vector<LoopSymbol> loops_;
  std::map<std::pair<std::uint64_t, std::vector<std::uint32_t>>, std::uint32_t> numbers_;
};

// Writes symbols as actions.
class LoopWriter {
 public:
  LoopWriter(const LoopFinder& finder, const std::vector<std::span<const Action>>& runs)
      : finder_(finder), runs_(runs) {}

  void write(const std::vector<std::uint32_t>& symbols) {
    for (const std::uint32_t symbol : symbols) {
      if (!finder_.is_loop(symbol)) {
        actions_.insert(actions_.end(), runs_[symbol].begin(), runs_[symbol].end());
        continue;
      }
      const LoopSymbol& loop = finder_.loop(symbol);
      actions_.push_back({.kind = ActionKind::loop, .request = level_, .value = loop.times});
      const auto first = static_cast<std::uint32_t>(actions_.size());
      ++level_;
      write(loop.body);
      --level_;
      actions_.push_back({.kind = ActionKind::end_loop, .request = level_, .index = first});
    }
  }
  std::vector<Action> take() { return std::move(actions_); }

 private:
  const LoopFinder& finder_;
  const std::vector<std::span<const Action>>& runs_;
  std::vector<Action> actions_;
  std::uint16_t level_ = 0;
};

// The different runs, and the sequence of runs by their symbols.
struct Runs {
  std::vector<std::span<const Action>> all;
  std::vector<std::uint32_t> order;
};

Runs runs_of(std::span<const Action> actions) {
  Runs runs;
  std::unordered_map<std::string_view, std::uint32_t> numbers;
  for (std::size_t begin = 0, end = 0; begin < actions.size(); begin = end) {
    for (end = begin + 1; end < actions.size() && actions[end].kind != ActionKind::compute; ++end) {
    }
    const std::span<const Action> run = actions.subspan(begin, end - begin);
    const std::string_view bytes(reinterpret_cast<const char*>(run.data()), run.size_bytes());
    const auto [at, is_new] = numbers.try_emplace(bytes, static_cast<std::uint32_t>(runs.all.size()));
    if (is_new) {
      runs.all.push_back(run);
    }
    runs.order.push_back(at->second);
  }
  return runs;
}

}  // namespace

std::vector<Action> fold_loops(std::span<const Action> actions) {
  const Runs runs = runs_of(actions);
  LoopFinder finder(static_cast<std::uint32_t>(runs.all.size()));
  for (const std::uint32_t symbol : runs.order) {
    finder.add(symbol);
  }
  LoopWriter writer(finder, runs.all);
  writer.write(finder.symbols());
  return writer.take();
}

}  // namespace weft::sim
