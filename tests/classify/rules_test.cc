#include "seamark/classify/rules.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <set>

#include "../known_frameworks.h"
#include "seamark/base/fd.h"
#include "seamark/base/text.h"
#include "seamark/base/value.h"

namespace seamark::classify {
namespace {

using testing::HasSubstr;

const std::string kRules = std::string(SEAMARK_SOURCE_DIR) + "/data/classification";

RuleSet shipped() {
  Result<RuleSet> rules = RuleSet::load(kRules);
  if (!rules) throw std::runtime_error(rules.error().message());
  return std::move(*rules);
}

Attempt failure(std::string target, std::string type, std::string message, std::string stage = "call") {
  Attempt attempt;
  attempt.target = std::move(target);
  attempt.outcome = Outcome::kFail;
  attempt.failure = Failure{.stage = std::move(stage),
                            .type = std::move(type),
                            .message = std::move(message),
                            .traceback = {},
                            .precision_rerun = {},
                            .failing_call = {}};
  return attempt;
}

TEST(Rules, EachMatchesItsExample) {
  const RuleSet rules = shipped();
  EXPECT_GT(rules.rules().size(), 50);
  for (const Rule& rule : rules.rules()) {
    const std::string framework = rule.framework == "*" ? "torch" : rule.framework;
    const std::string family = rule.families.empty() ? "cpu" : rule.families.front();
    const std::string target =
        fmt::format("{}/{}{}", framework, family, rule.modes.empty() ? "" : "+" + rule.modes.front());
    Attempt attempt = failure(target, rule.example_type, rule.example, rule.example_stage);
    attempt.outcome = rule.outcome.value();
    const std::optional<Classification> got = rules.classify(attempt);
    ASSERT_TRUE(got.has_value()) << rule.id;
    EXPECT_EQ(got->rule, rule.id) << rule.example;
    EXPECT_EQ(got->category, rule.category) << rule.id;
    EXPECT_EQ(rules.operators(rule.id, rule.example).empty(), rule.operators.empty()) << rule.id;
  }
}

// Real messages with the category that a person gave them.
TEST(Rules, EachIsOfAFrameworkThatIsKnown) {
  const Frameworks known = known_frameworks();
  const RuleSet rules = shipped();
  for (const Rule& rule : rules.rules())
    EXPECT_TRUE(rule.framework == "*" || known.has(rule.framework)) << rule.id;
}

TEST(Rules, ClassifyRealErrors) {
  const RuleSet rules = shipped();
  const Result<std::string> text = read_file(SEAMARK_SOURCE_DIR "/tests/classify/errors.jsonl");
  ASSERT_TRUE(text.ok());
  int count = 0;
  int naming = 0;  // a missing operator
  std::set<std::string> labels;
  for (const std::string_view line : split_lines(*text)) {
    const Result<Value> error = parse_json(line);
    ASSERT_TRUE(error.ok()) << line;
    const std::string label = error->string_or("label", "");
    const Attempt attempt = failure(error->string_or("target", ""), error->string_or("type", ""),
                                    error->string_or("message", ""), error->string_or("stage", ""));
    const std::optional<Classification> got = rules.classify(attempt);
    ASSERT_TRUE(got.has_value());
    EXPECT_EQ(name_of(got->category), label) << got->rule << ": " << error->string_or("source", "") << ": "
                                             << error->string_or("message", "").substr(0, 300);
    std::vector<std::string> operators;
    if (const Value* named = error->find("operators")) {
      for (const Value& name : named->as_array()) operators.push_back(name.as_string());
    }
    EXPECT_EQ(rules.operators(got->rule, attempt.failure->message), operators) << attempt.failure->message;
    naming += operators.empty() ? 0 : 1;
    labels.insert(label);
    ++count;
  }
  EXPECT_GT(naming, 60);
  EXPECT_GT(count, 400);
  EXPECT_GE(labels.size(), 8);
}

TEST(Rules, OutcomesThatNeedNoRule) {
  const RuleSet none;
  Attempt attempt = failure("torch/cpu", "", "");
  attempt.outcome = Outcome::kTimeout;
  EXPECT_EQ(none.classify(attempt)->category, Category::kTimeout);
  attempt.outcome = Outcome::kCrash;
  EXPECT_EQ(none.classify(attempt)->category, Category::kCrash);
  attempt.target = "tensorflow/cpu+graph";
  EXPECT_EQ(none.classify(attempt)->category, Category::kCrash);
  attempt.target = "jax/cpu";
  EXPECT_EQ(none.classify(attempt)->category, Category::kCrash);
  attempt.failure->stage = "compile";
  EXPECT_EQ(none.classify(attempt)->category, Category::kCompilerCrash);
  attempt.failure.reset();
  EXPECT_EQ(none.classify(attempt)->category, Category::kCrash);
  for (const Outcome outcome : {Outcome::kPass, Outcome::kSkip, Outcome::kError}) {
    attempt.outcome = outcome;
    EXPECT_FALSE(none.classify(attempt).has_value());
  }
}

TEST(Rules, WrongResultsAreToldFromWantOfPrecision) {
  const RuleSet rules = shipped();
  Attempt attempt = failure("torch/cpu", "AssertionError", "\"x\" not implemented for 'Half'", "compare");
  EXPECT_EQ(rules.classify(attempt)->category, Category::kWrongResult);
  attempt.failure->precision_rerun = "fail";
  EXPECT_EQ(rules.classify(attempt)->category, Category::kWrongResult);
  attempt.failure->precision_rerun = "pass";
  EXPECT_EQ(rules.classify(attempt)->category, Category::kFloatPrecision);
  attempt.failure->stage = "call";
  EXPECT_EQ(rules.classify(attempt)->category, Category::kType);
}

TEST(Rules, AGapOfTheBridgeIsNeverBlamedOnTheDevice) {
  const RuleSet rules = shipped();
  const char* const text = "MLIR translation rule for primitive 'eig' not found for platform tpu";
  for (const char* message : {"something else went wrong", "UNIMPLEMENTED: x", text}) {
    const Attempt attempt = failure("torch/tpu-v3+aot", "NotImplementedError", message, "bridge");
    EXPECT_EQ(rules.classify(attempt)->category, Category::kBridge) << message;
  }
  const Attempt attempt = failure("torch/tpu-v3+aot", "NotImplementedError", text, "lower");
  EXPECT_EQ(rules.classify(attempt)->category, Category::kNotImplemented);
}

TEST(Rules, ACauseThatARuleKnowsFromTheBridgeIsToldThere) {
  const RuleSet rules = shipped();
  const Attempt nonzero =
      failure("torch/tpu-v5e+aot", "jax.errors.ConcretizationTypeError",
              "Abstract tracer value encountered where concrete value is expected: traced array with shape "
              "int32[]\nThe size argument of jnp.nonzero must be statically specified to use jnp.nonzero "
              "within JAX transformations.",
              "bridge");
  EXPECT_EQ(rules.classify(nonzero)->category, Category::kDynamicShape);
}

// PyTorch's own modules lose functions with its versions; a plug-in's module has them or not.
TEST(Rules, WhatADevicesOwnModuleLacksIsNotImplemented) {
  const RuleSet rules = shipped();
  const auto category = [&](const char* target, const char* message) {
    return rules.classify(failure(target, "AttributeError", message))->category;
  };
  for (const char* message :
       {"module 'torch.minidev' has no attribute 'memory_allocated'",
        "module 'torch_minidev.minidev' has no attribute 'current_stream'",
        "module 'minidev' has no attribute 'Event'", "module 'torch' has no attribute 'minidev'"}) {
    EXPECT_EQ(category("torch/minidev", message), Category::kNotImplemented) << message;
    EXPECT_NE(category("torch/cpu", message), Category::kNotImplemented) << message;
  }
  EXPECT_EQ(category("torch/minidev", "module 'torch' has no attribute 'gels'"), Category::kRemoved);
  EXPECT_EQ(category("torch/cuda", "module 'torch.cuda' has no attribute 'gone'"), Category::kRemoved);
  EXPECT_EQ(category("torch/xla", "module 'torch_xla.core.xla_model' has no attribute 'xrt_world_size'"),
            Category::kRemoved);
}

// What an environment lacks says nothing of the device. A device's own API that another device is asked for
// does.
TEST(Rules, AnotherDevicesApiIsNoMissingDependency) {
  const RuleSet rules = shipped();
  struct Call {
    const char* framework;
    const char* type;
    const char* message;
    std::vector<std::string> own;  // targets whose own device it is: their environment lacks its library
  };
  const std::string no_gpu =
      "Could not satisfy device specification '/job:localhost/replica:0/task:0/device:GPU:0'. "
      "enable_soft_placement=0. Supported device types [CPU]. All available devices "
      "[/job:localhost/replica:0/task:0/device:CPU:0].";
  const std::vector<std::string> cuda = {"cuda", "cuda-h100+aot"};
  const std::vector<std::string> tpu = {"tpu", "tpu-v3+aot"};
  const std::vector<Call> calls = {
      {"torch", "AssertionError", "Torch not compiled with CUDA enabled", cuda},
      {"torch", "RuntimeError", "Found no NVIDIA driver on your system. Please check that you have one",
       cuda},
      {"torch", "RuntimeError", "torch.cuda.Stream requires CUDA support", cuda},
      {"torch", "RuntimeError", "Tried to instantiate dummy base class CUDAGraph", cuda},
      {"torch", "RuntimeError", "Distributed package doesn't have NCCL built in", cuda},
      {"torch", "AttributeError", "module 'torch._C' has no attribute '_cuda_setDevice'", cuda},
      {"torch", "AttributeError", "module 'torch._C' has no attribute '_nccl_version'", cuda},
      {"torch", "ModuleNotFoundError", "nvidia-ml-py does not seem to be installed or it can't be imported.",
       cuda},
      {"torch", "OSError", "libcuda.so.1: cannot open shared object file: No such file or directory", cuda},
      {"torch", "AssertionError", "Jiterator is only supported on CUDA and ROCm GPUs, none are available.",
       cuda},
      {"torch", "AssertionError", "Torch not compiled with XPU enabled", {"xpu"}},
      {"torch", "RuntimeError", "Cannot execute deviceSynchronize() without MPS backend.", {"mps"}},
      {"torch", "ModuleNotFoundError", "No module named 'torch.hpu'", {"hpu"}},
      {"tensorflow", "InvalidArgumentError", no_gpu.c_str(), cuda},
      {"tensorflow", "ValueError", "No matching devices found for 'GPU:0'", cuda},
      {"tensorflow", "ValueError", "Please provide a TPU Name to connect to.", tpu},
      {"jax", "RuntimeError", "Unknown backend cuda. Available backends are ['cpu']", cuda},
      {"jax",
       "RuntimeError",
       "Unknown backend: 'gpu' requested, but no platforms that are instances of gpu are present. Platforms "
       "present are: cpu",
       {"cuda", "cuda-h100+aot", "rocm"}},
      {"jax", "RuntimeError", "Unknown backend tpu. Available backends are ['cpu']", tpu},
      {"jax", "RuntimeError", "Unknown backend rocm. Available backends are ['cpu']", {"rocm"}},
      {"jax", "ValueError", "Only interpret mode is supported on CPU backend.", {}},
      {"jax", "AttributeError",
       "module 'jaxlib.gpu_rnn' has no attribute 'compute_rnn_workspace_reserve_space_sizes'", cuda},
  };
  for (const Call& call : calls) {
    for (const char* device : {"cpu", "lazy", "meta", "xla", "cuda", "cuda-h100+aot", "mps", "rocm", "xpu",
                               "hpu", "tpu", "tpu-v3+aot", "cpu+inductor"}) {
      const bool own = std::find(call.own.begin(), call.own.end(), device) != call.own.end();
      const Category expected = own ? Category::kMissingDependency : Category::kNotImplemented;
      const std::optional<Classification> got =
          rules.classify(failure(fmt::format("{}/{}", call.framework, device), call.type, call.message));
      EXPECT_EQ(got->category, expected)
          << call.framework << '/' << device << ": " << call.message << " by " << got->rule;
    }
  }
}

TEST(Rules, AMissingPackageOrLibraryIsMissingOnEveryTarget) {
  const RuleSet rules = shipped();
  const std::vector<std::array<const char*, 3>> calls = {
      {"tensorflow", "ImportError", "You must install pydot (`pip install pydot`) for `plot_model` to work."},
      {"tensorflow", "RuntimeError", "Tensorflow has not been built with TensorRT support."},
      {"tensorflow", "ImportError", "Could not import PIL.Image. The use of `load_img` requires PIL."},
      {"torch", "AttributeError", "'_OpNamespace' 'torchvision' object has no attribute 'nms'"},
      {"torch", "ModuleNotFoundError", "No module named 'torch_xla'"},
      {"torch", "RuntimeError", "fft: ATen not compiled with MKL support"},
      {"torch", "RuntimeError",
       "Calling torch.linalg.lstsq on a CPU tensor requires compiling PyTorch with LAPACK. Please use "
       "PyTorch "
       "built with LAPACK support."},
      {"torch", "RuntimeError",
       "Cannot set preferred backend to MAGMA if PyTorch has not been compiled with MAGMA."},
      {"torch", "RuntimeError", "This PyTorch installation was not built with FBGEMM operators"},
      {"torch", "RuntimeError", "Not Implemented! Reason: PyTorch not built with XNNPACK support."},
      {"torch", "RuntimeError",
       "Distributed package doesn't have MPI built in. MPI is only included if you build PyTorch from source "
       "on a host that has MPI installed."},
      {"torch", "torch._inductor.exc.InductorError",
       "InvalidCxxCompiler: No working C++ compiler found in torch._inductor.config.cpp.cxx: ('g++',)"},
      {"jax", "ImportError", "Please install 'flatbuffers' in order to use Exported serialization"},
      {"jax", "ModuleNotFoundError", "No module named 'absl'"},
  };
  for (const auto& [framework, type, message] : calls) {
    for (const char* device : {"cpu", "cuda", "tpu-v3+aot"}) {
      const auto got = rules.classify(failure(fmt::format("{}/{}", framework, device), type, message));
      EXPECT_EQ(got->category, Category::kMissingDependency)
          << device << ": " << message << " by " << got->rule;
    }
  }
}

TEST(Rules, WhatMatchesNothingIsUnclassified) {
  const RuleSet rules = shipped();
  for (const char* type : {"RuntimeError", "ValueError", "KeyError", "", "MyError"}) {
    const std::optional<Classification> got =
        rules.classify(failure("torch/cpu", type, "something else went wrong"));
    ASSERT_TRUE(got.has_value());
    EXPECT_EQ(got->category, Category::kUnclassified) << type << " " << got->rule;
    EXPECT_EQ(got->rule, "");
  }
}

TEST(Rules, TheOutputOfADeadProcessIsRead) {
  const RuleSet rules = shipped();
  Attempt attempt = failure("torch/cpu", "signal", "killed by SIGABRT");
  attempt.outcome = Outcome::kCrash;
  EXPECT_EQ(rules.classify(attempt)->category, Category::kCrash);
  attempt.capture = "terminate called after throwing an instance of 'std::bad_alloc'";
  EXPECT_EQ(rules.classify(attempt)->category, Category::kMemory);
}

// A mode may be no compiler: tf.function and a session only build graphs.
TEST(Rules, ACrashIsTheCompilersOnlyWhereOneIsAtWork) {
  const RuleSet rules = shipped();
  const auto category = [&](const char* target, const char* stage) {
    Attempt attempt = failure(target, "signal", "killed by SIGSEGV", stage);
    attempt.outcome = Outcome::kCrash;
    return rules.classify(attempt)->category;
  };
  for (const char* target : {"torch/cpu+inductor", "torch/cuda+inductor", "tensorflow/cpu+xla",
                             "jax/tpu-v3+aot", "jax/tpu-v5e+aot"}) {
    EXPECT_EQ(category(target, ""), Category::kCompilerCrash) << target;
  }
  for (const char* target :
       {"tensorflow/cpu+graph", "tensorflow/cuda+graph", "tensorflow/cpu+v1", "torch/cpu", "jax/cpu"}) {
    EXPECT_EQ(category(target, "call"), Category::kCrash) << target;
    EXPECT_EQ(category(target, "compile"), Category::kCompilerCrash) << target;
  }
  // What it said before it died counts for more.
  Attempt attempt = failure("torch/cpu+inductor", "signal", "killed by SIGABRT");
  attempt.outcome = Outcome::kCrash;
  attempt.capture = "terminate called after throwing an instance of 'std::bad_alloc'";
  EXPECT_EQ(rules.classify(attempt)->category, Category::kMemory);
  // An exception on such a target says nothing yet.
  EXPECT_EQ(rules.classify(failure("torch/cpu+inductor", "RuntimeError", "killed"))->category,
            Category::kUnclassified);
  // Nor does a crash of which no target is known.
  EXPECT_EQ(rules.match({.framework = "jax", .type = "signal", .message = "killed by SIGSEGV", .died = true}),
            nullptr);
}

TEST(Rules, LongHostileTextsAreQuick) {
  const RuleSet rules = shipped();
  const auto start = std::chrono::steady_clock::now();
  for (const std::string& part : {std::string("a"), std::string("\" not implemented for "),
                                  std::string("Could not run 'aten::"), std::string(1, '\0')}) {
    std::string text;
    while (text.size() < (16 << 10)) text += part;
    for (int i = 0; i < 20; ++i) static_cast<void>(rules.classify(failure("torch/cpu", "E", text)));
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  EXPECT_LT(seconds / 80, 0.02);  // of the largest message that the agent sends
}

constexpr std::string_view kGood = R"(
[[rule]]
id = "a"
framework = "torch"
all = ["x"]
category = "type"
example = "x"
source = "here"
)";

TEST(RuleFiles, MistakesAreNamedWithFileAndLine) {
  EXPECT_TRUE(RuleSet::parse(kGood, "r.toml").ok());
  const auto refused = [](std::string_view from, std::string_view to) {
    const auto rules = RuleSet::parse(replace_all(kGood, from, to), "r.toml");
    EXPECT_FALSE(rules.ok()) << to;
    if (rules.ok()) return std::string();
    EXPECT_TRUE(rules.error().is(ClassifyError::kBadRule));
    EXPECT_THAT(rules.error().message(), HasSubstr("r.toml"));
    return rules.error().message();
  };
  EXPECT_THAT(refused("category = \"type\"", "category = \"typo\""), HasSubstr("r.toml:6: "));
  refused("category = \"type\"", "category = \"unclassified\"");
  EXPECT_THAT(refused("all = [\"x\"]", ""), HasSubstr("match everything"));
  refused("all = [\"x\"]", "all = [\"\"]");
  refused("all = [\"x\"]", "all = \"x\"");
  refused("all = [\"x\"]", "modes = [\"xla\"]");  // whatever fails there
  refused("all = [\"x\"]", "families = [\"cuda\"]");
  EXPECT_THAT(refused("all = [\"x\"]", "all = [\"x\"]\nfamilies = [\"torch/cuda\"]"), HasSubstr("families"));
  refused("all = [\"x\"]", "all = [\"x\"]\nfamilies = [\"cuda-h100\"]");
  refused("all = [\"x\"]", "all = [\"x\"]\nfamilies = \"cuda\"");
  refused("all = [\"x\"]", "all = [\"x\"]\nwith = [\"x\"]");
  refused("all = [\"x\"]", "any = [\"x\"]\nwith = [\"\"]");
  refused("id = \"a\"", "");
  refused("example = \"x\"", "");
  refused("source = \"here\"", "");
  refused("framework = \"torch\"", "priority = 1000");
  refused("framework = \"torch\"", "regex = \"a\"");
  refused("all = [\"x\"]", "all = [\"x\"]\noperators = [\"x\"]");
  refused("all = [\"x\"]", "all = [\"x\"]\noperators = [\"{}\"]");
  refused("[[rule]]", "[[rule");
  EXPECT_THAT(RuleSet::parse(std::string(kGood) + std::string(kGood), "r.toml").error().message(),
              HasSubstr("'a'"));
}

TEST(RuleFiles, TheVersionIsOfWhatTheRulesSay) {
  const auto version = [](std::string_view from, std::string_view to) {
    return RuleSet::parse(replace_all(kGood, from, to), "r.toml").value().version();
  };
  const std::string same = version("", "");
  EXPECT_EQ(same.size(), 16);
  EXPECT_EQ(version("here", "there"), same);
  EXPECT_NE(version("all = [\"x\"]", "all = [\"y\"]"), same);
  EXPECT_NE(version("all = [\"x\"]", "any = [\"x\"]"), same);
  EXPECT_NE(version("all = [\"x\"]", "all = [\"x\"]\nmodes = [\"xla\"]"), same);
  EXPECT_NE(version("all = [\"x\"]", "all = [\"x\"]\nfamilies = [\"cuda\"]"), same);
  EXPECT_NE(version("all = [\"x\"]", "any = [\"x\"]\nwith = [\"x\"]"),
            version("all = [\"x\"]", "any = [\"x\"]"));
  EXPECT_NE(version("\"type\"", "\"memory\""), same);
  EXPECT_NE(version("all = [\"x\"]", "all = [\"x\"]\noperators = [\"x {}\"]"), same);
  EXPECT_NE(shipped().version(), same);
}

TEST(RuleFiles, PriorityComesFirstThenOrder) {
  const std::string second = replace_all(replace_all(kGood, "\"a\"", "\"b\""), "\"type\"", "\"memory\"");
  const RuleSet in_order = RuleSet::parse(std::string(kGood) + second, "r.toml").value();
  EXPECT_EQ(in_order.classify(failure("torch/cpu", "E", "x"))->rule, "a");
  const std::string urgent = replace_all(second, "all =", "priority = 51\nall =");
  const RuleSet ranked = RuleSet::parse(std::string(kGood) + urgent, "r.toml").value();
  EXPECT_EQ(ranked.classify(failure("torch/cpu", "E", "x"))->rule, "b");
}

TEST(RuleFiles, WithAsksForOneMoreText) {
  const RuleSet rules =
      RuleSet::parse(replace_all(kGood, "all = [\"x\"]", "any = [\"not\", \"no\"]\nwith = [\"x\", \"y\"]"),
                     "r.toml")
          .value();
  EXPECT_EQ(rules.classify(failure("torch/cpu", "E", "not y"))->rule, "a");
  EXPECT_EQ(rules.classify(failure("torch/cpu", "E", "x no"))->rule, "a");
  EXPECT_EQ(rules.classify(failure("torch/cpu", "E", "not z"))->rule, "");
  EXPECT_EQ(rules.classify(failure("torch/cpu", "E", "x and y"))->rule, "");
}

TEST(RuleFiles, FamiliesAreOfTheTargetWhateverItsGenerationAndMode) {
  const RuleSet rules =
      RuleSet::parse(replace_all(kGood, "all =", "families = [\"cuda\", \"tpu\"]\nall ="), "r.toml").value();
  for (const char* target : {"torch/cuda", "torch/cuda+inductor", "torch/tpu-v3+aot", "torch/cuda-h100+aot"})
    EXPECT_EQ(rules.classify(failure(target, "E", "x"))->rule, "a") << target;
  for (const char* target :
       {"torch/cpu", "torch/xla-tpu", "torch", "torch/", "jax/cuda", "torch/cud", "cuda"})
    EXPECT_EQ(rules.classify(failure(target, "E", "x"))->rule, "") << target;
  // A text says of no target.
  EXPECT_EQ(rules.match({.framework = "torch", .type = "E", .message = "x"}), nullptr);
}

TEST(RuleFiles, OperatorsStandWhereTheRuleSaysSo) {
  const auto named = [](const std::string& pattern, std::string_view message) {
    const std::string rules = replace_all(kGood, "all =", "operators = [\"" + pattern + "\"]\nall =");
    return RuleSet::parse(rules, "r.toml").value().operators("a", message);
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(named("No '{}' here", "No 'B' here, No 'a::b.c' here, No 'B' here"), (Names{"B", "a::b.c"}));
  EXPECT_EQ(named("No '{}' here", "No 'B' there, No '' here, No 'x y' here, No 'z"), Names());
  EXPECT_EQ(named("without: {}", "without: aten::a, aten::b.out (on the host)"),
            (Names{"aten::a", "aten::b.out"}));
  EXPECT_EQ(named("without {}", "without aten::a."), Names{"aten::a"});
  EXPECT_EQ(named("kernel for {}:", "kernel for Lu:\n none"), Names{"Lu"});
  EXPECT_EQ(named("{} is missing", "x: conv_2d is missing"), Names{"conv_2d"});
  EXPECT_EQ(named("{} is missing", " is missing"), Names());
  EXPECT_EQ(RuleSet::parse(kGood, "r.toml").value().operators("b", "x"), Names());  // there is no such rule
}

TEST(RuleFiles, FamilyInATextIsTheTargetsDevice) {
  const RuleSet rules = RuleSet::parse(
                            "[[rule]]\nid = \"r\"\nany = [\"torch.{family}'\"]\ncategory = \"type\"\n"
                            "example = \"torch.cpu'\"\nsource = \"here\"\n",
                            "r.toml")
                            .value();
  EXPECT_EQ(rules.classify(failure("torch/npu-910+graph", "E", "module 'torch.npu'"))->rule, "r");
  EXPECT_EQ(rules.classify(failure("torch/cpu", "E", "module 'torch.npu'"))->rule, "");
  EXPECT_EQ(rules.match({"torch", "E", "module 'torch.npu' or 'torch.'", false, false}), nullptr);
}

TEST(RuleFiles, InTheBridgeOnlyItsRulesAreAsked) {
  const RuleSet rules = RuleSet::parse(
                            "[[rule]]\nid = \"any\"\nall = [\"x\"]\ncategory = \"type\"\nexample = \"x\"\n"
                            "source = \"here\"\n[[rule]]\nid = \"there\"\nall = [\"y\"]\nstage = \"bridge\"\n"
                            "category = \"memory\"\nexample = \"y\"\nsource = \"here\"\n",
                            "r.toml")
                            .value();
  EXPECT_EQ(rules.classify(failure("torch/tpu+aot", "E", "x", "bridge"))->category, Category::kBridge);
  EXPECT_EQ(rules.classify(failure("torch/tpu+aot", "E", "xy", "bridge"))->rule, "there");
  EXPECT_EQ(rules.classify(failure("torch/tpu+aot", "E", "y", "call"))->rule, "");
}

TEST(RuleFiles, AFolderWithoutRulesIsAnError) {
  const auto missing = RuleSet::load(kRules + "/none");
  ASSERT_FALSE(missing.ok());
  EXPECT_TRUE(missing.error().is(ClassifyError::kUnreadable));
  EXPECT_THAT(missing.error().message(), HasSubstr("none"));
}

}  // namespace
}  // namespace seamark::classify
