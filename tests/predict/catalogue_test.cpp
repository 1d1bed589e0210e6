// Catalogues, and the errors for invalid ones.
#include "predict/catalogue.hpp"

#include <gtest/gtest.h>

#include <string>

namespace weft::predict {
namespace {

const std::string kGood = R"({"weft_catalogue": 1, "currency": "EUR",
  "networks": [{"name": "ethernet", "latency_us": 20, "bandwidth_mb_per_s": 1000}],
  "machines": [{"name": "small", "cores": 4, "network": "ethernet", "price_per_hour": 0.2},
               {"name": "large", "cores": 64, "speed": 1.5, "quota": 0.5, "network": "ethernet", "price_per_hour": 3, "most_instances": 8}]})";

std::string refusal(const std::string& from, const std::string& to) {
  std::string text = kGood;
  text.replace(text.find(from), from.size(), to);
  try {
    parse_catalogue(text, "c.json");
  } catch (const CatalogueError& error) {
    return error.what();
  }
  return "";
}

TEST(Catalogue, IsRead) {
  const Catalogue catalogue = parse_catalogue(kGood, "c.json");
  EXPECT_EQ(catalogue.currency, "EUR");
  const Machine& large = catalogue.named("large");
  EXPECT_EQ(large.cores, 64U);
  EXPECT_EQ(large.speed, 1.5);
  EXPECT_EQ(large.effective_speed(), 0.75);
  EXPECT_EQ(large.most_instances, 8U);
  EXPECT_DOUBLE_EQ(large.network.latency, 20e-6);
  EXPECT_DOUBLE_EQ(large.network.seconds_per_byte, 1e-9);
  EXPECT_EQ(catalogue.named("small").most_instances, 1U);
}

TEST(Catalogue, MistakesNameTheirPlace) {
  EXPECT_EQ(refusal("\"cores\": 4, ", ""), "c.json: machines[0].cores: is missing");
  EXPECT_EQ(
      refusal("\"network\": \"ethernet\", \"price_per_hour\": 0.2", "\"network\": \"ib\", \"price_per_hour\": 0.2"),
      "c.json: machines[0].network: there is no network ib");
  EXPECT_EQ(refusal("\"large\"", "\"small\""), "c.json: machines: there are two of the name small");
  EXPECT_EQ(refusal("\"weft_catalogue\": 1", "\"weft_catalogue\": 2"),
            "c.json: weft_catalogue: expected version 1, found 2");
  EXPECT_NE(refusal("\"speed\"", "\"sped\"").find("machines[1].sped: no such key here"), std::string::npos);
  EXPECT_NE(refusal("\"quota\": 0.5", "\"quota\": 1.5").find("machines[1].quota: expected a number"),
            std::string::npos);
  EXPECT_NE(refusal("\"price_per_hour\": 3", "\"price_per_hour\": -3").find("expected a number"), std::string::npos);
}

TEST(Catalogue, AMachineThatIsNotThereIsRefused) {
  try {
    (void)parse_catalogue(kGood, "c.json").named("huge");
    FAIL() << "it was found";
  } catch (const CatalogueError& error) {
    EXPECT_STREQ(error.what(), "the catalogue has no machine huge; it has small, large");
  }
}

}  // namespace
}  // namespace weft::predict
