// Published peak rates of devices (data/devices.toml).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "seamark/base/result.h"

namespace seamark::analysis {

// A published figure, or why there is none.
struct Figure {
  std::optional<double> value;  // finite, above 0
  std::string source;           // of the value
  std::string reason;           // why there is none
};

// One device as a framework sees it: rates and memory are its share of the chip.
struct Device {
  std::string name;  // FAMILY-GENERATION: tpu-v3, cuda-h100
  std::string summary;
  int devices_per_chip = 1;
  Figure clock_hz;
  Figure bf16_flops;  // per second, dense matrices
  Figure tf32_flops;
  Figure f32_flops;  // per second, vectors
  Figure hbm_bytes_per_s;
  Figure hbm_bytes;

  [[nodiscard]] bool is_tpu() const { return name.starts_with("tpu"); }
  // The fastest published rate at which it multiplies numbers of this dtype (f32, bf16, ...; empty: unknown),
  // so that no program can be faster.
  [[nodiscard]] const Figure& peak_flops(std::string_view dtype) const;
};

class Devices {
 public:
  static Result<Devices> parse(std::string_view toml, std::string_view file);
  static Result<Devices> load(const std::filesystem::path& file);

  // Of a target's name (jax/tpu-v3+aot); nullptr: no rates are known.
  [[nodiscard]] const Device* of_target(std::string_view target) const;
  [[nodiscard]] const std::vector<Device>& all() const { return devices_; }

 private:
  std::vector<Device> devices_;
};

}  // namespace seamark::analysis
