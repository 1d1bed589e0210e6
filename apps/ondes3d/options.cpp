#include "options.hpp"

#include <CLI/CLI.hpp>
#include <vector>

namespace ondes3d {
namespace {

void add_result_options(CLI::App& app, Options& o, std::string& format, std::vector<double>& origin) {
  constexpr const char* kGroup = "Results";
  app.add_option("--format", format, "Seismograms as text, sac or both")
      ->check(CLI::IsMember({"text", "sac", "text,sac", "sac,text"}))
      ->capture_default_str()
      ->group(kGroup);
  app.add_option("--origin", origin, "Latitude and longitude of x = y = 0 for SAC [none: metres in user0-5 only]")
      ->expected(2)
      ->check(CLI::Range(-360.0, 360.0))
      ->group(kGroup);
  app.add_option("--paraview", o.watch.paraview, "Velocity of the whole volume for ParaView every N steps; 0: never")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str()
      ->group(kGroup);
  app.add_option("--stride", o.watch.stride, "Every S-th node along each axis of that volume")
      ->check(CLI::PositiveNumber)
      ->capture_default_str()
      ->group(kGroup);
  app.add_option("--planes", o.watch.planes, "Ground and planes i0 j0 k0 for ParaView every N steps; 0: never")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str()
      ->group(kGroup);
  app.add_option("--snapshots", o.watch.snapshots, "Panels in the pictures of the wave field")
      ->check(CLI::Range(0, 100))
      ->capture_default_str()
      ->group(kGroup);
  app.add_flag("!--no-pictures", o.results.pictures, "Write no PNG")->group(kGroup);
}

}  // namespace

Parsed parse_options(int argc, char** argv, bool speak) {
  Parsed parsed;
  Options& o = parsed.options;
  std::string format = "text";
  std::vector<double> origin;
  CLI::App app("3-D finite-difference simulation of seismic waves: elastic, fourth order, CPML, free surface");
  app.add_option("parameters", o.parameters, "Parameter file of the case (.prm)")->required();
  app.add_option("--out", o.out, "Folder of the results [the file's <dir>]");
  app.add_option("--steps", o.reading.steps, "Time steps [the file's <tmax>]")->check(CLI::PositiveNumber);
  app.add_option("--dt", o.reading.timestep, "Time step, s [the file's <dt>]")->check(CLI::PositiveNumber);
  app.add_option("--cpml", o.reading.cpml, "Cells of an absorbing layer")
      ->check(CLI::Range(2, 100))
      ->capture_default_str();
  app.add_option("--kappa", o.kappa, "Largest kappa of the CPML; above 1 for grazing waves")
      ->check(CLI::Range(1.0, 20.0))
      ->capture_default_str();
  app.add_option("--px", o.parts[0], "Blocks from west to east [shortest borders]")->check(CLI::PositiveNumber);
  app.add_option("--py", o.parts[1], "Blocks from south to north [shortest borders]")->check(CLI::PositiveNumber);
  app.add_option("--pz", o.parts[2], "Blocks from the bottom up [1, while columns are 16 cells wide]")
      ->check(CLI::PositiveNumber);
  app.add_option("--migrate-every", o.run.migrate_every, "Under Weft, let ranks move every so many steps; 0: never")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_flag("--double", o.double_precision, "Compute in double precision");
  app.add_flag("--keep-denormals", o.keep_denormals,
               "Do not flush denormal numbers to zero: slower ahead of the waves");
  app.add_flag("--layers", o.reading.layers, "Take the layers of a file that asks for a 3-D model");
  app.add_flag("--domain-map", o.domain_map, "Print the cells of each rank");
  add_result_options(app, o, format, origin);
  try {
    app.parse(argc, argv);
    o.results.text = format.find("text") != std::string::npos;
    o.results.sac = format.find("sac") != std::string::npos;
    if (!origin.empty()) {
      o.results.origin = {origin[0], origin[1]};
    }
  } catch (const CLI::ParseError& error) {
    parsed.go_on = false;
    const bool asked = error.get_exit_code() == 0;
    parsed.exit_code = asked ? 0 : 1;
    if (speak) {
      app.exit(error);
    }
  }
  return parsed;
}

}  // namespace ondes3d
