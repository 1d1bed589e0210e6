#include "input/token_reader.hpp"

#include <cerrno>
#include <cstring>
#include <utility>

#include "input/input_error.hpp"
#include "input/number.hpp"

namespace ondes3d {
namespace {

constexpr std::size_t kBuffer = 1 << 20;

bool blank(int c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

}  // namespace

TokenReader::TokenReader(std::string path, const std::string& what)
    : path_(std::move(path)), file_(std::fopen(path_.c_str(), "rb")), buffer_(kBuffer) {
  if (!file_) {
    throw InputError(path_, 0, "no readable file (" + std::string(std::strerror(errno)) + ")", what);
  }
}

int TokenReader::peek() {
  if (next_ == end_) {
    next_ = 0;
    end_ = std::fread(buffer_.data(), 1, buffer_.size(), file_.get());
    if (end_ == 0) {
      return EOF;
    }
  }
  return static_cast<unsigned char>(buffer_[next_]);
}

std::string TokenReader::line(const std::string& what) {
  if (peek() == EOF) {
    fail("end of file", what);
  }
  std::string text;
  for (int c = peek(); c != EOF && c != '\n'; c = peek()) {
    text += static_cast<char>(c);
    ++next_;
  }
  if (peek() == '\n') {
    ++next_;
    ++line_;
  }
  while (!text.empty() && blank(text.back())) {
    text.pop_back();
  }
  return text;
}

std::string_view TokenReader::word(const std::string& what) {
  while (blank(peek())) {
    line_ += buffer_[next_] == '\n' ? 1 : 0;
    ++next_;
  }
  word_.clear();
  for (int c = peek(); c != EOF && !blank(c); c = peek()) {
    word_ += static_cast<char>(c);
    ++next_;
  }
  if (word_.empty()) {
    fail("end of file", what);
  }
  return word_;
}

double TokenReader::number(const std::string& what) {
  const std::string_view text = word(what);
  const auto value = to_number(text);
  return value ? *value : (fail(quoted(text), what), 0.0);
}

int TokenReader::integer(const std::string& what) {
  const std::string_view text = word(what);
  const auto value = to_integer(text);
  return value ? *value : (fail(quoted(text), what), 0);
}

int TokenReader::integer_from(int least, const std::string& what) {
  const int value = integer(what);
  if (value < least) {
    fail(std::to_string(value), what + ", at least " + std::to_string(least));
  }
  return value;
}

void TokenReader::fail(const std::string& found, const std::string& expected) const {
  throw InputError(path_, line_, found, expected);
}

}  // namespace ondes3d
