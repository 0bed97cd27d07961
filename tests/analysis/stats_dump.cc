// Computes what tests/python/test_statistics.py holds against SciPy: a question a line, an answer a line.
//   kendall X,X,... Y,Y,...      spearman X,X,... Y,Y,...     value p low high
//   trend SCORE:EVENTS:TOTAL...                               z p exact|normal
//   coin COUNT TOSSES                                         p
//   wilson COUNT TOTAL           median X,X,...               low high
//   weighted EVENTS TOTAL SQUARES                             low high
// What has no answer is "none".
#include <fmt/format.h>

#include <iostream>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "seamark/analysis/association.h"
#include "seamark/analysis/stats.h"

namespace seamark::analysis {
namespace {

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, at);) out.push_back(part);
  return out;
}

std::vector<double> numbers(const std::string& text) {
  std::vector<double> out;
  if (text == "-") return out;
  for (const std::string& part : split(text, ',')) out.push_back(std::stod(part));
  return out;
}

std::string text(const std::optional<double>& value) {
  return value ? fmt::format("{:.17g}", *value) : "none";
}

std::string text(const std::optional<Interval>& interval) {
  return interval ? fmt::format("{:.17g} {:.17g}", interval->low, interval->high) : "none none";
}

std::string text(const Correlation& found) {
  return text(found.value) + " " + text(found.p) + " " + text(found.interval);
}

std::string trend(const std::vector<std::string>& words) {
  std::vector<TrendGroup> groups;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::vector<std::string> parts = split(words[i], ':');
    groups.push_back({std::stoll(parts.at(0)), std::stoll(parts.at(1)), std::stoll(parts.at(2))});
  }
  const Trend found = cochran_armitage(groups);
  return text(found.z) + " " + text(found.p) + (found.exact ? " exact" : " normal");
}

std::string answer(const std::vector<std::string>& words) {
  const std::string& what = words.at(0);
  if (what == "kendall") return text(kendall(numbers(words.at(1)), numbers(words.at(2))));
  if (what == "spearman") return text(spearman_test(numbers(words.at(1)), numbers(words.at(2))));
  if (what == "trend") return trend(words);
  if (what == "coin") return text(fair_coin_two_sided(std::stoll(words.at(1)), std::stoll(words.at(2))));
  if (what == "wilson") return text(wilson(std::stoll(words.at(1)), std::stoll(words.at(2))));
  if (what == "median") return text(median_interval(numbers(words.at(1))));
  if (what == "weighted")
    return text(weighted_interval(std::stod(words.at(1)), std::stod(words.at(2)), std::stod(words.at(3))));
  throw std::invalid_argument(what + ": no such question");
}

}  // namespace
}  // namespace seamark::analysis

int main() {
  try {
    for (std::string line; std::getline(std::cin, line);) {
      std::cout << seamark::analysis::answer(seamark::analysis::split(line, ' ')) << '\n';
    }
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}
