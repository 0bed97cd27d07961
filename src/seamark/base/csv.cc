#include "seamark/base/csv.h"

#include <fmt/format.h>

#include <utility>

namespace seamark {

namespace {

class CsvParser {
 public:
  CsvParser(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  Result<std::vector<std::vector<std::string>>> run() {
    while (at_ < text_.size()) {
      if (Status status = field(); !status) return status.error();
      if (at_ < text_.size() && text_[at_] == ',') {
        ++at_;
        if (at_ == text_.size()) row_.emplace_back();
        continue;
      }
      end_line();
    }
    end_row();
    return std::move(rows_);
  }

 private:
  Status field() {
    std::string value;
    if (at_ < text_.size() && text_[at_] == '"') {
      if (Status status = quoted(value); !status) return status.error();
    } else {
      while (at_ < text_.size() && text_[at_] != ',' && text_[at_] != '\n' && text_[at_] != '\r')
        value += text_[at_++];
    }
    row_.push_back(std::move(value));
    return {};
  }

  Status quoted(std::string& value) {
    const int started = line_;
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] != '"') {
        line_ += text_[at_] == '\n';
        value += text_[at_];
      } else if (at_ + 1 < text_.size() && text_[at_ + 1] == '"') {
        value += '"';
        ++at_;
      } else {
        ++at_;
        const bool ends =
            at_ == text_.size() || text_[at_] == ',' || text_[at_] == '\n' || text_[at_] == '\r';
        if (ends) return {};
        return Error(CsvError::kSyntax, fmt::format("{}:{}: text after a closing quote", file_, line_));
      }
    }
    return Error(CsvError::kSyntax, fmt::format("{}:{}: a quote is not closed", file_, started));
  }

  void end_line() {
    if (at_ < text_.size() && text_[at_] == '\r') ++at_;
    if (at_ < text_.size() && text_[at_] == '\n') ++at_;
    ++line_;
    end_row();
  }

  void end_row() {
    const bool empty = row_.empty() || (row_.size() == 1 && row_.front().empty());
    if (!empty) rows_.push_back(std::move(row_));
    row_.clear();
  }

  std::string_view text_;
  std::string_view file_;
  std::size_t at_ = 0;
  int line_ = 1;
  std::vector<std::string> row_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace

Result<std::vector<std::vector<std::string>>> parse_csv(std::string_view text, std::string_view file) {
  return CsvParser(text, file).run();
}

}  // namespace seamark
