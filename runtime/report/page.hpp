// The report of a job's balancing steps as an HTML page (--lb-report).
#pragma once

#include <string>

#include "runtime/report/history.hpp"

namespace weft::report {

// A self-contained HTML file: heat map of load by worker and step (Keller Tesser 2016, Fig. 6), load against time,
// background, moves, where each rank was.
std::string report_page(const JobInfo& job, const History& history);

// The page without its data: these go between the two parts, as a JavaScript value.
struct PageText {
  const char* before;
  const char* after;
};
PageText page_text();

}  // namespace weft::report
