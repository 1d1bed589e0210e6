// Movies of the wave field: frames drawn one by one and piped to ffmpeg.
#pragma once

#include <string>

#include "output/scene.hpp"

namespace ondes3d {

// Writes FOLDER/wave-field*.mp4 of one of the scene's planes, a frame per snapshot. Returns the file's name, or one
// line that says that there is no ffmpeg. Throws std::runtime_error when ffmpeg fails.
[[nodiscard]] std::string write_movie(const std::string& folder, const Scene& scene, const PlaneResult& result,
                                      int frames_per_second);

}  // namespace ondes3d
