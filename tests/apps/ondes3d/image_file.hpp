// Reads VTK image files back, from what the format says alone: attributes, offsets, sizes.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace ondes3d {

struct ImageFile {
  std::array<int, 6> whole{};   // first and last point along each axis
  std::array<int, 6> extent{};  // of the piece
  std::array<double, 3> origin{}, spacing{};
  std::string name, type;
  int components = 0;
  std::vector<double> values;

  [[nodiscard]] int points(std::size_t axis) const { return extent[2 * axis + 1] - extent[2 * axis] + 1; }
  [[nodiscard]] std::size_t size() const {
    return static_cast<std::size_t>(points(0)) * static_cast<std::size_t>(points(1)) *
           static_cast<std::size_t>(points(2));
  }
  // Where the values of a point begin.
  [[nodiscard]] std::size_t at(int i, int j, int k) const {
    const auto offset = [](int value, int first) { return static_cast<std::size_t>(value - first); };
    return static_cast<std::size_t>(components) *
           ((offset(k, extent[4]) * static_cast<std::size_t>(points(1)) + offset(j, extent[2])) *
                static_cast<std::size_t>(points(0)) +
            offset(i, extent[0]));
  }
};

inline std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw std::runtime_error("no file " + path.string());
  }
  return {std::istreambuf_iterator<char>(file), {}};
}

// The value of an attribute of the first such element after `from`.
inline std::string attribute(const std::string& text, const std::string& element, const std::string& name,
                             std::size_t from = 0) {
  const std::size_t begin = text.find("<" + element + " ", from);
  const std::size_t end = text.find('>', begin);
  const std::size_t at = text.find(" " + name + "=\"", begin);
  if (begin == std::string::npos || at > end) {
    throw std::runtime_error("no " + element + " " + name);
  }
  const std::size_t first = at + name.size() + 3;
  return text.substr(first, text.find('"', first) - first);
}

template <typename Value, std::size_t kCount>
std::array<Value, kCount> numbers(const std::string& text) {
  std::array<Value, kCount> list{};
  std::istringstream in(text);
  for (Value& value : list) {
    in >> value;
  }
  if (!in) {
    throw std::runtime_error("found \"" + text + "\"");
  }
  return list;
}

template <typename Value>
std::vector<double> widened(const std::string& text, std::size_t from, std::size_t count) {
  std::vector<Value> values(count);
  std::memcpy(values.data(), text.data() + from, count * sizeof(Value));
  return {values.begin(), values.end()};
}

inline void read_frame(const std::string& text, const std::string& element, ImageFile& image) {
  image.whole = numbers<int, 6>(attribute(text, element, "WholeExtent"));
  image.origin = numbers<double, 3>(attribute(text, element, "Origin"));
  image.spacing = numbers<double, 3>(attribute(text, element, "Spacing"));
}

// One .vti file with one array.
inline ImageFile read_image(const std::filesystem::path& path) {
  const std::string text = bytes_of(path);
  ImageFile image;
  read_frame(text, "ImageData", image);
  image.extent = numbers<int, 6>(attribute(text, "Piece", "Extent"));
  image.name = attribute(text, "DataArray", "Name");
  image.type = attribute(text, "DataArray", "type");
  image.components = std::stoi(attribute(text, "DataArray", "NumberOfComponents"));
  if (attribute(text, "VTKFile", "header_type") != "UInt64" || attribute(text, "AppendedData", "encoding") != "raw") {
    throw std::runtime_error(path.string() + ": not raw with 64-bit sizes");
  }
  const std::size_t data = text.find('_', text.find("<AppendedData")) + 1 +
                           static_cast<std::size_t>(std::stoi(attribute(text, "DataArray", "offset")));
  std::uint64_t size = 0;
  std::memcpy(&size, text.data() + data, sizeof size);
  const std::size_t count = image.size() * static_cast<std::size_t>(image.components);
  const std::size_t width = image.type == "Float32" ? 4 : 8;
  if (size != count * width || data + sizeof size + size > text.size()) {
    throw std::runtime_error(path.string() + ": " + std::to_string(size) + " bytes for " + std::to_string(count) +
                             " values of " + image.type);
  }
  image.values =
      width == 4 ? widened<float>(text, data + sizeof size, count) : widened<double>(text, data + sizeof size, count);
  return image;
}

inline void put_piece(const ImageFile& piece, ImageFile& whole, std::vector<bool>& known) {
  for (int k = piece.extent[4]; k <= piece.extent[5]; ++k) {
    for (int j = piece.extent[2]; j <= piece.extent[3]; ++j) {
      for (int i = piece.extent[0]; i <= piece.extent[1]; ++i) {
        for (std::size_t c = 0; c < static_cast<std::size_t>(piece.components); ++c) {
          const std::size_t to = whole.at(i, j, k) + c;
          const double value = piece.values[piece.at(i, j, k) + c];
          if (known[to] && whole.values[to] != value) {
            throw std::runtime_error("two pieces differ at a point that they share");
          }
          whole.values[to] = value;
          known[to] = true;
        }
      }
    }
  }
}

// A .pvti file with its pieces put together. Throws when they leave a point out, differ where they meet, or leave a
// cell between two of them to nobody.
inline ImageFile read_pieces(const std::filesystem::path& path) {
  const std::string text = bytes_of(path);
  ImageFile whole;
  read_frame(text, "PImageData", whole);
  whole.extent = whole.whole;
  whole.components = std::stoi(attribute(text, "PDataArray", "NumberOfComponents"));
  whole.name = attribute(text, "PDataArray", "Name");
  whole.type = attribute(text, "PDataArray", "type");
  const std::size_t count = whole.size() * static_cast<std::size_t>(whole.components);
  whole.values.resize(count);
  std::vector<bool> known(count, false);
  std::size_t cells = 0;
  for (std::size_t at = text.find("<Piece "); at != std::string::npos; at = text.find("<Piece ", at + 1)) {
    const ImageFile piece = read_image(path.parent_path() / attribute(text, "Piece", "Source", at));
    if (piece.extent != (numbers<int, 6>(attribute(text, "Piece", "Extent", at))) || piece.type != whole.type ||
        piece.name != whole.name || piece.whole != whole.whole || piece.origin != whole.origin) {
      throw std::runtime_error("a piece is not what its index says");
    }
    put_piece(piece, whole, known);
    cells += static_cast<std::size_t>(piece.points(0) - 1) * static_cast<std::size_t>(piece.points(1) - 1) *
             static_cast<std::size_t>(piece.points(2) - 1);
  }
  const std::size_t expected = static_cast<std::size_t>(whole.points(0) - 1) *
                               static_cast<std::size_t>(whole.points(1) - 1) *
                               static_cast<std::size_t>(whole.points(2) - 1);
  if (cells != expected || std::find(known.begin(), known.end(), false) != known.end()) {
    throw std::runtime_error(path.string() + ": pieces have " + std::to_string(cells) + " of " +
                             std::to_string(expected) + " cells");
  }
  return whole;
}

}  // namespace ondes3d
