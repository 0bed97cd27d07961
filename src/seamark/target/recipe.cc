#include "seamark/target/recipe.h"

#include <fmt/format.h>

#include <algorithm>

#include "seamark/base/config.h"
#include "seamark/base/fd.h"
#include "seamark/base/text.h"

namespace seamark::target {
namespace {

// A name that can be part of a folder's name.
bool is_plain(std::string_view name) {
  return !name.empty() && name.front() != '-' && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
  });
}

bool is_pinned(std::string_view requirement) {
  const std::size_t at = requirement.find("==");
  return at != std::string_view::npos && at > 0 && requirement.front() != '-' &&
         requirement.find('*') == std::string_view::npos && at + 2 < requirement.size();
}

}  // namespace

std::string Recipe::hash() const {
  std::vector<std::string_view> fields = {name, cpu_index, verify};
  for (const auto* list : {&pythons, &packages, &refuse}) {
    fields.emplace_back("|");
    fields.insert(fields.end(), list->begin(), list->end());
  }
  // Only where there are any: the hashes of other recipes stay what they were.
  if (!sources.empty()) fields.emplace_back("|");
  fields.insert(fields.end(), sources.begin(), sources.end());
  return to_hex(fnv1a64_fields(fields)).substr(0, 12);
}

std::vector<std::string> Recipe::pip_arguments() const {
  std::vector<std::string> arguments = {"--only-binary", ":all:"};
  if (!sources.empty()) {
    arguments.emplace_back("--no-binary");
    arguments.push_back(join(sources, ","));
  }
  arguments.insert(arguments.end(), packages.begin(), packages.end());
  return arguments;
}

Result<Recipe> Recipes::parse(std::string_view toml, std::string_view file) {
  const Result<Value> document = parse_toml(toml, file);
  if (!document) return Error(TargetError::kBadEntry, document.error().message());
  Problems problems(file);
  TableReader table(*document, problems);
  Recipe recipe;
  recipe.name = table.need_string("name");
  if (!recipe.name.empty() && !is_plain(recipe.name)) {
    table.problem("name", "expected small letters, digits, '-', '_' and '.'");
  }
  recipe.framework = table.need_string("framework");
  recipe.summary = table.need_string("summary");
  recipe.pythons = table.strings("pythons");
  if (recipe.pythons.empty()) table.problem("pythons", "expected at least one version, such as \"3.11\"");
  recipe.systems = table.strings("systems");
  recipe.prefer_headers = table.boolean("prefer_headers", false);
  recipe.packages = table.strings("packages");
  if (recipe.packages.empty()) table.problem("packages", "expected at least one requirement");
  for (const std::string& package : recipe.packages) {
    if (!is_pinned(package))
      table.problem("packages", fmt::format("expected NAME==VERSION, got '{}'", package));
  }
  recipe.sources = table.strings("sources");
  for (const std::string& source : recipe.sources) {
    const bool named = std::any_of(recipe.packages.begin(), recipe.packages.end(),
                                   [&](const auto& package) { return package.starts_with(source + "=="); });
    if (!named) table.problem("sources", fmt::format("'{}' is none of the packages", source));
  }
  recipe.refuse = table.strings("refuse");
  recipe.cpu_index = table.string("cpu_index");
  recipe.verify = table.need_string("verify");
  recipe.download_mib = table.integer("download_mib", 0, {.min = 0, .max = 1 << 20});
  recipe.disk_mib = table.integer("disk_mib", 0, {.min = 0, .max = 1 << 20});
  recipe.minutes = table.number("minutes", 0);
  table.finish();
  if (Status status = problems.status(); !status) {
    return Error(TargetError::kBadEntry, status.error().message(), status.error().remedy());
  }
  return recipe;
}

Result<Recipes> Recipes::load(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (it->path().extension() == ".toml") files.push_back(it->path());
  }
  if (error) {
    return Error(TargetError::kUnreadable,
                 fmt::format("cannot read {}: {}", folder.native(), error.message()),
                 "reinstall Seamark, or set SEAMARK_HOME");
  }
  std::sort(files.begin(), files.end());
  Recipes recipes;
  for (const std::filesystem::path& file : files) {
    const Result<std::string> text = read_file(file);
    if (!text) return Error(TargetError::kUnreadable, text.error().message());
    Result<Recipe> recipe = parse(*text, file.native());
    if (!recipe) return recipe.error();
    if (recipes.find(recipe->name) != nullptr) {
      return Error(TargetError::kBadEntry,
                   fmt::format("{}: the environment '{}' is defined twice", file.native(), recipe->name));
    }
    recipes.recipes_.push_back(std::move(recipe.value()));
  }
  return recipes;
}

const Recipe* Recipes::find(std::string_view name) const {
  const auto found = std::find_if(recipes_.begin(), recipes_.end(),
                                  [&](const Recipe& recipe) { return recipe.name == name; });
  return found == recipes_.end() ? nullptr : &*found;
}

Result<const Recipe*> Recipes::need(std::string_view name) const {
  if (const Recipe* recipe = find(name)) return recipe;
  std::vector<std::string> names;
  names.reserve(recipes_.size());
  for (const Recipe& recipe : recipes_) names.push_back(recipe.name);
  const std::optional<std::string> near = nearest(name, names);
  return Error(TargetError::kUnknownEnvironment, fmt::format("there is no environment '{}'", name),
               near ? fmt::format("did you mean '{}'? There are: {}", *near, join(names, ", "))
                    : fmt::format("there are: {}", join(names, ", ")));
}

}  // namespace seamark::target
