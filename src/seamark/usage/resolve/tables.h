// The vocabulary as the scanner looks it up.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "seamark/catalog/names.h"
#include "seamark/usage/resolve/vocabulary.h"

namespace seamark::usage {

// What a qualified name is.
struct Meaning {
  enum class Kind : std::uint8_t {
    kPlain,    // its framework has no catalogue
    kKnown,    // a function or a class: canonical
    kUnknown,  // the catalogue does not know it
    kModule,
  };
  Kind kind = Kind::kPlain;
  std::string_view canonical;
  bool is_class = false;
  std::string_view gives;  // the type of what it returns; empty: not known
};

class Vocabulary::Tables {
 public:
  // `common`: methods of types that stand beside frameworks.
  Tables(std::vector<Framework> frameworks, std::unordered_map<std::string, std::string> factories,
         std::unordered_set<std::string> common);
  void add(Catalogue catalogue);  // of one of the frameworks

  [[nodiscard]] const std::vector<Framework>& frameworks() const { return frameworks_; }
  [[nodiscard]] Meaning meaning(std::uint32_t framework, std::string_view qualified) const;
  // The shorter name that this one stands for, or nothing.
  [[nodiscard]] std::string_view same_as(std::uint32_t framework, std::string_view qualified) const;
  // False: no name whose last part is this one is a class or a factory.
  [[nodiscard]] bool may_give_instance(std::string_view last) const;
  // What `from MODULE import *` binds; nullptr: no catalogue knows the module.
  [[nodiscard]] const std::vector<std::string_view>* names_below(std::string_view module) const;
  struct Method {
    std::uint32_t framework = 0;
    std::string_view canonical;
  };
  // The methods of that last part, of all classes of all catalogues.
  [[nodiscard]] std::span<const Method> methods_named(std::string_view last) const;
  // Whether it is a type that a factory gives.
  [[nodiscard]] bool is_given(std::string_view type) const { return given_.contains(type); }
  // Whether a type that is no framework's has a method of that name.
  [[nodiscard]] bool is_common(std::string_view method) const {
    return common_.contains(std::string(method));
  }
  [[nodiscard]] std::string hash() const;

 private:
  // The public names below a module, which point into the catalogue. Few are ever asked for, so that they are
  // put in order, each once, when they are.
  struct Below {
    std::vector<std::string_view> names;
    bool in_order = false;
  };
  struct Book {
    Catalogue catalogue;
    std::optional<catalog::Names> names;
    std::unordered_map<std::string_view, Below> modules;
  };
  void add_modules(Book& book);

  std::vector<Framework> frameworks_;
  std::unordered_map<std::string, std::string> factories_;
  std::unordered_set<std::string> common_;
  std::unordered_set<std::string_view> given_;   // types that factories give
  std::unordered_set<std::string_view> giving_;  // the last parts of classes and factories
  std::unordered_map<std::string_view, std::vector<Method>> methods_;  // by the last part
  std::vector<std::uint64_t> hashes_;                                  // of the rules and of every function
  bool all_known_ = false;                                             // every framework has a catalogue
  std::vector<std::unique_ptr<Book>> books_;                           // one a framework, or null
  mutable std::mutex below_mutex_;                                     // of every Below
};

}  // namespace seamark::usage
