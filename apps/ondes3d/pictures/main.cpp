// ondes3d-pictures: draws what ondes3d has put into pictures.dat. ondes3d starts it; it also draws again by hand.
#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "input/input_error.hpp"
#include "output/picture_formats.hpp"
#include "output/scene.hpp"
#include "pictures/movie.hpp"
#include "pictures/plane_pictures.hpp"
#include "pictures/record_section.hpp"

namespace ondes3d {
namespace {

struct DrawOptions {
  std::string folder;
  std::string out;  // empty: the folder itself
  PictureKinds kinds;
  double dots_per_inch = 144;
  int frames_per_second = 15;
};

std::vector<Picture> pictures_of(const Scene& scene) {
  std::vector<Picture> pictures;
  if (!scene.stations.empty()) {
    pictures.push_back(record_section(scene));
  }
  for (const PlaneResult& result : scene.planes) {
    pictures.push_back(peak_velocity_picture(scene, result));
    if (!panel_moments(scene, result).empty()) {
      pictures.push_back(wave_field_picture(scene, result));
    }
  }
  return pictures;
}

void say(const std::string& line) {
  std::printf("%s\n", line.c_str());
  std::fflush(stdout);
}

void draw_movies(const std::string& out, const Scene& scene, int frames_per_second) {
  std::string last;
  for (const PlaneResult& result : scene.planes) {
    const std::string line = result.snapshots.empty() ? "no movies: the run kept no moments, see --movie of ondes3d"
                                                      : write_movie(out, scene, result, frames_per_second);
    if (line != last) {
      say(line);
    }
    last = line;
  }
}

void draw(const DrawOptions& options) {
  const std::string out = options.out.empty() ? options.folder : options.out;
  const Scene scene = read_scene((std::filesystem::path(options.folder) / kSceneFile).string());
  std::error_code error;
  if (std::filesystem::create_directories(out, error); error) {
    throw std::runtime_error(out + ": the folder cannot be made: " + error.message());
  }
  const auto formats = picture_formats(options.kinds.formats).value();
  for (const Picture& picture : pictures_of(scene)) {
    for (const PictureFormat format : formats) {
      const std::string name = picture.stem + (format == PictureFormat::kPng   ? ".png"
                                               : format == PictureFormat::kPdf ? ".pdf"
                                                                               : ".svg");
      write_picture(picture, (std::filesystem::path(out) / name).string(), format, options.dots_per_inch);
      say(name);
    }
  }
  if (options.kinds.movie) {
    draw_movies(out, scene, options.frames_per_second);
  }
}

void add_options(CLI::App& app, DrawOptions& o) {
  app.get_formatter()->column_width(24);
  app.add_option("folder", o.folder, "Folder of ondes3d's results, with pictures.dat")->required()->option_text(" ");
  app.add_option("--format", o.kinds.formats, "png, pdf, svg or several: png,pdf [png]")
      ->option_text("F")
      ->check(CLI::Validator([](std::string& text) { return picture_formats_complaint(text); }, ""));
  app.add_option("--out", o.out, "Folder of the pictures [that of the results]")->option_text("DIR");
  app.add_option("--dpi", o.dots_per_inch, "Dots per inch of PNG [144]")->option_text("N")->check(CLI::Range(24, 1200));
  app.add_flag("--movie", o.kinds.movie, "Movies of the wave field, by ffmpeg; see --movie of ondes3d");
  app.add_option("--fps", o.frames_per_second, "Frames per second of movies [15]")
      ->option_text("N")
      ->check(CLI::Range(1, 120));
}

}  // namespace
}  // namespace ondes3d

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  ondes3d::DrawOptions options;
  CLI::App app("Draws the pictures of a run of ondes3d", "ondes3d-pictures");
  app.failure_message([](const CLI::App*, const CLI::Error& error) {
    return "ondes3d-pictures: " + ondes3d::printable(error.what()) + " (--help shows how)\n";
  });
  ondes3d::add_options(app, options);
  try {
    app.parse(argc, argv);
    ondes3d::draw(options);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ondes3d-pictures: %s\n", ondes3d::printable(error.what()).c_str());
    return 1;
  }
  return 0;
}
