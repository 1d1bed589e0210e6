// Reports a prediction as a table, as JSON and as an HTML page.
#pragma once

#include <string>

#include "predict/prediction.hpp"

namespace weft::predict {

// The profiles, each model with its errors, the choices by rising time, and the weftrun command for the knee.
std::string prediction_table(const Prediction& prediction);
std::string prediction_json(const Prediction& prediction);
// An HTML page with two charts: cost against time, with the front; time against cores, measured and by each model.
std::string prediction_page(const Prediction& prediction);

}  // namespace weft::predict
