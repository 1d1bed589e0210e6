#include "runtime/image/readable_name.hpp"

#include <cstdio>
#include <string_view>

namespace weft::image {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Reads <nested-name> and <source-name> of the ABI, part by part.
class Reader {
 public:
  Reader(std::string_view rest, char* text, std::size_t size) : rest_(rest), text_(text), size_(size) {}

  // False where it does not understand.
  bool read() {
    if (!take("N")) {
      take("L");  // internal linkage
      return take("St") ? append("std") && part() : part();
    }
    while (take("K") || take("V") || take("r") || take("R") || take("O")) {  // const, & and so on behind a method
    }
    if (take("St") && !append("std")) {
      return false;
    }
    while (!rest_.empty() && rest_.front() != 'E') {
      if (!part()) {
        return false;
      }
    }
    return used_ > 0 && !rest_.empty();
  }

 private:
  bool take(std::string_view word) {
    const bool is_there = rest_.starts_with(word);
    rest_.remove_prefix(is_there ? word.size() : 0);
    return is_there;
  }

  bool append(std::string_view name, std::string_view before = "::") {
    const int wrote =
        std::snprintf(text_ + used_, size_ - used_, "%.*s%.*s", used_ == 0 ? 0 : static_cast<int>(before.size()),
                      before.data(), static_cast<int>(name.size()), name.data());
    used_ += static_cast<std::size_t>(wrote);
    return used_ < size_;
  }

  bool part() {
    take("L");
    if (take("C1") || take("C2")) {
      return append(last_);
    }
    if (take("D0") || take("D1") || take("D2")) {
      return append("~") && append(last_, "");
    }
    if (take("I")) {
      return template_arguments();
    }
    std::size_t length = 0;
    while (!rest_.empty() && is_digit(rest_.front()) && length < rest_.size()) {
      length = length * 10 + static_cast<std::size_t>(rest_.front() - '0');
      rest_.remove_prefix(1);
    }
    if (length == 0 || length > rest_.size()) {
      return false;
    }
    last_ = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return append(last_ == "_GLOBAL__N_1" ? "(anonymous)" : last_);
  }

  // Skips template arguments up to the E that closes them, and writes "<>" in their place.
  bool template_arguments() {
    const std::string_view name = last_;
    const std::size_t used = used_;
    for (int depth = 1; depth > 0;) {
      if (rest_.empty()) {
        return false;
      }
      if (take("L")) {  // a literal: type and digits
        if (rest_.starts_with('_') || rest_.find('E') == std::string_view::npos) {
          return false;
        }
        rest_.remove_prefix(rest_.find('E') + 1);
      } else if (is_digit(rest_.front())) {
        if (!part()) {
          return false;
        }
        used_ = used;
      } else if (take("E")) {
        --depth;
      } else {
        depth += std::string_view("INXJFZU").find(rest_.front()) == std::string_view::npos ? 0 : 1;
        rest_.remove_prefix(1);
      }
    }
    last_ = name;
    text_[used_] = '\0';
    return append("<>", "");
  }

  std::string_view rest_, last_;
  char* text_;
  std::size_t size_, used_ = 0;
};

}  // namespace

const char* readable_name(const char* symbol, char* text, std::size_t size) noexcept {
  const std::string_view name(symbol);
  if (size == 0 || !name.starts_with("_Z") || !Reader(name.substr(2), text, size).read()) {
    std::snprintf(text, size, "%s", symbol);
  }
  return text;
}

}  // namespace weft::image
