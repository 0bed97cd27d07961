#include "seamark/audit/project.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <system_error>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "seamark/audit/guards.h"
#include "seamark/audit/imported_names.h"
#include "seamark/base/fd.h"
#include "seamark/base/text.h"
#include "seamark/model/usage.h"
#include "seamark/usage/input/corpus.h"
#include "seamark/usage/input/folder_walk.h"
#include "seamark/usage/input/notebook.h"
#include "seamark/usage/scan/scanner.h"

namespace seamark::audit {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostLosses = 100;
constexpr std::size_t kLargestOther = std::size_t{1} << 20;

// Nothing that a rule finds is in a file without one of these; a framework's module is one of the three.
constexpr std::string_view kNeedles[] = {"torch", "tensorflow", "jax",    "cuda",
                                         "CUDA",  "nvidia",     "triton", "onnx"};

}  // namespace

namespace {

bool is_test_part(std::string_view part) {
  return is_one_of(part, "test", "tests", "testing", "conftest.py") || part.starts_with("test_") ||
         part.ends_with("_test.py");
}

// The context `host` of a rule: where data are made ready, or tensors of PyTorch's tests are.
bool is_host_path(std::string_view path, bool torch) {
  const std::vector<std::string_view> parts = split(path, '/');
  return std::any_of(parts.begin(), parts.end() - 1,
                     [](std::string_view part) { return is_one_of(part, "datasets", "dataset"); }) ||
         (torch && std::any_of(parts.begin(), parts.end(), is_test_part));
}

}  // namespace

bool is_test_path(std::string_view path) {
  const std::vector<std::string_view> parts = split(path, '/');
  return std::any_of(parts.begin(), parts.end(), [](std::string_view part) {
    return is_test_part(part) || is_one_of(part, "example", "examples", "benchmark", "benchmarks");
  });
}

namespace {

// xpu_ops.py, hpu: the one device in a part of a path; empty: none, or several.
std::string_view device_in(std::string_view part) {
  constexpr std::array<std::string_view, 12> kDevices = {"cuda", "gpu", "rocm", "mps", "xpu",  "hpu",
                                                         "npu",  "tpu", "xla",  "mlu", "musa", "ipu"};
  std::string_view found;
  part = part.substr(0, part.find('.'));
  for (const std::string_view word : split(part, '_')) {
    const auto* const device = std::find(kDevices.begin(), kDevices.end(), lower_ascii(word));
    if (device == kDevices.end()) continue;
    if (!found.empty() && found != *device) return {};
    found = *device;
  }
  return found;
}

}  // namespace

std::vector<std::string_view> devices_by_name(std::span<const ProjectFile> files) {
  std::map<std::string_view, std::set<std::string_view>> beside;  // by folder
  const auto each = [&](std::string_view path, const auto& take) {
    for (std::size_t begin = 0; begin < path.size();) {
      const std::size_t end = std::min(path.find('/', begin), path.size());
      const std::string_view device = device_in(path.substr(begin, end - begin));
      if (!device.empty()) take(path.substr(0, begin), device);
      begin = end + 1;
    }
  };
  for (const ProjectFile& file : files)
    each(file.path, [&](std::string_view folder, std::string_view device) { beside[folder].insert(device); });
  std::vector<std::string_view> out(files.size());
  for (std::size_t i = 0; i < files.size(); ++i)
    each(files[i].path, [&](std::string_view folder, std::string_view device) {
      if (beside[folder].size() > 1) out[i] = device;
    });
  return out;
}

class Auditor::State {
 public:
  State(const usage::Vocabulary& vocabulary, std::span<const Rule> rules)
      : vocabulary_(vocabulary), rules_(rules), scanner_(vocabulary, true, true) {
    for (const Framework& framework : vocabulary.frameworks()) roots_.push_back(framework.module);
    for (const Rule& rule : rules) {
      for (const auto* patterns : {&rule.match, &rule.functions, &rule.unless, &rule.earlier, &rule.between,
                                   &rule.later, &rule.also, &rule.missing}) {
        for (const Pattern& pattern : *patterns) pattern.add_words(words_);
      }
    }
    syntax_.keep_words(words_);
  }

