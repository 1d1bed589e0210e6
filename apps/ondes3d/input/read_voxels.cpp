// The file of a voxel geology: a header, then one medium name per voxel.
#include <optional>
#include <utility>

#include "input/input_error.hpp"
#include "input/token_reader.hpp"
#include "input/voxels.hpp"

namespace ondes3d {
namespace {

void expect_key(TokenReader& file, const std::string& key) {
  const std::string what = key + ", in a header of nx ny nz, x0 y0 z0, dx dy dz, nodata_value";
  if (const std::string_view found = file.word(what); found != key) {
    file.fail(in_quotes(found), what);
  }
}

VoxelFrame read_header(TokenReader& file) {
  constexpr std::array<const char*, 3> kAxes{"x", "y", "z"};
  VoxelFrame frame;
  for (std::size_t d = 0; d < 3; ++d) {
    expect_key(file, std::string("n") + kAxes[d]);
    frame.count[d] = file.integer_from(1, std::string("the number of voxels along ") + kAxes[d]);
  }
  for (std::size_t d = 0; d < 3; ++d) {
    expect_key(file, std::string(kAxes[d]) + "0");
    frame.origin[d] = file.number(std::string("the ") + kAxes[d] + " of the first voxel in m");
  }
  for (std::size_t d = 0; d < 3; ++d) {
    expect_key(file, std::string("d") + kAxes[d]);
    const std::string what = std::string("the size of a voxel along ") + kAxes[d] + " in m, above 0";
    frame.spacing[d] = file.number(what);
    if (frame.spacing[d] <= 0) {
      file.fail(std::to_string(frame.spacing[d]), what);
    }
  }
  return frame;
}

// Names to numbers. Neighbours are mostly alike: the last name is tried first.
class Names {
 public:
  explicit Names(const std::vector<Medium>& media) : media_(media) {}

  [[nodiscard]] std::optional<std::uint8_t> number(std::string_view name) {
    if (name != media_[last_].name) {
      std::size_t n = 0;
      while (n < media_.size() && media_[n].name != name) {
        ++n;
      }
      if (n == media_.size()) {
        return std::nullopt;
      }
      last_ = n;
    }
    return static_cast<std::uint8_t>(last_);
  }
  [[nodiscard]] std::string list() const {
    std::string text;
    for (const Medium& medium : media_) {
      text += (text.empty() ? "" : ", ") + medium.name;
    }
    return text;
  }

 private:
  const std::vector<Medium>& media_;
  std::size_t last_ = 0;
};

// The highest level with rock, and one more.
int levels_with_rock(const VoxelFile& file, const std::vector<Medium>& media) {
  for (std::size_t n = file.media.size(); n > 0; --n) {
    if (media[file.media[n - 1]].rock.vp > 0) {
      const auto plane = static_cast<std::size_t>(file.frame.count[0]) * static_cast<std::size_t>(file.frame.count[1]);
      return static_cast<int>((n - 1) / plane) + 1;
    }
  }
  return 0;
}

}  // namespace

VoxelFile read_voxels(const std::string& path, const std::vector<Medium>& media) {
  TokenReader text(path, "a voxel geology");
  VoxelFile file;
  file.frame = read_header(text);
  expect_key(text, "nodata_value");
  Names names(media);
  const std::string medium = "the name of a medium of the parameter file (" + names.list() + ")";
  if (const auto nothing = text.word(medium); !names.number(nothing)) {
    text.fail(in_quotes(nothing), medium);
  }
  const Box box{{0, 0, 0}, file.frame.count};
  constexpr std::size_t kMost = std::size_t{1} << 33;
  if (static_cast<double>(box.hi[0]) * box.hi[1] * box.hi[2] > static_cast<double>(kMost)) {
    text.fail(std::to_string(box.volume()) + " voxels", "at most " + std::to_string(kMost));
  }
  file.media.reserve(box.volume());
  const std::string each = medium + " for each of " + std::to_string(box.volume()) + " voxels";
  for (std::size_t n = 0; n < box.volume(); ++n) {
    const std::string_view name = text.word(each);
    const auto number = names.number(name);
    if (!number) {
      text.fail(in_quotes(name) + " for voxel " + std::to_string(n + 1), medium);
    }
    file.media.push_back(*number);
    ++file.count[*number];
  }
  if (!text.at_end()) {
    text.fail("more words after the last voxel",
              "the end of the file after " + std::to_string(box.volume()) + " voxels");
  }
  file.levels = levels_with_rock(file, media);
  if (file.levels == 0) {
    text.fail("no voxel with rock", "a medium with a speed of P waves somewhere");
  }
  return file;
}

}  // namespace ondes3d
