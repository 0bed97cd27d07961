// What was read from one file: which names are used and bound, in which scope and in which order. Nothing is
// looked up yet, since what a function sees is known only at the end of the scopes around it.
#pragma once

#include <cstdint>
#include <vector>

namespace seamark::usage {

enum class ScopeKind : std::uint8_t { kModule, kFunction, kClass, kLambda, kComprehension };

struct Scope {
  ScopeKind kind = ScopeKind::kModule;
  std::uint32_t parent = 0;    // of the module: itself
  std::uint32_t function = 0;  // the function (or module) that runs it, which may be itself
};

enum class EventKind : std::uint8_t {
  kNothing = 0,    // withdrawn
  kUse = 1,        // a chain
  kUseOnCall = 2,  // one attribute on the call `link`
  kBindUnknown = 3,
  kBindImport = 4,    // to `value`
  kBindChain = 5,     // to what the chain `link` is bound to
  kBindInstance = 6,  // to what the call `link` gives
  kKeep = 7,          // N = None
  kBindStar = 8,      // every public name below `value`
};

struct Event {
  EventKind kind = EventKind::kNothing;
  bool call = false;    // the chain is called
  bool walrus = false;  // stays in its scope when a comprehension takes over what is around it
  std::uint32_t scope = 0;
  std::uint32_t name = 0;        // of the words: a chain's first name, or what is bound
  std::uint32_t attributes = 0;  // the first in Reading::attributes
  std::uint32_t attribute_count = 0;
  std::uint32_t begin = 0;  // of a chain in the text
  std::uint32_t end = 0;
  std::uint32_t call_end = 0;  // behind its call; 0: none, or not closed
  std::uint32_t link = 0;      // another event
  std::uint32_t value = 0;     // Binding
};

// A name that `global` (else `nonlocal`) sends elsewhere.
struct Redirect {
  std::uint32_t scope = 0;
  std::uint32_t name = 0;
  bool global = false;
};

struct Reading {
  std::vector<Event> events;
  std::vector<Scope> scopes;
  std::vector<std::uint32_t> attributes;  // numbers of NameTree::attribute()
  std::vector<Redirect> redirects;
  std::uint32_t frameworks = 0;  // bits
  std::uint32_t unresolved_stars = 0;

  void clear() {
    events.clear();
    scopes.assign(1, Scope{});
    attributes.clear();
    redirects.clear();
    frameworks = 0;
    unresolved_stars = 0;
  }
};

// What a name is bound to: nothing yet, something unknown, or a node of the NameTree, as itself, as an
// instance of it, or as a module by `import`.
enum BindingFlags : std::uint32_t { kPlain = 0, kInstance = 1, kByImport = 2 };
inline constexpr std::uint32_t kUnbound = 0;
inline constexpr std::uint32_t kUnknown = 1u << 2;
constexpr std::uint32_t bound_to(std::uint32_t node, BindingFlags flags) { return ((node + 2) << 2) | flags; }
constexpr bool is_known(std::uint32_t binding) { return binding >= (2u << 2); }
constexpr std::uint32_t node_of(std::uint32_t binding) { return (binding >> 2) - 2; }
constexpr bool is_instance(std::uint32_t binding) { return (binding & kInstance) != 0; }

}  // namespace seamark::usage