  void take(std::string_view path, std::string_view text, bool framed,
            std::span<const usage::NotebookCell> cells) {
    ++project_.read;
    const usage::FileUsage& usage = scanner_.scan(text, framed);
    uses_.clear();
    for (const usage::Use& use : usage.uses) {
      if (use.tier == UsageTier::kPossibleLeast) continue;
      uses_.push_back({.begin = use.begin,
                       .end = use.end,
                       .qualified = scanner_.name(use.written),
                       .function = use.name == usage::kNoName ? std::string_view() : scanner_.name(use.name),
                       .gives = scanner_.given_by(use.written)});
    }
    syntax_.read(usage.text, uses_, roots_, usage.tokens);
    if (const std::optional<Syntax::Fault> fault = syntax_.fault()) {
      const std::uint32_t line = syntax_.position_of(fault->begin).line;
      const usage::NotebookPlace place = usage::notebook_place(cells, line);
      lose({std::string(path), place.cell == 0 ? line : place.file_line,
            fmt::format("it does not parse ({}): what stands there may be missed", fault->what)});
    }
    std::vector<Hit> hits = check(syntax_, rules_);
    if (is_host_path(path, syntax_.imports_module("torch")))
      std::erase_if(hits, [&](const Hit& hit) {
        const std::vector<std::string>& outside = rules_[hit.rule].outside;
        return std::find(outside.begin(), outside.end(), "host") != outside.end();
      });
    for (const ImportedName& one : imported_names(syntax_))
      (one.guarded ? guarded_ : free_).insert(TextIndex::hash(one.name));
    if (usage.frameworks != 0) ++project_.with_framework;
    frameworks_ |= usage.frameworks;
    if (usage.uses.empty() && hits.empty()) return;
    const std::uint32_t file = add_file(path, usage.frameworks);
    project_.files[file].cells.assign(cells.begin(), cells.end());
    begins_.clear();
    for (const usage::Use& use : usage.uses) begins_.push_back(use.begin);
    const std::vector<bool> guarded = guarded_calls(syntax_, begins_);
    for (std::size_t i = 0; i < usage.uses.size(); ++i) add_use(usage.uses[i], file, guarded[i]);
    add_hits(std::move(hits), file);
  }

  void take_other(std::string_view path, std::string_view text) {
    const std::string_view name = path.substr(path.rfind('/') + 1);
    std::vector<Hit> hits = check_lines(name, text, rules_);
    if (!hits.empty()) add_hits(std::move(hits), add_file(path, 0));
  }

  void lose(const usage::Loss& loss) {
    ++project_.lost;
    if (project_.losses.size() < kMostLosses) project_.losses.push_back(loss);
  }

  void pass_over(std::int64_t files) { project_.read += files; }

  Project finish() {
    project_.frameworks = names_of(frameworks_);
    for (ProjectFile& file : project_.files) {
      const std::string_view name = std::string_view(file.path).substr(file.path.rfind('/') + 1);
      const std::uint32_t hash = TextIndex::hash(name.substr(0, name.rfind('.')));
      file.guarded = guarded_.contains(hash) && !free_.contains(hash);
    }
    for (FunctionUse& use : project_.functions) {
      const auto key = [](const Site& site) { return std::tuple(site.file, site.line, site.column); };
      std::sort(use.sites.begin(), use.sites.end(),
                [&](const Site& a, const Site& b) { return key(a) < key(b); });
    }
    std::sort(project_.functions.begin(), project_.functions.end(),
              [](const FunctionUse& a, const FunctionUse& b) {
                return std::tuple(std::string_view(a.framework), -a.calls, std::string_view(a.name)) <
                       std::tuple(std::string_view(b.framework), -b.calls, std::string_view(b.name));
              });
    return std::move(project_);
  }

 private:
  // A bit each, of the vocabulary's.
  [[nodiscard]] std::vector<std::string> names_of(std::uint64_t frameworks) const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < vocabulary_.frameworks().size(); ++i) {
      if ((frameworks >> i & 1) != 0) names.push_back(vocabulary_.frameworks()[i].name);
    }
    return names;
  }

  std::uint32_t add_file(std::string_view path, std::uint64_t frameworks) {
    project_.files.push_back({.path = std::string(path), .frameworks = names_of(frameworks), .cells = {}});
    return static_cast<std::uint32_t>(project_.files.size() - 1);
  }

  void add_use(const usage::Use& use, std::uint32_t file, bool guarded) {
    if (use.name == usage::kNoName) return;
    const auto [known, fresh] = places_.try_emplace(use.name, project_.functions.size());
    if (fresh) {
      FunctionUse& made = project_.functions.emplace_back();
      made.framework = vocabulary_.frameworks()[scanner_.framework_of(use.name)].name;
      made.name = std::string(scanner_.name(use.name));
      made.known = use.tier != UsageTier::kUnknown;
    }
    FunctionUse& function = project_.functions[known->second];
    ++(use.call ? function.calls : function.references);
    if (function.sites.size() >= kMostSites) return;
    const Syntax::Position place = syntax_.position_of(use.begin);
    function.sites.push_back(
        {.file = file, .line = place.line, .column = place.column, .call = use.call, .guarded = guarded});
  }

  void add_hits(std::vector<Hit> hits, std::uint32_t file) {
    for (Hit& hit : hits) {
      const std::size_t rule = hit.rule;
      project_.findings.push_back({.rule = rule, .file = file, .hit = std::move(hit)});
    }
  }

  const usage::Vocabulary& vocabulary_;
  std::span<const Rule> rules_;
  usage::Scanner scanner_;
  WordFilter words_;
  Syntax syntax_;
  std::vector<std::string> roots_;
  std::vector<NamedUse> uses_;
  std::vector<std::uint32_t> begins_;
  std::unordered_map<std::uint32_t, std::size_t> places_;  // by name: in project_.functions
  std::unordered_set<std::uint32_t> guarded_;  // hashes of names that are imported so (imported_names)
  std::unordered_set<std::uint32_t> free_;
  std::uint32_t frameworks_ = 0;
  Project project_;
};

