#include "options.hpp"

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <vector>

#include "input/input_error.hpp"
#include "input/number.hpp"
#include "output/picture_formats.hpp"

namespace ondes3d {
namespace {

// Options of one heading in the help, each as "--name HINT   what it does".
class Group {
 public:
  Group(CLI::App& app, const char* heading) : app_(app), heading_(heading) {}

  template <typename Value>
  CLI::Option* add(const char* name, Value& value, const char* hint, const std::string& what) {
    return app_.add_option(name, value, what)->option_text(hint)->group(heading_);
  }
  // With the present value as the default that the help shows.
  template <typename Value>
  CLI::Option* add_default(const char* name, Value& value, const char* hint, const std::string& what) {
    return add(name, value, hint, what + " [" + CLI::detail::to_string(value) + "]");
  }
  CLI::Option* flag(const char* name, bool& value, const char* what) {
    return app_.add_flag(name, value, what)->group(heading_);
  }

 private:
  CLI::App& app_;
  const char* heading_;
};

// The library's own check names the largest double as the end of its range.
CLI::Validator above_zero() {
  return {[](std::string& text) {
            const double value = std::strtod(text.c_str(), nullptr);
            return value > 0 && std::isfinite(value) ? "" : "found " + text + "; expected a finite number above 0";
          },
          ""};
}

// The library's own takes what is not a number.
CLI::Validator within(double least, double most) {
  return {[least, most](std::string& text) {
            const double value = std::strtod(text.c_str(), nullptr);
            return value >= least && value <= most
                       ? ""
                       : "found " + text + "; expected a number from " + shown(least) + " to " + shown(most);
          },
          ""};
}

// The library's own names the largest number that there is.
CLI::Validator not_negative() {
  return {[](std::string& text) {
            return std::strtod(text.c_str(), nullptr) >= 0 ? "" : "found " + text + "; expected 0 or more";
          },
          ""};
}

// A latitude, then a longitude.
std::string origin_complaint(const std::vector<double>& origin) {
  const auto outside = [](double degrees, double most) { return !(std::abs(degrees) <= most); };
  if (origin.empty()) {
    return "";
  }
  return outside(origin[0], 90)    ? "--origin: the latitude, " + shown(origin[0]) + ", is not from -90 to 90"
         : outside(origin[1], 360) ? "--origin: the longitude, " + shown(origin[1]) + ", is not from -360 to 360"
                                   : "";
}

// What the parser fills and the options do not hold as such.
struct Loose {
  std::string format = "text";
  std::vector<double> origin;
  bool no_pictures = false;
};

void add_run_options(CLI::App& app, Options& o) {
  Group run(app, "The run");
  run.add("--out", o.out, "DIR", "Folder of the results [the file's <dir>]");
  run.add("--steps", o.reading.steps, "N", "Time steps [the file's <tmax>]")
      ->check(above_zero())
      ->check(CLI::Range(1, std::numeric_limits<int>::max() / 3));
  run.add("--dt", o.reading.timestep, "S", "Time step, s [the file's <dt>]")->check(above_zero());
  run.add_default("--cpml", o.reading.cpml, "N", "Cells of an absorbing layer")->check(CLI::Range(2, 100));
  run.add_default("--kappa", o.kappa, "K", "Largest kappa of the CPML; above 1 for grazing waves")
      ->check(within(1, 20));
  run.flag("--layers", o.reading.layers, "Take the layers of a file that asks for a 3-D model");
  run.add("--qs-per-vs", o.reading.qs_per_vs, "A",
          "Rock without quality factors: Qs = A vs (km/s), Qp = 2 Qs [elastic]")
      ->check(above_zero());
  run.flag("--elastic", o.reading.elastic, "Leave all quality factors aside: no attenuation");
  run.flag("--double", o.double_precision, "Compute in double precision");
  run.flag("--keep-denormals", o.keep_denormals, "Do not flush denormal numbers to zero: slower ahead of the waves");
}

void add_rank_options(CLI::App& app, Options& o) {
  Group ranks(app, "Ranks");
  ranks.add("--px", o.parts[0], "N", "Blocks from west to east [cheapest borders: rows stay whole]")
      ->check(above_zero());
  ranks.add("--py", o.parts[1], "N", "Blocks from south to north [cheapest borders]")->check(above_zero());
  ranks.add("--pz", o.parts[2], "N", "Blocks from the bottom up [cheapest borders]")->check(above_zero());
  ranks.add_default("--migrate-every", o.run.migrate_every, "K", "Under Weft, let ranks move every K steps; 0: never")
      ->check(not_negative());
  ranks.flag("--no-pup", o.run.as_it_lies,
             "Under Weft, let a rank that moves send its heap instead of what pup() names");
  ranks.flag("--domain-map", o.domain_map, "Print the cost of each rank, modelled and measured");
}

void add_result_options(CLI::App& app, Options& o, Loose& loose) {
  Group results(app, "Results");
  const CLI::Validator known(
      [](std::string& format) {
        const bool right = format == "text" || format == "sac" || format == "text,sac" || format == "sac,text";
        return right ? "" : "found \"" + format + "\"; expected text, sac or text,sac";
      },
      "");
  results.add_default("--format", loose.format, "F", "Seismograms as text, sac or text,sac")->check(known);
  results.add("--origin", loose.origin, "LAT LON", "Where x = y = 0 lies, degrees, for SAC headers [left open]")
      ->expected(2);
  results
      .add_default("--planes", o.watch.planes, "N", "Ground and planes i0 j0 k0 for ParaView every N steps; 0: never")
      ->check(not_negative());
  results.add_default("--paraview", o.watch.paraview, "N", "The volume for ParaView every N steps; 0: never")
      ->check(not_negative());
  results.add_default("--stride", o.watch.stride, "S", "Every S-th node of that volume along each axis")
      ->check(above_zero());
  PictureKinds& pictures = o.results.pictures;
  CLI::Option* const formats =
      results.add_default("--pictures", pictures.formats, "F", "Pictures as png, pdf, svg or several: png,pdf")
          ->check(CLI::Validator([](std::string& text) { return picture_formats_complaint(text); }, ""));
  results.add_default("--snapshots", o.watch.snapshots, "N", "Panels in the pictures of the wave field")
      ->check(CLI::Range(0, 100));
  CLI::Option* const movie = results.flag(
      "--movie", pictures.movie, "Movies of the wave field, by ffmpeg: at least 150 moments are kept for them");
  results.flag("--no-pictures", loose.no_pictures, "Draw nothing; ondes3d-pictures DIR draws later")
      ->excludes(formats)
      ->excludes(movie);
}

void take(const Loose& loose, ResultOptions& results) {
  results.text = loose.format.find("text") != std::string::npos;
  results.sac = loose.format.find("sac") != std::string::npos;
  if (loose.no_pictures) {
    results.pictures.formats.clear();
  }
  if (!loose.origin.empty()) {
    results.origin = {loose.origin[0], loose.origin[1]};
  }
}

}  // namespace

Parsed parse_options(int argc, char** argv, bool speak) {
  Parsed parsed;
  Loose loose;
  CLI::App app("3-D finite-difference simulation of seismic waves: elastic, fourth order, CPML, free surface",
               "ondes3d");
  app.failure_message([](const CLI::App*, const CLI::Error& error) {
    return "ondes3d: " + printable(error.what()) + " (--help shows how)\n";
  });
  app.get_formatter()->column_width(24);
  app.add_option("parameters", parsed.options.parameters, "Parameter file of the case (.prm)")
      ->required()
      ->option_text(" ");
  add_run_options(app, parsed.options);
  add_rank_options(app, parsed.options);
  add_result_options(app, parsed.options, loose);
  try {
    app.parse(argc, argv);
    if (const std::string complaint = origin_complaint(loose.origin); !complaint.empty()) {
      throw CLI::ValidationError(complaint);
    }
    take(loose, parsed.options.results);
    parsed.options.results.launched = argv[0];
  } catch (const CLI::ParseError& error) {
    const bool asked = error.get_exit_code() == 0;
    parsed.exit_code = asked ? 0 : 1;
    if (speak) {
      app.exit(error);
    }
  }
  return parsed;
}

}  // namespace ondes3d
