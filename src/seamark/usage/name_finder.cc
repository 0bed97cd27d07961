#include "seamark/usage/name_finder.h"

namespace seamark::usage {
namespace {

class Resolving final : public NameFinder {
 public:
  explicit Resolving(const Vocabulary& vocabulary) : scanner_(vocabulary) {}
  const FileUsage& scan(std::string_view text, bool framed) override { return scanner_.scan(text, framed); }
  [[nodiscard]] std::string_view name(std::uint32_t number) const override { return scanner_.name(number); }
  [[nodiscard]] std::uint32_t framework_of(std::uint32_t number) const override {
    return scanner_.framework_of(number);
  }

 private:
  Scanner scanner_;
};

}  // namespace

MakeFinder resolving_finder(const Vocabulary& vocabulary) {
  return [&vocabulary] { return std::make_unique<Resolving>(vocabulary); };
}

}  // namespace seamark::usage
