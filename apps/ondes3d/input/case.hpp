// A whole case as the input files describe it: grid, rock, sources, stations.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "input/geology_file.hpp"
#include "physics/source.hpp"
#include "physics/subdomain.hpp"

namespace ondes3d {

struct Station {
  Vec3 position{};  // m; as read, z is not a number where the file gives none
  std::array<char, 24> name{};
};

struct Case {
  Model model;
  std::shared_ptr<const SharedGeology> geology;  // of the model; null: layers
  std::vector<Station> stations;
  std::vector<Source> sources;  // those inside the grid, in the order of the files
  std::array<double, 3> hypocentre{};
  Index3 planes{};        // nodes of i0 j0 k0; through the hypocentre and the ground where the file says nothing of use
  std::string directory;  // `dir`
  std::vector<std::string> warnings;  // one line each
};

struct CaseOptions {
  int cpml = 10;         // cells
  int steps = 0;         // 0: as the file says
  double timestep = 0;   // s; 0: as the file says
  bool layers = false;   // use the layers of a file that asks for a 3-D model
  bool elastic = false;  // leave quality factors aside
  double qs_per_vs = 0;  // Qs per km/s of rock without quality factors; 0: as the file says
};

// Reads the parameter file and what it names, each once. Throws InputError. A file that is not where the parameters
// say is looked for beside them, under its own name.
[[nodiscard]] Case read_case(const std::string& path, const CaseOptions& options);

[[nodiscard]] std::vector<Station> read_stations(const std::string& path);

// Source map and history together; the history is streamed.
struct SourceFile {
  Vec3 hypocentre{};
  std::vector<Source> sources;
};
[[nodiscard]] SourceFile read_sources(const std::string& map, const std::string& history);

// Refuses (throws std::runtime_error) what would blow up, returns a warning for what would be badly dispersed.
[[nodiscard]] std::vector<std::string> check_scheme(const Model& model, const std::vector<Source>& sources);

}  // namespace ondes3d
