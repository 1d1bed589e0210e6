#include "tools/weft/top_screen.hpp"

#define NCURSES_NOMACROS  // declares functions instead of macros
#include <ncurses.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/printable.hpp"

namespace weft::tools::weft_tool {
namespace {

using Clock = std::chrono::steady_clock;

// Sets the terminal up; restores it at the end.
class Terminal {
 public:
  Terminal() : screen_(::newterm(nullptr, stdout, stdin)) {
    if (screen_ == nullptr) {
      throw std::runtime_error("the terminal is of an unknown kind: set TERM, or use --plain");
    }
    ::cbreak();
    ::noecho();
    ::keypad(stdscr, true);
    ::curs_set(0);
  }
  ~Terminal() {
    ::endwin();
    ::delscreen(screen_);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  static int height() { return getmaxy(stdscr); }
  static std::size_t width() { return static_cast<std::size_t>(getmaxx(stdscr)); }
  // Writes a line, cut at the right edge.
  static void write(int row, const std::string& text, attr_t attributes = A_NORMAL) {
    ::attrset(static_cast<int>(attributes));
    ::mvaddnstr(row, 0, base::printable(text).c_str(), getmaxx(stdscr));
    ::attrset(A_NORMAL);
  }
  // Shows the prompt in the last line, and returns what the user types there.
  static std::string read_line(const std::string& prompt) {
    std::array<char, 200> typed{};
    const int row = height() - 1;
    ::move(row, 0);
    ::clrtoeol();
    write(row, prompt);
    ::echo();
    ::curs_set(1);
    ::timeout(-1);
    ::mvgetnstr(row, static_cast<int>(prompt.size()), typed.data(), static_cast<int>(typed.size()) - 1);
    ::noecho();
    ::curs_set(0);
    return typed.data();
  }

 private:
  SCREEN* const screen_;
};

class TopScreen {
 public:
  TopScreen(TopSource& source, TopSelection selection, std::chrono::milliseconds interval)
      : source_(source), selection_(std::move(selection)), interval_(interval) {}

  // Whether the job has ended.
  bool run() {
    // The first tables come soon, even if the interval is long.
    Clock::time_point due = Clock::now() + std::min(interval_, std::chrono::milliseconds(500));
    std::optional<TopFrame> frame;
    while (!is_done_) {
      draw(frame ? &*frame : nullptr);
      const auto rest = std::chrono::duration_cast<std::chrono::milliseconds>(due - Clock::now()).count();
      ::timeout(static_cast<int>(std::clamp<long>(rest, 0, 1'000'000)));
      if (const int key = ::getch(); key != ERR) {
        handle_key(key);
      }
      if (Clock::now() >= due || refresh_now_) {
        refresh_now_ = false;
        due = Clock::now() + interval_;
        frame = source_.next();
        if (!frame) {
          return true;
        }
      }
    }
    return false;
  }

 private:
  void handle_key(int key) {
    message_.clear();
    for (const SortKey& sort : sort_keys()) {
      if (key == sort.letter) {
        selection_.by = sort.by;
      }
    }
    const std::size_t page = std::max<std::size_t>(rows_, 2) - 1;
    switch (key) {
      case 'q':
        is_done_ = true;
        break;
      case 'R':
        selection_.reverse = !selection_.reverse;
        break;
      case ' ':
        refresh_now_ = true;
        break;
      case 'f':
        ask_for_filter();
        break;
      case '?':
        message_ = "sort:";
        for (const SortKey& sort : sort_keys()) {
          message_ += fmt::format(" {} {}", sort.letter, sort.name);
        }
        break;
      case KEY_DOWN:
        ++first_;
        break;
      case KEY_NPAGE:
        first_ += page;
        break;
      case KEY_UP:
        first_ -= std::min<std::size_t>(first_, 1);
        break;
      case KEY_PPAGE:
        first_ -= std::min(first_, page);
        break;
      default:
        break;
    }
  }

  void ask_for_filter() {
    try {
      selection_.filter = parse_filter(Terminal::read_line("filter (rank= worker= state= call=): "));
      first_ = 0;
    } catch (const std::runtime_error& error) {
      message_ = error.what();
    }
  }

  // Null: nothing is known yet.
  void draw(const TopFrame* frame) {
    ::erase();
    if (frame == nullptr) {
      Terminal::write(0, "job " + source_.job());
    } else {
      draw_frame(*frame);
    }
    const std::string keys = "q quit  f filter  R reverse  arrows scroll  space looks  ? sort keys";
    Terminal::write(Terminal::height() - 1, message_.empty() ? keys : message_, A_BOLD);
    ::refresh();
  }

  void draw_frame(const TopFrame& frame) {
    const int last = Terminal::height() - 1 - static_cast<int>(frame.remarks.size());
    int row = 0;
    for (const std::string& line : head_lines(frame)) {
      Terminal::write(row++, line);
    }
    const std::size_t some_workers = static_cast<std::size_t>(std::max(last / 4, 1));
    row = draw_table(row + 1, worker_lines(frame.view.workers, some_workers));
    const std::vector<RankRow> ranks = selection_.of(frame.view);
    // The table has a head above its rows, and a line for the number of further rows below.
    rows_ = static_cast<std::size_t>(std::max(last - row - 3, 1));
    first_ = std::min(first_, ranks.size() - std::min(ranks.size(), rows_));
    draw_table(row + 1, rank_lines(std::span(ranks).subspan(first_), rows_, Terminal::width()));
    row = last;
    for (const std::string& remark : frame.remarks) {
      Terminal::write(row++, remark);
    }
  }

  static int draw_table(int row, const std::vector<std::string>& lines) {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      Terminal::write(row++, lines[i], i == 0 ? A_REVERSE : A_NORMAL);
    }
    return row;
  }

  TopSource& source_;
  TopSelection selection_;
  const std::chrono::milliseconds interval_;
  std::string message_;    // from the last key; shown in the last line
  std::size_t first_ = 0;  // the first row of the table of ranks that is shown
  std::size_t rows_ = 1;   // of that table that are shown
  bool is_done_ = false;
  bool refresh_now_ = false;  // query again at once
};

}  // namespace

bool run_top_screen(TopSource& source, TopSelection selection, std::chrono::milliseconds interval) {
  const Terminal terminal;
  return TopScreen(source, std::move(selection), interval).run();
}

}  // namespace weft::tools::weft_tool
