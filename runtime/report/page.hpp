// The report of a job's balancing steps as an HTML page (--lb-report).
#pragma once

#include <string>

#include "runtime/report/history.hpp"

namespace weft::report {

// One HTML file that needs nothing else: heat map of load by worker and step (Keller Tesser 2016, Fig. 6), load against
// time, background, moves, where each rank was.
std::string report_page(const Job& job, const History& history);

// The page without its data, which belong between its two parts, as a JavaScript value.
struct PageText {
  const char* before;
  const char* after;
};
PageText page_text();

}  // namespace weft::report
