#include "seamark/usage/input/url_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>

#include "seamark/base/home.h"
#include "seamark/base/text.h"
#include "seamark/base/value.h"
#include "seamark/proc/run_command.h"
#include "seamark/usage/input/helper_source.h"
#include "seamark/usage/input/input_kind.h"
#include "seamark/usage/input/jsonl_reader.h"
#include "seamark/usage/input/url_name.h"

namespace seamark::usage {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestList = std::size_t{256} << 20;

std::string from_hex(std::string_view hex) {
  std::string bytes;
  for (; hex.size() >= 2; hex.remove_prefix(2)) {
    unsigned byte = 0;
    std::from_chars(hex.begin(), hex.begin() + 2, byte, 16);
    bytes += static_cast<char>(byte);
  }
  return bytes;
}

Error python_needed(std::string_view name) {
  return Error(UsageError::kUnknownKind,
               fmt::format("{}: by URL, JSON lines and Parquet are read, no .py or .ipynb files", name),
               "give a file or a folder of this machine");
}

// Of what the helper did not list.
Error not_listed(std::string_view name, const proc::CommandResult& done, const std::string& python) {
  const std::vector<std::string_view> lines = split_lines(trim(done.err));
  const std::string said = lines.empty() ? std::string() : without_secrets(one_line(lines.back()));
  switch (done.exit.shell_code()) {
    case kNoPackage:
      return Error(UsageError::kHelper, fmt::format("cannot read {} with {}: {}", name, python, said),
                   package_remedy(said.starts_with("fsspec") ? kForUrls : "that package"));
    case kNotReadable:
      return Error(UsageError::kNotFound, fmt::format("cannot open {}: {}", name, said),
                   "an input is the URL of a file, a glob of files or a folder, as fsspec reads them");
    default:
      return Error(UsageError::kUnavailable,
                   fmt::format("cannot open {}: {}", name, said.empty() ? done.exit.text() : said),
                   "see that the network is there, and what fsspec needs to be let in");
  }
}

Result<Shard> shard_of(const Value& file, const std::string& url, const CorpusOptions& options) {
  Shard shard;
  shard.url = url;
  shard.name = without_secrets(file.string_or("name", url));
  shard.files = {fs::path(file.string_or("path", ""))};
  shard.bytes = static_cast<std::uint64_t>(std::max(0.0, file.number_or("bytes", 0)));
  shard.kind = options.kind;
  if (shard.kind == InputKind::kDetect) shard.kind = kind_of_name(shard.name);
  if (shard.kind == InputKind::kDetect) {
    const Result<InputKind> looked = kind_of_bytes(shard.name, from_hex(file.string_or("head", "")));
    if (!looked) return looked.error();
    shard.kind = *looked;
  }
  if (shard.kind == InputKind::kFiles) return python_needed(shard.name);
  if (const std::string told = file.string_or("identity", ""); !told.empty()) {
    const std::string facts = fmt::format("{} {}", static_cast<int>(shard.kind), shard.bytes);
    const std::string_view fields[] = {facts, shard.name, told};
    shard.identity = to_hex(fnv1a64_fields(fields));
  }
  return shard;
}

}  // namespace

Result<std::vector<std::vector<Shard>>> find_urls(std::span<const std::string> urls,
                                                  const CorpusOptions& options) {
  std::vector<std::vector<Shard>> found(urls.size());
  if (urls.empty()) return found;
  std::vector<std::string> names;
  for (const std::string& url : urls) names.push_back(without_secrets(url));
  if (options.kind == InputKind::kFiles) return python_needed(names.front());
  const Result<fs::path> home = find_home();
  if (!home) return home.error();
  proc::CommandOptions command;
  command.spawn.argv = {options.python, (*home / "python" / "seamark_helper" / "open_url.py").string(),
                        "list"};
  command.spawn.argv.insert(command.spawn.argv.end(), urls.begin(), urls.end());
  command.max_output_bytes = kLongestList;
  const Result<proc::CommandResult> done = proc::run_command(command);
  if (!done) {
    return Error(UsageError::kHelper,
                 fmt::format("cannot read {}: {}", names.front(), one_line(done.error().message())),
                 package_remedy(kForUrls));
  }
  if (done->out_truncated)
    return Error(UsageError::kUnavailable, fmt::format("{} names too many files", join(names, ", ")),
                 "name some of them");
  std::size_t next = 0;  // behind the URL whose files are named
  for (const std::string_view line : split_lines(done->out)) {
    const Result<Value> file = parse_json(line);
    if (!file) return file.error();
    if (file->find("url") != nullptr && next < urls.size()) ++next;
    if (file->find("path") == nullptr || next == 0) continue;
    const bool unwanted = options.kind != InputKind::kDetect && file->bool_or("folder", false) &&
                          kind_of_name(without_secrets(file->string_or("name", ""))) != options.kind;
    if (unwanted) continue;
    Result<Shard> shard = shard_of(*file, urls[next - 1], options);
    if (!shard) return shard.error();
    found[next - 1].push_back(std::move(*shard));
  }
  if (!done->success()) return not_listed(names[std::max<std::size_t>(next, 1) - 1], *done, options.python);
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i].empty())
      return Error(UsageError::kUnknownKind, fmt::format("there is no file of that kind in {}", names[i]));
  }
  return found;
}

Result<ShardRead> read_url(const Shard& shard, const CorpusOptions& options, SourceSink& sink) {
  const std::string size = shard.bytes == 0 ? "-1" : std::to_string(shard.bytes);
  const std::string arguments[] = {"read", shard.url, shard.files.front().string(), size};
  Result<std::unique_ptr<HelperSource>> source =
      HelperSource::start(options.python, "open_url.py", arguments, shard.name, package_remedy(kForUrls));
  if (!source) return source.error();
  Result<ShardRead> done = JsonlReader(shard.name, options, sink).read(**source);
  if ((*source)->code() != 0) return broke_off(shard.name, (*source)->said());
  return done;
}

}  // namespace seamark::usage
