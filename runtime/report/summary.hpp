// The summary of a job's balancing steps on standard error (--lb-summary): a line, or a table.
#pragma once

#include <string>

#include "runtime/report/history.hpp"

namespace weft::report {

// One line, with its end.
std::string summary_line(const Job& job, const History& history);
// A line for each step, or for some together where there are more than `rows`; then summary_line's.
std::string summary_table(const Job& job, const History& history, std::size_t rows = 40);

}  // namespace weft::report
