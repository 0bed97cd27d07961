#include "seamark/usage/scan/scanner.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "seamark/usage/input/source.h"
#include "seamark/usage/resolve/name_tree.h"
#include "seamark/usage/resolve/resolver.h"
#include "seamark/usage/resolve/tables.h"
#include "seamark/usage/scan/imports.h"
#include "seamark/usage/scan/possible.h"
#include "seamark/usage/scan/reader.h"

namespace seamark::usage {

namespace {

constexpr std::size_t kKeep = 4u << 20;  // of a buffer, from file to file
constexpr int kMaxReadings = 8;

constexpr std::size_t kMaxText = 1u << 30;
constexpr std::string_view kMark = "\xef\xbb\xbf";  // of UTF-8

}  // namespace

class Scanner::State {
 public:
  State(const Vocabulary& vocabulary, bool possible, bool uses)
      : uses_(uses),
        tables_(vocabulary.tables()),
        tree_(tables_),
        reader_(tables_, tree_, words_, reading_),
        resolver_(tables_, tree_, words_) {
    if (possible) possible_.emplace(tables_, tree_);
  }

  const FileUsage& scan(std::string_view text, bool framed) {
    usage_.names.clear();
    usage_.frameworks = 0;
    usage_.unresolved_stars = 0;
    framed = framed && text.size() <= kMaxText && !text.starts_with(kMark);
    text = text.substr(0, kMaxText);
    if (text.starts_with(kMark)) text.remove_prefix(kMark.size());
    usage_.uses.clear();
    usage_.tokens.clear();
    if (uses_) {
      text = framed && text.find('\r') == std::string_view::npos ? text : load(text);
      framed = true;
      usage_.text = text;
    }
    seeds_.clear();
    if (!find_imports(text, tables_, seeds_)) return usage_;
    keep_seeds();
    if (!framed || text.find('\r') != std::string_view::npos) text = load(text);
    read(text);
    usage_.frameworks = reading_.frameworks;
    usage_.unresolved_stars = reading_.unresolved_stars;
    known_ends_.clear();
    resolver_.resolve(reading_, usage_, possible_ ? &known_ends_ : nullptr, uses_);
    if (possible_ && usage_.frameworks != 0) possible_->add(text, known_ends_, usage_, uses_);
    return usage_;
  }

  NameTree& tree() { return tree_; }

 private:
  // Into the buffer, framed and with \n for every line end.
  std::string_view load(std::string_view text) {
    buffer_.clear();
    if (buffer_.capacity() > kKeep && text.size() < kKeep / 4) buffer_.shrink_to_fit();
    buffer_.reserve(text.size() + 2 * kTextMargin);
    buffer_.assign(kTextMargin, '\n');
    while (!text.empty()) {
      const std::size_t cr = std::min(text.find('\r'), text.size());
      buffer_.append(text.substr(0, cr));
      if (cr == text.size()) break;
      buffer_.push_back('\n');
      text.remove_prefix(cr + 1);
      if (text.starts_with('\n')) text.remove_prefix(1);
    }
    const std::size_t size = buffer_.size() - kTextMargin;
    buffer_.append(kTextMargin, '\n');
    return std::string_view(buffer_).substr(kTextMargin, size);
  }

  // Seeds are parts of the text, behind which nothing may be read.
  void keep_seeds() {
    constexpr std::size_t kBehind = 8;  // as Words wants it
    std::size_t size = 0;
    for (const std::string_view seed : seeds_) size += seed.size() + kBehind;
    seed_texts_.clear();
    seed_texts_.reserve(size);
    for (std::string_view& seed : seeds_) {
      const std::size_t begin = seed_texts_.size();
      seed_texts_.append(seed).append(kBehind, ' ');
      seed = std::string_view(seed_texts_).substr(begin, seed.size());
    }
  }

  void read(std::string_view text) {
    for (int i = 0; i < kMaxReadings; ++i) {
      late_.clear();
      reader_.read(text.data(), static_cast<std::uint32_t>(text.size()), seeds_, late_);
      if (late_.empty()) return;
      seeds_.insert(seeds_.end(), late_.begin(), late_.end());
    }
  }

  bool uses_;
  const Vocabulary::Tables& tables_;
  NameTree tree_;
  Words words_;
  Reading reading_;
  Reader reader_;
  Resolver resolver_;
  std::optional<PossibleCalls> possible_;
  std::vector<std::uint32_t> known_ends_;
  FileUsage usage_;
  std::string buffer_;
  std::vector<std::string_view> seeds_;  // in seed_texts_
  std::string seed_texts_;
  std::vector<std::string_view> late_;
};

Scanner::Scanner(const Vocabulary& vocabulary, bool possible, bool uses)
    : state_(std::make_unique<State>(vocabulary, possible, uses)) {}
Scanner::~Scanner() = default;

const FileUsage& Scanner::scan(std::string_view text, bool framed) { return state_->scan(text, framed); }
std::string_view Scanner::name(std::uint32_t number) const { return state_->tree().text(number); }
std::string_view Scanner::given_by(std::uint32_t number) const {
  const std::uint32_t type = state_->tree().node(number).gives;
  return type == NameTree::kNone ? std::string_view() : state_->tree().text(type);
}
std::uint32_t Scanner::framework_of(std::uint32_t number) const {
  return state_->tree().node(number).framework;
}

MakeFinder resolving_finder(const Vocabulary& vocabulary, bool possible) {
  return [&vocabulary, possible] { return std::make_unique<Scanner>(vocabulary, possible); };
}

}  // namespace seamark::usage
