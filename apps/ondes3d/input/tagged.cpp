// The `<name> value </name>` form of the parameter file.
#include <algorithm>
#include <cctype>

#include "input/fields.hpp"
#include "input/input_error.hpp"

namespace ondes3d {
namespace {

bool name_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const auto first = text.find_first_not_of(kBlank);
  return first == std::string_view::npos ? std::string_view{}
                                         : text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

class TagScanner {
 public:
  TagScanner(const std::string& path, std::string_view text) : path_(path), text_(text) {}

  // Appends the fields of text_[at, end) and of the tags within them.
  void scan(std::size_t at, std::size_t end, const std::string& within, std::vector<Field>& into) const {
    for (at = next_tag(at, end); at < end; at = next_tag(at, end)) {
      const std::string name = name_at(at);
      if (name.empty()) {
        throw InputError(path_, line_of(at), "a closing tag that nothing opened", "an opening tag before it");
      }
      const std::size_t value = at + name.size() + 2;
      const std::string closing = "</" + name + ">";
      const std::size_t close = text_.substr(0, end).find(closing, value);
      if (close == std::string_view::npos) {
        throw InputError(path_, line_of(at), "<" + name + "> without an end", closing);
      }
      if (next_tag(value, close) < close) {
        scan(value, close, name, into);
      } else {
        into.push_back({within, name, std::string(trimmed(text_.substr(value, close - value))), line_of(at)});
      }
      at = close + closing.size();
    }
  }

  [[nodiscard]] int line_of(std::size_t at) const {
    return 1 + static_cast<int>(std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
  }

 private:
  // Where the next `<name>` or `</name>` begins; `end` when there is none. Other angle brackets are free text.
  [[nodiscard]] std::size_t next_tag(std::size_t at, std::size_t end) const {
    for (; at < end; ++at) {
      if (text_[at] != '<') {
        continue;
      }
      std::size_t n = at + (at + 1 < end && text_[at + 1] == '/' ? 2 : 1);
      const std::size_t first = n;
      while (n < end && name_char(text_[n])) {
        ++n;
      }
      // What begins like a closing tag and is none hides a misspelt name.
      if ((n > first && n < end && text_[n] == '>') || first == at + 2) {
        return at;
      }
    }
    return end;
  }

  // Name of the opening tag at `at`, empty for a closing one.
  [[nodiscard]] std::string name_at(std::size_t at) const {
    return text_[at + 1] == '/' ? std::string{} : std::string(text_.substr(at + 1, text_.find('>', at) - at - 1));
  }

  const std::string& path_;
  std::string_view text_;
};

}  // namespace

Fields read_tagged(const std::string& path, std::string_view text) {
  const TagScanner scanner(path, text);
  std::vector<Field> list;
  scanner.scan(0, text.size(), "", list);
  return {path, std::move(list), scanner.line_of(text.size())};
}

}  // namespace ondes3d
