// JUnit XML as pytest and nextest write it.
#pragma once

#include <string>
#include <vector>

namespace seamark::report::junit {

struct Test {
  enum class End : unsigned char { kPass, kFailure, kSkipped };
  std::string class_name;
  std::string name;
  End end = End::kPass;
  std::string type;     // of a failure or a skip; may be empty
  std::string message;  // one line
  std::string body;     // of a failure; may have lines
  std::string out;      // system-out; empty: none
};

struct Suite {
  std::string name;
  std::string timestamp;  // ISO 8601; empty: unknown
  std::vector<std::pair<std::string, std::string>> properties;
  std::vector<Test> tests;
};

// Well-formed whatever the texts hold.
std::string document(const std::string& name, const std::vector<Suite>& suites);

}  // namespace seamark::report::junit
