// The functions of one framework version, as plain values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace seamark {

// One object, whatever its number of names.
struct CatalogueFunction {
  std::string name;                             // canonical: torch.nn.functional.relu
  std::vector<std::string> aliases;             // its other public names, sorted
  std::vector<std::string> deprecated_aliases;  // those of them whose use is deprecated
  std::string kind;                             // function, class, method, ufunc, callable, module
  std::string holder;                           // of a method: the canonical name of its class
  std::vector<std::string> bases;               // of a class: the public classes it inherits from, in order
  std::string module;                           // that defines it; empty: it does not say
  std::string qualname;                         // within that module; empty: it does not say
  std::string signature;                        // "(input, *, out=None)"; empty: see signature_reason
  std::string signature_from;                   // inspect, docstring
  std::string signature_reason;
  std::string deprecated;  // why; empty: it is not
  bool documented = false;
  std::vector<std::string> declared;  // devices for which this version names a kernel
  std::string note;                   // why it is here though it is no public function
};

// Names that were left out, for one reason.
struct CatalogueExclusion {
  std::string reason;
  std::int64_t count = 0;
  std::vector<std::string> examples;
};

struct CatalogueBroken {
  std::string module;
  std::string error;  // what its import raised
};

struct CatalogueHead {
  std::string framework;
  std::string version;
  std::int64_t rule_version = 0;  // of data/catalog/FRAMEWORK.toml
  std::string python;
  std::int64_t functions = 0;
  std::int64_t modules = 0;   // walked
  std::int64_t flat = 0;      // unique last parts of the names
  std::int64_t flat_all = 0;  // with those of re-exported and inherited functions of other libraries
  std::int64_t taken_unix_us = 0;
};

struct Catalogue {
  CatalogueHead head;
  std::vector<CatalogueFunction> functions;  // by name
  std::vector<CatalogueExclusion> exclusions;
  std::vector<CatalogueBroken> broken;
};

}  // namespace seamark