Auditor::Auditor(const usage::Vocabulary& vocabulary, std::span<const Rule> rules)
    : state_(std::make_unique<State>(vocabulary, rules)) {}
Auditor::~Auditor() = default;
void Auditor::take(std::string_view path, std::string_view text, bool framed,
                   std::span<const usage::NotebookCell> cells) {
  state_->take(path, text, framed, cells);
}
void Auditor::take_other(std::string_view path, std::string_view text) { state_->take_other(path, text); }
void Auditor::lose(const usage::Loss& loss) { state_->lose(loss); }
void Auditor::pass_over(std::int64_t files) { state_->pass_over(files); }
Project Auditor::finish() { return state_->finish(); }

namespace {

// Below the folder that one is in as one would type it, else as it is.
std::string shown(const fs::path& path) {
  std::error_code error;
  const fs::path here = fs::current_path(error);
  const fs::path whole = fs::absolute(path, error).lexically_normal();
  const fs::path below = whole.lexically_relative(here);
  if (error || below.empty() || *below.begin() == "..") return path.lexically_normal().generic_string();
  return below.generic_string();
}

class PathSink final : public usage::SourceSink {
 public:
  PathSink(Auditor& auditor, const ProjectOptions& options) : auditor_(auditor), options_(options) {}

  void begin(const fs::path& root) {
    folder_ = shown(root / "x");
    folder_.pop_back();
  }
  [[nodiscard]] bool excluded(std::string_view path) const { return any_glob(options_.exclude, path); }
  void take(const usage::SourceFile& file) override {
    const std::string path = folder_ + std::string(file.path);
    if (!excluded(path)) auditor_.take(path, file.text, file.framed, file.cells);
  }
  void lose(const usage::Loss& loss) override {
    usage::Loss shorter = loss;
    shorter.file = shown(loss.file);
    if (!excluded(shorter.file)) auditor_.lose(shorter);
  }

 private:
  Auditor& auditor_;
  const ProjectOptions& options_;
  std::string folder_;  // with what stands before a path in it
};

// Requirements, Dockerfiles, sources in CUDA: what rules with `files` ask for.
void read_others(const fs::path& folder, std::span<const Rule> rules, const PathSink& sink,
                 Auditor& auditor) {
  const auto wanted = [&](std::string_view name) {
    return std::any_of(rules.begin(), rules.end(),
                       [&](const Rule& rule) { return any_glob(rule.files, name); });
  };
  const auto failed = [](const fs::path&, const std::string&) {};  // told where Python is looked for
  for (const usage::FoundFile& file : usage::walk_folder(folder, wanted, failed)) {
    const std::string path = shown(file.path);
    if (sink.excluded(path)) continue;
    const Result<std::string> text = read_file(file.path, kLargestOther);
    if (text) {
      auditor.take_other(path, repair_utf8(*text));
    } else {
      auditor.lose({path, 0, text.error().message()});
    }
  }
}

}  // namespace

Result<Project> audit_paths(std::span<const std::string> paths, const usage::Vocabulary& vocabulary,
                            std::span<const Rule> rules, const ProjectOptions& options) {
  usage::CorpusOptions corpus;
  corpus.kind = usage::InputKind::kFiles;
  corpus.imports_only = false;
  corpus.all_notebooks = true;
  corpus.needles.assign(std::begin(kNeedles), std::end(kNeedles));
  const Result<std::vector<usage::Shard>> shards = usage::find_shards(paths, corpus);
  if (!shards) return Error(AuditError::kBadProject, shards.error().message(), shards.error().remedy());
  Auditor auditor(vocabulary, rules);
  PathSink sink(auditor, options);
  for (const usage::Shard& shard : *shards) {
    sink.begin(shard.root);
    const Result<usage::ShardRead> read = usage::read_shard(shard, corpus, sink);
    if (!read) return Error(AuditError::kBadProject, read.error().message(), read.error().remedy());
    auditor.pass_over(static_cast<std::int64_t>(read->files - read->candidates));
  }
  for (const std::string& path : paths) {
    std::error_code error;
    if (fs::is_directory(path, error)) read_others(path, rules, sink, auditor);
  }
  return auditor.finish();
}

}  // namespace seamark::audit
