#include "runtime/report/page.hpp"

#include <iterator>

#include <fmt/format.h>

namespace weft::report {
namespace {

// Writes JSON by hand: there are only numbers, and words that need no other escapes than these.
std::string json_text(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
    }
    if (c == '<') {
      out += "\\u003c";  // the text is part of a script in a page
    } else if (static_cast<unsigned char>(c) >= 0x20) {
      out += c;
    }
  }
  return out + '"';
}

template <typename Values, typename Text>
std::string list(const Values& values, const Text& text) {
  std::string out = "[";
  for (const auto& value : values) {
    if (out.size() > 1) {
      out += ',';
    }
    out += text(value);
  }
  return out + ']';
}

std::string numbers(const std::vector<std::uint32_t>& values) {
  return list(values, [](std::uint32_t value) { return std::to_string(value); });
}

std::string samples(const StepRecord& step, double WorkerSample::*part) {
  return list(step.workers, [part](const WorkerSample& sample) { return fmt::format("{:.4g}", sample.*part); });
}

std::string step_text(const StepRecord& step) {
  std::string out;
  fmt::format_to(std::back_inserter(out),
                 R"({{"at":{:.6g},"interval":{:.6g},"steps":{},"longest":{:.6g},"mean":{:.6g},"planned":{:.6g},)",
                 step.at, step.interval, step.steps, step.longest(), step.mean(), step.longest_planned());
  fmt::format_to(std::back_inserter(out),
                 R"("unmoved":{:.6g},"moves":{},"crossings":{},"bytes":{},"gain":{:.4g},"cost":{:.4g},)", step.unmoved,
                 step.moves, step.crossings, step.bytes, step.predicted_gain, step.cost);
  fmt::format_to(std::back_inserter(out), R"("load":{},"contended":{},"background":{},"homes":{}}})",
                 samples(step, &WorkerSample::load), samples(step, &WorkerSample::contended),
                 samples(step, &WorkerSample::background), numbers(step.homes));
  return out;
}

std::string job_text(const JobInfo& job) {
  return fmt::format(R"("strategy":{},"when":{},"ranks":{},"processOf":{},"hostOf":{},"joules":{:.6g},"joulesFrom":{})",
                     json_text(job.strategy), json_text(job.when), job.ranks, numbers(job.process_of),
                     numbers(job.host_of), job.joules, json_text(job.joules_from));
}

std::string totals_text(const Totals& totals) {
  return fmt::format(
      R"({{"steps":{},"moves":{},"crossings":{},"bytes":{},"cost":{:.6g},"first":{:.4g},"later":{:.4g},"gain":{:.6g}}})",
      totals.steps, totals.moves, totals.crossings, totals.bytes, totals.cost, totals.first_imbalance,
      totals.later_imbalance, totals.gain);
}

std::string prediction_text(const FinishPrediction& prediction) {
  return fmt::format("[{:.6g},{:.6g},{:.6g}]", prediction.at, prediction.left, prediction.spread);
}

}  // namespace

std::string report_page(const JobInfo& job, const History& history) {
  const PageText text = page_text();
  return fmt::format("{}{{{},\"totals\":{},\"data\":{},\"predictions\":{}}}{}", text.before, job_text(job),
                     totals_text(history.totals()), list(history.steps(), step_text),
                     list(history.predictions(), prediction_text), text.after);
}

}  // namespace weft::report
