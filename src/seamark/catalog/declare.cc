#include "seamark/catalog/declare.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "seamark/base/text.h"
#include "seamark/catalog/names.h"

namespace seamark::catalog {
namespace {

// "aten::add@Sparse": the operator, and what its tensors' layout puts before the backend in the key.
std::pair<std::string_view, std::string_view> parts_of(std::string_view op) {
  const std::size_t at = op.find('@');
  if (at == std::string_view::npos) return {op, {}};
  return {op.substr(0, at), op.substr(at + 1)};
}

enum class Answer { kNamed, kMissing, kNotListed };

Answer ask(const DeclaredDevice& device, const Kernels& kernels, std::string_view op) {
  const auto [name, layout] = parts_of(op);
  const auto found = kernels.find(name);
  // A registry lists what has a kernel, PyTorch's table every operator.
  if (found == kernels.end()) return device.file.empty() ? Answer::kNotListed : Answer::kMissing;
  const auto& keys = found->second;
  const std::string wanted = layout.empty() ? device.key : std::string(layout) + device.backend;
  if (keys.contains(wanted)) return Answer::kNamed;
  const bool other = std::any_of(device.also.begin(), device.also.end(),
                                 [&](const auto& key) { return keys.contains(key); });
  return other ? Answer::kNamed : Answer::kMissing;
}

// Whether a kernel for the device takes an operator's types: AddV2 T=float32.
bool takes(const DeclaredDevice& device, const Kernels& kernels, std::string_view typed) {
  const std::vector<std::string_view> parts = split(typed, ' ');
  const auto found = kernels.find(parts.front());
  if (found == kernels.end()) return false;
  const auto has_kernel = [&](const std::string& key) {
    const auto types = found->second.find(key);
    if (types == found->second.end()) return false;
    return std::all_of(parts.begin() + 1, parts.end(), [&](std::string_view part) {
      const std::size_t at = part.find('=');
      const auto allowed = types->second.find(part.substr(0, at));
      return at == std::string_view::npos || allowed == types->second.end() ||
             allowed->second.contains(part.substr(at + 1));
    });
  };
  return has_kernel(device.key) || std::any_of(device.also.begin(), device.also.end(), has_kernel);
}

// The cases of one function against one device.
class Joiner {
 public:
  Joiner(const DeclaredRules& rules, const DeclaredDevice& device, const Kernels& kernels)
      : rules_(rules), device_(device), kernels_(kernels) {}

  void add(const TracedCase& one) {
    host_only_ = host_only_ && one.host_only;
    if (!one.error.empty()) {
      if (reason_.empty()) reason_ = one.error;
      return;
    }
    std::vector<std::string> missing;
    for (const std::string& op : one.operators) {
      if (is_ignored(op)) continue;
      operators_.insert(op);
      const Answer answer = answer_for(op);
      if (answer == Answer::kNotListed) {
        reason_ = fmt::format("{} is no operator of the table", op);
        return;
      }
      if (answer == Answer::kMissing) missing.push_back(op);
    }
    ++cases_;
    if (!one.dtype.empty() && !one.typed.empty()) {
      const bool named = std::all_of(one.typed.begin(), one.typed.end(), [&](const std::string& typed) {
        return is_ignored(split(typed, ' ').front()) || takes(device_, kernels_, typed);
      });
      dtypes_.insert(one.dtype);
      if (!named) dtypes_missing_.insert(one.dtype);
    }
    if (missing.empty()) ++named_;
    missing_.insert(missing.begin(), missing.end());
  }

  void add(const ListedDtypes& listed) {
    dtypes_.insert(listed.named.begin(), listed.named.end());
    dtypes_.insert(listed.missing.begin(), listed.missing.end());
    dtypes_missing_.insert(listed.missing.begin(), listed.missing.end());
  }

