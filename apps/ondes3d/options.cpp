#include "options.hpp"

#include <CLI/CLI.hpp>

namespace ondes3d {

Parsed parse_options(int argc, char** argv, bool speak) {
  Parsed parsed;
  Options& o = parsed.options;
  CLI::App app("3-D finite-difference simulation of seismic waves: elastic, fourth order, CPML, free surface");
  app.add_option("parameters", o.parameters, "Parameter file of the case (.prm)")->required();
  app.add_option("--out", o.out, "Folder of the results [the file's <dir>]");
  app.add_option("--steps", o.reading.steps, "Time steps [the file's <tmax>]")->check(CLI::PositiveNumber);
  app.add_option("--cpml", o.reading.cpml, "Cells of an absorbing layer")
      ->check(CLI::Range(2, 100))
      ->capture_default_str();
  app.add_option("--kappa", o.kappa, "Largest kappa of the CPML; above 1 for grazing waves")
      ->check(CLI::Range(1.0, 20.0))
      ->capture_default_str();
  app.add_option("--px", o.px, "Columns from west to east [nearly square]")->check(CLI::PositiveNumber);
  app.add_option("--py", o.py, "Columns from south to north [nearly square]")->check(CLI::PositiveNumber);
  app.add_option("--snapshots", o.run.snapshots, "Pictures of the wave field")
      ->check(CLI::Range(0, 100))
      ->capture_default_str();
  app.add_option("--migrate-every", o.run.migrate_every, "Under Weft, let ranks move every so many steps; 0: never")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_flag("--double", o.double_precision, "Compute in double precision");
  app.add_flag("--keep-denormals", o.keep_denormals,
               "Do not flush denormal numbers to zero: slower ahead of the waves");
  app.add_flag("--layers", o.reading.layers, "Take the layers of a file that asks for a 3-D model");
  app.add_flag("--domain-map", o.domain_map, "Print the cells of each rank");
  app.add_flag("!--no-pictures", o.pictures, "Write no PNG");
  try {
    app.parse(argc, argv);
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
