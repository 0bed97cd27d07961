// Any bytes as a corpus and as a notebook: everything that is given is text, counted, and the same however
// the window falls and the bytes come; what the sift leaves out holds no needle that an import could name.
#include <algorithm>
#include <memory>
#include <vector>

#include "fuzz_check.h"
#include "seamark/usage/input/jsonl_reader.h"
#include "seamark/usage/input/notebook.h"

namespace {

using namespace seamark;
using namespace seamark::usage;

constexpr std::size_t kMostBytes = std::size_t{1} << 16;

class Pieces : public RawInput {
 public:
  Pieces(std::string_view bytes, std::size_t piece) : bytes_(bytes), piece_(piece) {}
  Result<std::size_t> read(std::span<char> out) override {
    const std::size_t got = bytes_.copy(out.data(), std::min(piece_, out.size()));
    bytes_.remove_prefix(got);
    return got;
  }

 private:
  std::string_view bytes_;
  std::size_t piece_;
};

class Sink : public SourceSink {
 public:
  void take(const SourceFile& file) override {
    for (const std::string_view text : {file.repository, file.path, file.text}) {
      fuzz::require(is_utf8(text), "text that is not UTF-8");
    }
    const std::string newlines(kTextMargin, '\n');
    fuzz::require(
        !file.framed || (std::string_view(file.text.data() - kTextMargin, kTextMargin) == newlines &&
                         std::string_view(file.text.data() + file.text.size(), kTextMargin) == newlines),
        "a frame that is none");
    texts.emplace_back(file.text);
  }
  void lose(const Loss& loss) override {
    fuzz::require(!loss.what.empty() && loss.line > 0, "a loss without reason or line");
    losses.push_back(loss.line);
  }

  std::vector<std::string> texts;
  std::vector<std::uint64_t> losses;
};

struct Outcome {
  ShardRead counts;
  Sink sink;
};

Outcome read(std::string_view bytes, const CorpusOptions& options, std::size_t window) {
  Outcome outcome;
  const std::unique_ptr<ByteSource> source = unpack(std::make_unique<Pieces>(bytes, bytes.size()));
  const Result<ShardRead> done = JsonlReader("f", options, outcome.sink, window).read(*source);
  fuzz::require(done.ok(), "an error although nothing is strict");
  outcome.counts = *done;
  fuzz::require(done->candidates == outcome.sink.texts.size(), "candidates counted wrong");
  fuzz::require(done->losses == outcome.sink.losses.size(), "losses counted wrong");
  fuzz::require(done->candidates <= done->files, "more candidates than files");
  fuzz::require(done->repaired <= done->candidates, "more repaired than read");
  return outcome;
}

struct Unpacked {
  std::string text;  // at most kMostBytes
  bool whole = false;
};

Unpacked unpacked(std::string_view stored, std::size_t piece) {
  Unpacked result{std::string(kMostBytes, '\0')};
  const std::unique_ptr<ByteSource> source = unpack(std::make_unique<Pieces>(stored, piece));
  result.text.resize(source->read(result.text));
  result.whole = result.text.size() < kMostBytes && source->take_problems().empty();
  return result;
}

bool has_needle(const std::string& text, const std::vector<std::string>& needles) {
  std::string padded = text + std::string(kSearchPadding, '\0');
  return Prefilter(needles, true).passes(std::string_view(padded).substr(0, text.size()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view stored = fuzz::text_of(data + 1, size - 1);
  CorpusOptions options;
  options.max_line_bytes = 1 << 12;
  options.max_bytes = kMostBytes;
  read(stored, options, std::size_t{1} << 14);
  // How much of a damaged member is given depends on the window; from here on it is what was given.
  const auto [bytes, whole] = unpacked(stored, kMostBytes);
  if (whole) {
    const Unpacked pieces = unpacked(stored, 1 + data[0]);
    fuzz::require(pieces.whole && pieces.text == bytes, "the pieces decide what is unpacked");
  }
  if (packing_of(bytes) != Packing::kPlain) return 0;
  const Outcome all = read(bytes, options, std::size_t{1} << 14);

  options.needles = {"torch", "tensorflow", "jax"};
  const Outcome wide = read(bytes, options, std::size_t{1} << 14);
  const Outcome narrow = read(bytes, options, 64 + data[0]);
  fuzz::require(wide.sink.texts == narrow.sink.texts, "the window decides what is read");
  fuzz::require(wide.sink.losses == narrow.sink.losses, "the window decides what is lost");
  fuzz::require(wide.counts.files == narrow.counts.files, "the window decides what is counted");
  // Escapes that hide a needle (\u0074orch) are known to be missed: nothing writes them.
  if (bytes.find("\\u00") == std::string_view::npos && bytes.find("\\U00") == std::string_view::npos) {
    std::size_t next = 0;
    for (const std::string& text : all.sink.texts) {
      if (!has_needle(text, options.needles)) {
        if (next < wide.sink.texts.size() && wide.sink.texts[next] == text) ++next;  // let through in vain
        continue;
      }
      while (next < wide.sink.texts.size() && wide.sink.texts[next] != text) ++next;
      fuzz::require(next++ < wide.sink.texts.size(), "the sift missed an import");
    }
  }

  std::string padded(bytes);
  padded.append(kSearchPadding, '\0');
  const NotebookText notebook = notebook_text(std::string_view(padded).substr(0, bytes.size()));
  fuzz::require(is_utf8(notebook.text), "a notebook that is not UTF-8");
  std::string cell;
  append_cell(bytes, cell);
  fuzz::require(
      std::count(cell.begin(), cell.end(), '\n') == std::count(bytes.begin(), bytes.end(), '\n') + 1,
      "a cell with another number of lines");
  return 0;
}
