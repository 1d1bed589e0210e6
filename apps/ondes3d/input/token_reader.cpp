#include "input/token_reader.hpp"

#include <algorithm>
#include <utility>

#include "input/input_error.hpp"
#include "input/number.hpp"

namespace ondes3d {
namespace {

constexpr std::size_t kBlock = 1 << 20;

bool blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

}  // namespace

TokenReader::TokenReader(std::string path, const std::string& what)
    : path_(std::move(path)), file_(path_, what), block_(kBlock) {}

bool TokenReader::refill() {
  std::copy(block_.begin() + static_cast<std::ptrdiff_t>(next_), block_.begin() + static_cast<std::ptrdiff_t>(end_),
            block_.begin());
  end_ -= next_;
  next_ = 0;
  if (end_ == block_.size()) {
    fail("a word or line of more than a megabyte", "words with blanks between them");
  }
  const std::size_t got = file_.read(block_.data() + end_, block_.size() - end_);
  end_ += got;
  return got > 0;
}

bool TokenReader::skip_blanks() {
  for (;;) {
    for (; next_ < end_ && blank(block_[next_]); ++next_) {
      line_ += block_[next_] == '\n' ? 1 : 0;
    }
    if (next_ < end_) {
      return true;
    }
    if (!refill()) {
      return false;
    }
  }
}

std::string TokenReader::line(const std::string& what) {
  if (next_ == end_ && !refill()) {
    fail("end of file", what);
  }
  std::size_t length = 0;
  do {
    while (next_ + length < end_ && block_[next_ + length] != '\n') {
      ++length;
    }
  } while (next_ + length == end_ && refill());
  std::string text(block_.data() + next_, length);
  next_ += length;
  if (next_ < end_) {
    ++next_;
    ++line_;
  }
  while (!text.empty() && blank(text.back())) {
    text.pop_back();
  }
  return text;
}

std::string_view TokenReader::word(const std::string& what) {
  if (!skip_blanks()) {
    fail("end of file", what);
  }
  std::size_t length = 1;
  do {
    while (next_ + length < end_ && !blank(block_[next_ + length])) {
      ++length;
    }
  } while (next_ + length == end_ && refill());
  const std::string_view text(block_.data() + next_, length);
  next_ += length;
  return text;
}

double TokenReader::number(const std::string& what) {
  const std::string_view text = word(what);
  const auto value = to_number(text);
  return value ? *value : (fail(in_quotes(text), what), 0.0);
}

int TokenReader::integer(const std::string& what) {
  const std::string_view text = word(what);
  const auto value = to_integer(text);
  return value ? *value : (fail(in_quotes(text), what), 0);
}

int TokenReader::integer_from(int least, const std::string& what) {
  const int value = integer(what);
  if (value < least) {
    fail(std::to_string(value), what + ", at least " + std::to_string(least));
  }
  return value;
}

double TokenReader::number_within(double least, double most, const std::string& what) {
  const double value = number(what);
  if (value < least || value > most) {
    fail(shown(value), what + ", from " + shown(least) + " to " + shown(most));
  }
  return value;
}

void TokenReader::expect_end(const std::string& what) {
  if (!at_end()) {
    fail(in_quotes(word("")) + " after " + what, "the end of the file");
  }
}

void TokenReader::fail(const std::string& found, const std::string& expected) const {
  throw InputError(path_, line_, found, expected);
}

}  // namespace ondes3d
