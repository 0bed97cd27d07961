#include "seamark/usage/resolve/vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "seamark/base/config.h"
#include "seamark/base/fd.h"
#include "seamark/base/text.h"
#include "seamark/base/value.h"
#include "seamark/usage/resolve/tables.h"

namespace seamark::usage {

namespace {

// Without a catalogue: Linear, Conv2d; not LSTM, E, relu.
bool looks_like_class(std::string_view qualified) {
  const std::string_view last = last_part(qualified);
  return !last.empty() && last[0] >= 'A' && last[0] <= 'Z' &&
         std::any_of(last.begin(), last.end(), [](char c) { return c >= 'a' && c <= 'z'; });
}

Result<Value> read_document(const std::filesystem::path& file) {
  const Result<std::string> text = read_file(file.string());
  if (!text) return Error(UsageError::kBadRules, text.error().message(), text.error().remedy());
  Result<Value> document = parse_toml(*text, file.string());
  if (!document) {
    return Error(UsageError::kBadRules, document.error().message(), document.error().remedy());
  }
  return document;
}

Status as_rules(const Status& status) {
  if (status) return {};
  return Error(UsageError::kBadRules, status.error().message(), status.error().remedy());
}

using Factories = std::unordered_map<std::string, std::string>;

Status read_factories(const std::filesystem::path& file, Factories& factories) {
  const Result<Value> document = read_document(file);
  if (!document) return document.error();
  Problems problems(file.string());
  TableReader top(*document, problems);
  for (TableReader& table : top.tables("factory")) {
    const std::string type = table.need_string("type");
    for (const std::string& name : table.strings("names")) {
      if (!factories.emplace(name, type).second) {
        table.problem("names", fmt::format("'{}' stands here twice", name));
      }
    }
    table.finish();
  }
  top.finish();
  return as_rules(problems.status());
}

using Common = std::unordered_set<std::string>;

Status read_common(const std::filesystem::path& file, Common& common) {
  const Result<Value> document = read_document(file);
  if (!document) return document.error();
  Problems problems(file.string());
  TableReader top(*document, problems);
  for (TableReader& table : top.tables("types")) {
    static_cast<void>(table.need_string("of"));
    for (const std::string& name : table.strings("names")) common.insert(name);
    table.finish();
  }
  top.finish();
  return as_rules(problems.status());
}

std::uint64_t hash_of_rules(const std::vector<Framework>& frameworks, const Factories& factories,
                            const Common& common) {
  std::vector<std::string> lines;
  for (const Framework& one : frameworks) {
    lines.push_back(fmt::format("root {} {} {}", one.name, one.module, one.root));
    for (const auto& [name, other] : one.same) lines.push_back(fmt::format("same {} {}", name, other));
  }
  for (const auto& [name, type] : factories) lines.push_back(fmt::format("factory {} {}", name, type));
  for (const std::string& name : common) lines.push_back("common " + name);
  std::sort(lines.begin(), lines.end());
  return fnv1a64(join(lines, "\n"));
}

std::uint64_t hash_of_function(const std::string& framework, const CatalogueFunction& function) {
  std::vector<std::string_view> fields = {framework, function.name, function.kind};
  fields.insert(fields.end(), function.aliases.begin(), function.aliases.end());
  fields.emplace_back();
  fields.insert(fields.end(), function.bases.begin(), function.bases.end());
  return fnv1a64_fields(fields);
}

}  // namespace

Vocabulary::Vocabulary(std::unique_ptr<Tables> tables) : tables_(std::move(tables)) {}
Vocabulary::Vocabulary(Vocabulary&&) noexcept = default;
Vocabulary& Vocabulary::operator=(Vocabulary&&) noexcept = default;
Vocabulary::~Vocabulary() = default;

std::span<const Framework> Vocabulary::frameworks() const { return tables_->frameworks(); }
std::string Vocabulary::hash() const { return tables_->hash(); }

Result<Vocabulary> Vocabulary::load(const std::filesystem::path& folder, std::vector<Catalogue> catalogues) {
  Result<Frameworks> known = Frameworks::load(folder.parent_path() / "frameworks.toml");
  if (!known) return Error(UsageError::kBadRules, known.error().message(), known.error().remedy());
  Factories factories;
  if (Status status = read_factories(folder / "factories.toml", factories); !status) return status.error();
  Common common;
  if (Status status = read_common(folder / "common_methods.toml", common); !status) return status.error();
  Vocabulary vocabulary(std::make_unique<Tables>(known->all(), std::move(factories), std::move(common)));
  vocabulary.add(std::move(catalogues));
  return vocabulary;
}

void Vocabulary::add(std::vector<Catalogue> catalogues) {
  for (Catalogue& catalogue : catalogues) tables_->add(std::move(catalogue));
}

Vocabulary::Tables::Tables(std::vector<Framework> frameworks, Factories factories, Common common)
    : frameworks_(std::move(frameworks)),
      factories_(std::move(factories)),
      common_(std::move(common)),
      books_(frameworks_.size()) {
  for (const auto& [name, type] : factories_) {
    giving_.emplace(last_part(name));
    given_.emplace(type);
  }
  hashes_.push_back(hash_of_rules(frameworks_, factories_, common_));
}

// In whichever order catalogues and functions came.
std::string Vocabulary::Tables::hash() const {
  std::vector<std::uint64_t> hashes = hashes_;
  std::sort(hashes.begin(), hashes.end());
  const auto* bytes = reinterpret_cast<const char*>(hashes.data());
  return to_hex(fnv1a64({bytes, hashes.size() * sizeof hashes[0]}));
}

void Vocabulary::Tables::add(Catalogue catalogue) {
  const auto framework = std::find_if(frameworks_.begin(), frameworks_.end(), [&](const Framework& one) {
    return one.name == catalogue.head.framework || one.root == catalogue.head.framework;
  });
  if (framework == frameworks_.end()) return;  // nothing of it can be imported
  auto book = std::make_unique<Book>();
  book->catalogue = std::move(catalogue);
  for (const CatalogueFunction& function : book->catalogue.functions) {
    hashes_.push_back(hash_of_function(book->catalogue.head.framework, function));
    if (function.kind != "class" && !factories_.contains(function.name)) continue;
    giving_.emplace(last_part(function.name));
    for (const std::string& alias : function.aliases) giving_.emplace(last_part(alias));
  }
  const auto number = static_cast<std::uint32_t>(framework - frameworks_.begin());
  for (const CatalogueFunction& function : book->catalogue.functions) {
    if (function.kind == "method") methods_[last_part(function.name)].push_back({number, function.name});
  }
  book->names.emplace(book->catalogue);
  add_modules(*book);
  books_[static_cast<std::size_t>(framework - frameworks_.begin())] = std::move(book);
  all_known_ = std::all_of(books_.begin(), books_.end(), [](const auto& one) { return one != nullptr; });
}

void Vocabulary::Tables::add_modules(Book& book) {
  // Names lie in order, so that many in a row stand below the same.
  std::string_view parent;
  Below* below_parent = nullptr;  // it is a class
  const auto add = [&](std::string_view name) {
    for (std::size_t dot = name.rfind('.'); dot != std::string_view::npos; dot = name.rfind('.')) {
      const std::string_view last = name.substr(dot + 1);
      const bool is_public = !last.empty() && last[0] != '_';
      name = name.substr(0, dot);
      if (name == parent) {
        if (below_parent != nullptr && is_public) below_parent->names.push_back(last);
        return;  // what stands above it knows it
      }
      parent = name;
      below_parent = nullptr;
      const auto index = book.names->find_exact(name);
      if (index && book.catalogue.functions[*index].kind != "module") continue;
      const auto [module, is_new] = book.modules.try_emplace(name);
      below_parent = &module->second;
      if (is_public) below_parent->names.push_back(last);
      if (!is_new) return;
    }
  };
  for (const CatalogueFunction& function : book.catalogue.functions) {
    add(function.name);
    if (function.kind == "module") book.modules[function.name];
  }
  for (const CatalogueFunction& function : book.catalogue.functions) {
    for (const std::string& alias : function.aliases) add(alias);
  }
}

Meaning Vocabulary::Tables::meaning(std::uint32_t framework, std::string_view qualified) const {
  Meaning found;
  const auto gives = [&](std::string_view name) {
    const auto factory = factories_.find(std::string(name));
    if (found.gives.empty() && factory != factories_.end()) found.gives = factory->second;
  };
  gives(qualified);
  const Book* book = books_[framework].get();
  if (book == nullptr) {
    found.is_class = looks_like_class(qualified);
    return found;
  }
  if (book->modules.contains(qualified)) {
    found.kind = Meaning::Kind::kModule;
  } else if (const auto index = book->names->find(qualified)) {
    const CatalogueFunction& function = book->catalogue.functions[*index];
    found.kind = Meaning::Kind::kKnown;
    found.canonical = function.name;
    found.is_class = function.kind == "class";
    gives(function.name);
  } else {
    found.kind = Meaning::Kind::kUnknown;
  }
  return found;
}

std::span<const Vocabulary::Tables::Method> Vocabulary::Tables::methods_named(std::string_view last) const {
  const auto found = methods_.find(last);
  return found == methods_.end() ? std::span<const Method>() : std::span(found->second);
}

bool Vocabulary::Tables::may_give_instance(std::string_view last) const {
  return (!all_known_ && looks_like_class(last)) || giving_.contains(last);
}

std::string_view Vocabulary::Tables::same_as(std::uint32_t framework, std::string_view qualified) const {
  for (const auto& [name, other] : frameworks_[framework].same) {
    if (name == qualified) return other;
  }
  return {};
}

const std::vector<std::string_view>* Vocabulary::Tables::names_below(std::string_view module) const {
  for (const auto& book : books_) {
    if (!book) continue;
    const auto found = book->modules.find(module);
    if (found == book->modules.end()) continue;
    const std::scoped_lock lock(below_mutex_);
    Below& below = found->second;
    if (!below.in_order) {
      std::sort(below.names.begin(), below.names.end());
      below.names.erase(std::unique(below.names.begin(), below.names.end()), below.names.end());
      below.in_order = true;
    }
    return &below.names;
  }
  return nullptr;
}

}  // namespace seamark::usage
