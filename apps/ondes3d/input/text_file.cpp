#include "input/text_file.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <utility>

#ifdef ONDES3D_ZLIB
#include <zlib.h>
#endif

#include "input/input_error.hpp"

namespace ondes3d {
namespace {

bool compressed(std::FILE* file) {
  std::array<unsigned char, 2> magic{};
  const std::size_t got = std::fread(magic.data(), 1, magic.size(), file);
  std::rewind(file);
  return got == magic.size() && magic[0] == 0x1f && magic[1] == 0x8b;
}

}  // namespace

struct TextFile::Stream {
  std::FILE* plain = nullptr;
#ifdef ONDES3D_ZLIB
  gzFile zipped = nullptr;
#endif
  Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() {
#ifdef ONDES3D_ZLIB
    if (zipped != nullptr) {
      gzclose(zipped);
    }
#endif
    if (plain != nullptr) {
      std::fclose(plain);
    }
  }
};

TextFile::TextFile(const std::string& path, const std::string& what)
    : path_(path), stream_(std::make_unique<Stream>()) {
  stream_->plain = std::fopen(path.c_str(), "rb");
  if (stream_->plain == nullptr) {
    throw InputError(path, 0, "no readable file (" + std::string(std::strerror(errno)) + ")", what);
  }
  if (!compressed(stream_->plain)) {
    std::setvbuf(stream_->plain, nullptr, _IONBF, 0);  // the reader's own blocks are large
    return;
  }
#ifdef ONDES3D_ZLIB
  stream_->zipped = gzopen(path.c_str(), "rb");
  if (stream_->zipped == nullptr) {
    throw InputError(path, 0, "a compressed file that zlib cannot open", what);
  }
  gzbuffer(stream_->zipped, 1 << 17);
#else
  throw InputError(path, 0, "a file compressed with gzip",
                   what + " as plain text, as gunzip leaves it (built without zlib)");
#endif
}

TextFile::~TextFile() = default;
TextFile::TextFile(TextFile&&) noexcept = default;

std::size_t TextFile::read(char* into, std::size_t size) {
#ifdef ONDES3D_ZLIB
  if (stream_->zipped != nullptr) {
    const int got = gzread(stream_->zipped, into, static_cast<unsigned>(size));
    int code = Z_OK;
    const char* const said = gzerror(stream_->zipped, &code);
    if (got < 0 || code == Z_BUF_ERROR) {
      throw std::runtime_error(path_ + ": found a broken or cut compressed file (" + said + "); expected gzip");
    }
    return static_cast<std::size_t>(got);
  }
#endif
  const std::size_t got = std::fread(into, 1, size, stream_->plain);
  if (got == 0 && std::ferror(stream_->plain) != 0) {
    throw std::runtime_error(path_ + ": found a read error (" + std::strerror(errno) + "); expected a readable file");
  }
  return got;
}

}  // namespace ondes3d
