// JUnit XML, as pytest writes it (xunit1 and xunit2) and as others do.
#include <expat.h>
#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <optional>

#include "seamark/base/text.h"
#include "seamark/interop/external_readers.h"

namespace seamark::interop {

namespace {

constexpr int kMostDepth = 64;
constexpr std::size_t kChunk = std::size_t{1} << 20;  // expat takes ints

struct ParserCloser {
  void operator()(XML_Parser parser) const { XML_ParserFree(parser); }
};
using Parser = std::unique_ptr<XML_ParserStruct, ParserCloser>;

std::string attribute(const XML_Char** attributes, std::string_view name) {
  for (; *attributes != nullptr; attributes += 2) {
    if (name == attributes[0]) return attributes[1];
  }
  return {};
}

class Reader {
 public:
  Reader(std::string_view file, const ImportRules& rules)
      : file_(file), rules_(rules), parser_(XML_ParserCreate(nullptr)) {
    XML_SetUserData(parser_.get(), this);
    XML_SetElementHandler(parser_.get(), &Reader::on_start, &Reader::on_end);
    XML_SetCharacterDataHandler(parser_.get(), &Reader::on_text);
    XML_SetStartDoctypeDeclHandler(parser_.get(), &Reader::on_doctype);
  }

  Result<ExternalFile> read(std::string_view text) {
    while (true) {
      const std::string_view part = text.substr(0, kChunk);
      text.remove_prefix(part.size());
      const bool last = text.empty();
      const XML_Status status =
          XML_Parse(parser_.get(), part.data(), static_cast<int>(part.size()), last ? XML_TRUE : XML_FALSE);
      if (!refused_.empty()) return bad(refused_);
      if (status != XML_STATUS_OK) return bad(XML_ErrorString(XML_GetErrorCode(parser_.get())));
      if (last) break;
    }
    if (!root_seen_) {
      return Error(InteropError::kBadInput, fmt::format("{}: it holds no 'testsuite'", file_),
                   "JUnit XML begins with testsuites or testsuite");
    }
    return std::move(out_);
  }

 private:
  // Of the innermost of these within a test; the first that says something counts.
  enum class Part : std::uint8_t { kNone, kFailure, kError, kSkipped };

  [[nodiscard]] std::string place() const {
    return fmt::format("{}:{}", file_, XML_GetCurrentLineNumber(parser_.get()));
  }
  [[nodiscard]] Error bad(std::string_view what) const {
    return {InteropError::kBadInput, fmt::format("{}: {}", place(), what),
            "a report that was cut short, or is no JUnit XML: see --format"};
  }
  void refuse(std::string what) {
    refused_ = std::move(what);
    XML_StopParser(parser_.get(), XML_FALSE);
  }

  static void on_doctype(void* self, const XML_Char*, const XML_Char*, const XML_Char*, int) {
    static_cast<Reader*>(self)->refuse("a document type is refused, as it can define entities");
  }
  static void on_start(void* self, const XML_Char* name, const XML_Char** attributes) {
    static_cast<Reader*>(self)->start(name, attributes);
  }
  static void on_end(void* self, const XML_Char*) { static_cast<Reader*>(self)->end(); }
  static void on_text(void* self, const XML_Char* text, int length) {
    static_cast<Reader*>(self)->characters({text, static_cast<std::size_t>(length)});
  }

  void start(std::string_view name, const XML_Char** attributes) {
    if (!refused_.empty()) return;
    if (++depth_ > kMostDepth)
      return refuse(fmt::format("more than {} elements within each other", kMostDepth));
    if (depth_ == 1) {
      if (name != "testsuites" && name != "testsuite")
        return refuse(fmt::format("its root is '{}', not testsuites or testsuite", bounded_name(name)));
      root_seen_ = true;
    }
    if (name == "testcase" && !test_) return begin_test(attributes);
    if (!test_ || part_ != Part::kNone) return;
    if (name == "failure" || name == "rerunFailure" || name == "flakyFailure") part_ = Part::kFailure;
    if (name == "error" || name == "rerunError" || name == "flakyError") part_ = Part::kError;
    if (name == "skipped") part_ = Part::kSkipped;
    if (part_ == Part::kNone) return;
    part_depth_ = depth_;
    message_ = attribute(attributes, "message");
    type_ = attribute(attributes, "type");
    text_.clear();
  }

