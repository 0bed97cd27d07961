// `seamark trust`: a config that was found may name what is executed.
#include <fmt/format.h>

#include <system_error>

#include "seamark/base/text.h"
#include "seamark/cli/context.h"
#include "seamark/cli/errors.h"
#include "seamark/cli/trust.h"
#include "seamark/cli/verbs.h"

namespace seamark::cli {
namespace {

class TrustCommand final : public Command {
 public:
  explicit TrustCommand(Options& options) {
    options.argument("FILE", file_, "A config (default: the seamark.toml here or in a folder above)");
    options.flag("--revoke", revoke_, "Trust it no longer");
    options.flag("--list", list_, "List what is trusted").excludes({"FILE", "--revoke"});
  }

  // Nor does it need one that can be read: it may be the one to be revoked.
  [[nodiscard]] bool reads_config() const override { return false; }

  Result<ExitCode> run(Context&) const override {
    const TrustList trusted = TrustList::of_user();
    if (list_) return list(trusted);
    const Result<std::filesystem::path> file = chosen();
    if (!file) return file.error();
    if (revoke_) return revoke(trusted, *file);
    const Result<std::string> text = read_config(*file);
    if (!text) return text.error();
    if (Status added = trusted.add(*file, *text); !added) return added.error();
    return end_with(fmt::format("trusted as it is now: {}\n", one_line(file->native())));
  }

 private:
  [[nodiscard]] Result<std::filesystem::path> chosen() const {
    std::error_code error;
    const std::filesystem::path folder = std::filesystem::current_path(error);
    if (!file_.empty()) return folder / file_;
    const auto found = find_config({}, folder, [](std::string_view) { return std::nullopt; });
    if (!found) return found.error();
    if (found->has_value()) return **found;
    return Error(CliError::kUsage, "there is no seamark.toml here or in a folder above", "name a file");
  }

  static Result<ExitCode> revoke(const TrustList& trusted, const std::filesystem::path& file) {
    const Result<bool> removed = trusted.remove(file);
    if (!removed) return removed.error();
    if (*removed) return end_with(fmt::format("trusted no longer: {}\n", one_line(file.native())));
    return Error(CliError::kNothing, fmt::format("{} was not trusted", file.native()),
                 "`seamark trust --list` says what is");
  }

  static Result<ExitCode> list(const TrustList& trusted) {
    const Result<std::vector<TrustedFile>> files = trusted.all();
    if (!files) return files.error();
    std::string text;
    for (const TrustedFile& one : *files) {
      text += one_line(one.file.native());
      text += one.changed ? " (gone, or changed since: not trusted)\n" : "\n";
    }
    return end_with(text);
  }

  std::string file_;
  bool revoke_ = false;
  bool list_ = false;
};

}  // namespace

Verb trust_verb() {
  return {
      "trust", "Let a seamark.toml that was found name what is executed",
      "Read the file first: interpreters, suites and targets of it are used from then on, until it changes.\n"
      "A file that is named, with --config or SEAMARK_CONFIG, needs no trust.\n\n"
      "Examples:\n"
      "  seamark trust\n"
      "  seamark trust ../seamark.toml\n"
      "  seamark trust --revoke",
      make_command<TrustCommand>};
}

}  // namespace seamark::cli
