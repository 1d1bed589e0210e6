// weft: inspects running jobs, and changes them. Each subcommand is in the file of its name, evacuate in resize.cpp.
#include <csignal>
#include <cstdio>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/duration.hpp"
#include "base/printable.hpp"
#include "base/say.hpp"
#include "tools/completion/sources.hpp"
#include "tools/weft/commands.hpp"

namespace weft::tools::weft_tool {

void print(std::string_view text) { std::fputs(base::printable(text).c_str(), stdout); }

void print_json(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

namespace {

// Internal commands: users do not give them, and no help names them.
std::optional<int> run_internal(std::span<char* const> words) {
  if (words.size() == 4 && words[1] == std::string_view("watch-stalls")) {
    return watch_stalls(words[2], base::parse_duration(words[3]).value());
  }
  if (words.size() == 3 && words[1] == std::string_view("answer-relayed")) {
    return answer_relayed(words[2]);
  }
  return std::nullopt;
}

int main_of(int argc, char** argv) {
  if (const auto code = run_internal({argv, static_cast<std::size_t>(argc)})) {
    return *code;
  }
  CLI::App app("Looks into running jobs of weftrun, and changes them: this user's, on this host", "weft");
  app.require_subcommand(1);
  app.set_version_flag("--version", "weft (Weft) " WEFT_VERSION_TEXT);
  add_evacuate(app);
  add_ps(app);
  add_resize(app);
  add_stacks(app);
  add_top(app);
  if (const auto script = requested_completion(app, {}, {argv, static_cast<std::size_t>(argc)})) {
    std::fputs(script->c_str(), stdout);
    return std::fflush(stdout) == 0 ? 0 : 1;
  }
  if (argc == 1) {
    base::say("weft: give a subcommand: evacuate, ps, resize, stacks or top (weft --help)\n");
    return 1;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {
      return app.exit(error);
    }
    base::say("weft: " + std::string(error.what()) + "\n");
    return 1;
  }
  return std::fflush(stdout) == 0 ? 0 : 1;
}

}  // namespace
}  // namespace weft::tools::weft_tool

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return weft::tools::weft_tool::main_of(argc, argv);
  } catch (const std::exception& error) {
    weft::base::say("weft: " + std::string(error.what()) + "\n");
    return 1;
  }
}