  DeclaredFunction finish(const std::string& name) {
    DeclaredFunction function;
    function.name = name;
    function.host_only = host_only_;
    function.cases = cases_;
    function.named = named_;
    function.operators.assign(operators_.begin(), operators_.end());
    function.missing.assign(missing_.begin(), missing_.end());
    function.dtypes.assign(dtypes_.begin(), dtypes_.end());
    function.dtypes_missing.assign(dtypes_missing_.begin(), dtypes_missing_.end());
    function.state = cases_ == 0          ? DeclaredState::kUnknown
                     : operators_.empty() ? DeclaredState::kNoOperator
                     : named_ == cases_   ? DeclaredState::kNamed
                     : named_ == 0        ? DeclaredState::kMissing
                                          : DeclaredState::kPartial;
    std::vector<std::string> notes(notes_.begin(), notes_.end());
    if (!reason_.empty()) notes.push_back((cases_ == 0 ? "" : "not every case was traced: ") + reason_);
    function.note = join(notes, "; ");
    return function;
  }

 private:
  [[nodiscard]] bool is_ignored(std::string_view op) const { return any_glob(rules_.ignored, op); }

  Answer answer_for(const std::string& op) {
    const Answer own = ask(device_, kernels_, op);
    if (own != Answer::kMissing) return own;
    const auto alternative = rules_.alternatives.find(op);
    if (alternative == rules_.alternatives.end()) return own;
    const auto instead = alternative->second.instead.find(device_.name);
    if (instead == alternative->second.instead.end()) return own;
    for (const std::string& other : instead->second) {
      if (ask(device_, kernels_, other) != Answer::kNamed) return Answer::kMissing;
    }
    notes_.insert(fmt::format("{} stands for {}, which only the CPU picks", join(instead->second, ", "), op));
    return Answer::kNamed;
  }

  const DeclaredRules& rules_;
  const DeclaredDevice& device_;
  const Kernels& kernels_;
  bool host_only_ = true;  // of every case
  int cases_ = 0;
  int named_ = 0;
  std::set<std::string> operators_;
  std::set<std::string> missing_;
  std::set<std::string> dtypes_;
  std::set<std::string> dtypes_missing_;
  std::set<std::string> notes_;
  std::string reason_;
};

}  // namespace

std::vector<Declared> declare(const DeclaredRules& rules, const Trace& trace, std::int64_t now_unix_us) {
  std::map<std::string, std::vector<const TracedCase*>> functions;
  for (const TracedCase& one : trace.cases) functions[one.function].push_back(&one);
  std::vector<Declared> list;
  for (const DeclaredDevice& device : rules.devices) {
    const bool own = device.file.empty();
    Declared declared;
    declared.head = {.framework = trace.framework,
                     .version = trace.version,
                     .device = device.name,
                     .family = device.family,
                     .package = device.package,
                     .package_version =
                         device.version.empty() ? std::string(public_version(trace.version)) : device.version,
                     .source = own ? trace.source : device.file,
                     .note = device.note,
                     .taken_unix_us = now_unix_us};
    for (const auto& [name, cases] : functions) {
      Joiner joiner(rules, device, own ? trace.kernels : device.kernels);
      for (const TracedCase* one : cases) joiner.add(*one);
      if (const auto listed = trace.listed.find(name); listed != trace.listed.end()) {
        if (const auto of = listed->second.find(device.name); of != listed->second.end())
          joiner.add(of->second);
      }
      declared.functions.push_back(joiner.finish(name));
    }
    list.push_back(std::move(declared));
  }
  return list;
}

Result<std::vector<Declared>> gather_declared(const agent::AgentProgram& program, const DeclaredRules& rules,
                                              std::span<const std::string> suites, const Value& target,
                                              std::int64_t now_unix_us) {
  const Result<std::string> lines = agent::declared_rows(program, suites, target);
  if (!lines) return lines.error();
  const Result<Trace> trace = decode_trace(*lines);
  if (!trace) return trace.error().within(program.interpreter);
  if (trace->framework != rules.framework) {
    return Error(CatalogError::kBadRow, fmt::format("{} answered for {} when asked for {}",
                                                    program.interpreter, trace->framework, rules.framework));
  }
  return declare(rules, *trace, now_unix_us);
}

}  // namespace seamark::catalog
