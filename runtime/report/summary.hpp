// The summary of a job's balancing steps for standard error (--lb-summary): a line, or a table.
#pragma once

#include <string>

#include "runtime/report/history.hpp"

namespace weft::report {

// One line, with its newline.
std::string summary_line(const JobInfo& job, const History& history);
// A line for each step, or for several joined ones if there are more than `rows`; then summary_line().
std::string summary_table(const JobInfo& job, const History& history, std::size_t rows = 40);

}  // namespace weft::report