  void begin_test(const XML_Char** attributes) {
    test_.emplace();
    test_depth_ = depth_;
    place_ = place();
    told_ = false;
    problem_.clear();
    const std::string classname = bounded_name(attribute(attributes, "classname"));
    const std::string name = bounded_name(attribute(attributes, "name"));
    if (name.empty()) problem_ = "it has no name";
    test_->name = TestName::of_junit(classname, name, attribute(attributes, "file"));
    test_->id = classname.empty() ? name : classname + "." + name;
    const std::string time = attribute(attributes, "time");
    const std::optional<double> seconds = parse_double(replace_all(time, ",", ""));
    if (!time.empty() && (!seconds || *seconds < 0))
      problem_ = fmt::format("'{}' is no time", bounded_name(time));
    test_->wall_s = seconds.value_or(0);
  }

  void characters(std::string_view text) {
    if (part_ == Part::kNone || text_.size() >= kMostTraceBytes) return;
    text_ += text.substr(0, kMostTraceBytes - text_.size());
  }

  void end() {
    if (!refused_.empty()) return;
    if (part_ != Part::kNone && depth_ == part_depth_) {
      if (!told_) tell();
      part_ = Part::kNone;
    } else if (test_ && depth_ == test_depth_) {
      if (problem_.empty()) {
        out_.tests.push_back(std::move(*test_));
      } else {
        out_.losses.push_back({place_, problem_});
      }
      test_.reset();
    }
    --depth_;
  }

  void tell() {
    told_ = true;
    if (part_ == Part::kFailure) {
      if (message_.starts_with("[XPASS(strict)]") || text_.starts_with("[XPASS(strict)]")) {
        test_->attributes.emplace_back("unexpected-pass");
        return;
      }
      // Others than pytest name the exception's type beside a bare message.
      const bool bare = !type_.empty() && !message_.empty() && message_.find(type_) == std::string::npos &&
                        !message_.starts_with("assert ");
      tell_failure(*test_, "call", bare ? type_ + ": " + message_ : message_, text_, rules_);
    } else if (part_ == Part::kError) {
      test_->outcome = Outcome::kError;
      test_->reason = bounded_name("the test could not be made: " + (message_.empty() ? text_ : message_));
    } else if (type_ == "pytest.xfail" && !message_.starts_with("[NOTRUN]")) {
      test_->attributes.emplace_back("expected-failure");
      tell_failure(*test_, "call", "expected to fail: " + message_, text_, rules_);
    } else {
      test_->outcome = Outcome::kSkip;
      test_->reason = bounded_name(message_.empty() ? "skipped by the test" : message_);
    }
  }

  std::string file_;
  const ImportRules& rules_;
  Parser parser_;
  ExternalFile out_;
  std::string refused_;
  bool root_seen_ = false;
  int depth_ = 0;
  std::optional<ExternalTest> test_;
  int test_depth_ = 0;
  std::string place_;
  std::string problem_;
  bool told_ = false;
  Part part_ = Part::kNone;
  int part_depth_ = 0;
  std::string message_;
  std::string type_;
  std::string text_;
};

}  // namespace

Result<ExternalFile> read_junit(std::string_view text, std::string_view file, const ImportRules& rules) {
  if (text.size() > kMostFileBytes)
    return Error(InteropError::kBadInput,
                 fmt::format("{}: it is larger than {} MiB", file, kMostFileBytes >> 20));
  return Reader(file, rules).read(text);
}

}  // namespace seamark::interop
