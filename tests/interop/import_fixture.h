// Files of tests as runs, with functions that are known; also used by the tests of exports.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "../known_frameworks.h"
#include "../store/store_fixture.h"
#include "seamark/interop/external_readers.h"
#include "seamark/interop/import.h"

namespace seamark::interop {

using store::must;

inline constexpr const char* kReport = R"json({"created": 1700000000.5, "exitcode": 1, "tests": [
  {"nodeid": "tests/test_argsort.py::test_a", "outcome": "passed",
   "setup": {"duration": 0.25, "outcome": "passed"}, "call": {"duration": 0.5, "outcome": "passed"},
   "teardown": {"duration": 0.25, "outcome": "passed"}},
  {"nodeid": "tests/test_argsort.py::test_b[1]", "outcome": "failed",
   "call": {"duration": 1, "outcome": "failed", "crash": {"message": "RuntimeError: \"argsort\" not implemented for 'Half'"},
            "longrepr": "E   RuntimeError: other"}},
  {"nodeid": "tests/test_argsort.py::test_c", "outcome": "error",
   "setup": {"duration": 1, "outcome": "failed", "crash": {"message": "RuntimeError: no device"}}},
  {"nodeid": "tests/test_argsort.py::test_d", "outcome": "skipped",
   "setup": {"outcome": "skipped", "longrepr": "('/x/test_argsort.py', 13, 'Skipped: not here')"
}
},
  {"nodeid": "tests/test_argsort.py::test_e", "outcome": "xfailed", "longrepr": "E   NotImplementedError: no",
   "call": {"outcome": "skipped"}},
  {"nodeid": "tests/test_argsort.py::test_f", "outcome": "failed",
   "call": {"outcome": "failed", "longrepr": "[XPASS(strict)] why"}},
  {"nodeid": "tests/test_argsort.py::test_g", "outcome": "failed",
   "call": {"outcome": "failed", "longrepr": "E   AssertionError: Tensor-likes are not close!\nE   \nE   more"}},
  {"nodeid": "tests/test_argsort.py::test_h", "outcome": "failed",
   "call": {"outcome": "failed", "crash": {"message": "Failed: Timeout >1.0s"}}}]
})json";

class ImportTest : public store::StoreTest {
 protected:
  ImportTest() : known_("torch", rules()) {
    for (const char* name :
         {"torch.argsort", "torch.Tensor.argsort", "torch.add", "torch.nn.functional.relu", "torch.relu",
          "torch.linalg.det", "torch.nn.Conv3d", "torch.cuda.synchronize", "torch.nn.Module.cuda",
          "torch.nn.Linear", "torch.nn.functional.linear", "torch.Size", "torch.Tensor.size",
          "torch.nn.Module.to", "torch.Tensor.to", "torch.Tensor.item"}) {
      known_.add(name, name);
    }
  }

  static const ImportRules& rules() {
    static const ImportRules loaded =
        must(ImportRules::load(SEAMARK_SOURCE_DIR "/data/import/rules.toml", known_frameworks()));
    return loaded;
  }

  std::string function_of(const std::string& id) { return mapped(id).function; }
  Mapped mapped(const std::string& id) {
    ExternalTest test;
    test.id = id;
    test.name = TestName::of_node(id);
    return FunctionMap(known_, rules(), rows_).find(test, facts(id));
  }
  // What a report says of a test's name, or a file of times.
  static NameFacts facts(const std::string& id, const std::string& target = "torch/cuda",
                         bool timing = false) {
    ExternalTest test;
    test.id = id;
    test.name = TestName::of_node(id);
    test.timing = timing;
    return facts_of(test, rules(), devices(target));
  }
  static DeviceNames devices(const std::string& target) {
    return rules().device_names(must(TargetName::parse(target)));
  }
  static std::string device_of(const std::string& id, bool timing = false) {
    return facts(id, "torch/tpu-v3", timing).device;
  }

  Imported imported(const std::vector<ImportFile>& files, const std::string& target = "torch/cuda",
                    const std::string& run = {}, const std::optional<RunBefore>& before = {}) {
    const FunctionMap functions(known_, rules(), rows_);
    return must(import_tests(files, {target, run, "seamark import", 1'700'000'001'000'000}, functions,
                             rules(), before));
  }

  std::vector<MapRow> rows_;
  KnownFunctions known_;
};

}  // namespace seamark::interop
