#include "pictures/movie.hpp"

#include <cmath>
#include <filesystem>
#include <stdexcept>
#include <system_error>

#include "output/child.hpp"
#include "output/out_file.hpp"
#include "pictures/plane_pictures.hpp"

namespace ondes3d {
namespace {

// Lets ffmpeg take the encoder that it thinks best for MP4; 4:2:0, which all players show.
std::vector<std::string> command(const Extent& size, int frames_per_second, const std::string& path) {
  return {"ffmpeg",
          "-loglevel",
          "error",
          "-y",
          "-f",
          "rawvideo",
          "-pixel_format",
          "bgr0",
          "-video_size",
          format("%.0fx%.0f", size.width, size.height),
          "-framerate",
          std::to_string(frames_per_second),
          "-i",
          "-",
          "-pix_fmt",
          "yuv420p",
          "-movflags",
          "+faststart",
          "file:" + path};
}

}  // namespace

std::string write_movie(const std::string& folder, const Scene& scene, const PlaneResult& result,
                        int frames_per_second) {
  const ColourScale scale = ColourScale::of_fields(result.snapshots);
  const Picture first = moment_picture(scene, result, 0, scale);
  std::string name = first.stem + ".mp4";
  const std::string path = (std::filesystem::path(folder) / name).string();
  try {
    Child ffmpeg(command(first.size, frames_per_second, path), Child::Pipe::kToItsInput);
    bool reads = true;
    for (std::size_t moment = 0; moment < result.snapshots.size() && reads; ++moment) {
      Sheet sheet(first.size, 1);
      moment_picture(scene, result, moment, scale).draw(sheet);
      reads = ffmpeg.write(std::as_bytes(sheet.pixels().dots));
    }
    if (const int code = ffmpeg.wait(); code != 0 || !reads) {
      throw std::runtime_error(path + ": ffmpeg does not write it, it ends with " + std::to_string(code));
    }
  } catch (const std::system_error& error) {
    if (error.code() == std::errc::no_such_file_or_directory) {
      return "no movies: there is no ffmpeg in PATH";
    }
    throw;
  }
  return name;
}

}  // namespace ondes3d
