// The kinds of picture files, as options name them.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ondes3d {

enum class PictureFormat { kPng, kPdf, kSvg };

inline constexpr const char* kPictureFormats = "png, pdf, svg or several of them, as png,pdf";

// What to draw, as options say it.
struct PictureKinds {
  std::string formats = "png";  // as picture_formats() takes them; empty: nothing is drawn
  bool movie = false;
};

// "png,pdf" as a list without repetitions; nothing where a word is none of them.
[[nodiscard]] inline std::optional<std::vector<PictureFormat>> picture_formats(std::string_view text) {
  std::vector<PictureFormat> formats;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    begin = end + 1;
    if (word != "png" && word != "pdf" && word != "svg") {
      return std::nullopt;
    }
    const PictureFormat format = word == "png"   ? PictureFormat::kPng
                                 : word == "pdf" ? PictureFormat::kPdf
                                                 : PictureFormat::kSvg;
    if (std::find(formats.begin(), formats.end(), format) == formats.end()) {
      formats.push_back(format);
    }
  }
  return formats;
}

// What is wrong with such a text; empty: nothing.
[[nodiscard]] inline std::string picture_formats_complaint(const std::string& text) {
  return picture_formats(text) ? "" : "found \"" + text + "\"; expected " + kPictureFormats;
}

}  // namespace ondes3d
