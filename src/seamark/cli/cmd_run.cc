// `seamark run`: targets x cases, under supervision, into a store.
#include "seamark/cli/errors.h"
#include "seamark/cli/run_session.h"
#include "seamark/cli/verbs.h"
#include "seamark/run/plan.h"

namespace seamark::cli {

RunCommand::RunCommand(Options& options) {
  options.targets(flags.selection, "Targets by name or glob, e.g. torch/cuda, 'jax/*' (default: all usable)");
  options.suites(flags.selection, "A suite by name, a .py file of yours, or a trace (default: curated)");
  options.value("-f,--function", functions, "GLOB",
                "Only functions that this glob matches, e.g. 'torch.fft.*'");
  options.value(
      "--functions", functions_file, "FILE",
      "The same from a file, one a line (- is standard input); one without a case is told, and left "
      "out");
  options
      .value("--sample", sample, "NAME",
             "Only the functions of a sample: study (as the study drew), today (nine calls in ten), all, "
             "or one "
             "of the store (default: the latest there)")
      .takes(0, 1);
  options.value("--case", case_glob, "GLOB", "Only cases that this glob matches, e.g. '*bf16*'");
  options
      .value("--cases", flags.cases, "WHICH",
             "all, core, or quick: the core cases, of which torch/cpu+inductor takes one forward and one "
             "gradient case per function (default: all)")
      .one_of({"all", "core", "quick"});
  options
      .value("--time", flags.time, "WHICH",
             "Which cases are timed: all, core, first (a forward one per function) or none (default: "
             "core; first with --cases quick)")
      .one_of({"all", "core", "first", "none"});
  options.flag("--no-timing", flags.no_timing, "The same as --time none");
  options.value("--protocol", flags.protocol, "NAME", "full, or paper: as the study timed (default: full)")
      .one_of({"full", "paper"});
  options
      .value("--timeout", flags.timeout_s, "SECONDS",
             "Seconds that one case may take (default: the target's, 900)")
      .between(0.001, kMostTimeoutSeconds);
  options.value("--seed", flags.seed, "N", "Of inputs and rechecks (default: 0)")
      .within(0, std::int64_t{1} << 53);
  options.value("--recheck", recheck, "SHARE", "The share of passes that runs again alone (default: 0.05)")
      .between(0.0, 1.0);
  options
      .value("--repeat", repeat, "N",
             "Check each case N times, all but the first alone: finds what fails now and then (default: 1)")
      .within(1, run::kMostRepeats);
  options.flag("--no-confirm", no_confirm,
               "Run no failure again alone: quick where much fails, but a flaky case looks like a failure");
  options.value("-j,--jobs", flags.jobs, "N", "Workers at once (default: the usable cores)").within(1, 256);
  options.store(flags.selection);
  options.python(flags.selection);
  options.flag("--resume", resume, "Go on with the latest unfinished run of the store, as it was asked for");
  options.value("--pass-env", flags.pass_env, "NAME",
                "A variable of your environment that cases get too (docs/run.md lists those that they get)");
  options.flag("--no-sandbox", no_sandbox,
               "Let cases write to your home folder and use the network, as you may");
  options.flag("--no-cache", no_cache,
               "Compile again where a compiler's answer is known from an earlier run");
  options.value("--slice", slice, "I/N",
                "Only the Ith of N parts of the run; `seamark merge` joins them (docs/scale.md)");
  options.value("--job", job, "ID",
                "What the whole run is called whose slices are made (default: after what is asked for)");
  options
      .value(
          "--record-error", record_error, "TEXT",
          "Run nothing: store each case of the slice as an error, for this reason (the first line) and with "
          "this output (the others)")
      .excludes({"--resume"});
  options.value("--engine", engine, "ENGINE", "ray: on the machines of a Ray cluster, in slices")
      .one_of({"ray"})
      .excludes({"--slice", "--job", "--record-error"});
  options.value("--address", address, "ADDRESS",
                "Of --engine: the cluster's, or auto (default: one on this machine)");
  options
      .value("--patience", patience_s, "SECONDS",
             "Of --engine: how long a slice waits for a node that can run it, and may be silent on one "
             "(default: 120)")
      .between(0, 86400);
  options
      .value("--slice-seconds", slice_seconds, "SECONDS",
             "Of --engine: the work that a slice is expected to be, by earlier runs (default: 60)")
      .between(0.001, 86400);
  options.flag("--list", list, "Print what would be run, and run nothing");
  options
      .value("--format", format, "FORMAT",
             "Of --list: terminal (names) or jsonl: case, function, hash and targets (default: terminal)")
      .one_of({"terminal", "jsonl"});
  options.flag("--refresh", refresh, "Ask every environment again, whatever is known of it");
}

Result<ExitCode> RunCommand::run(Context& context) const {
  if (!format.empty() && !list)
    return Error(CliError::kUsage, "--format is of --list", "`seamark report --format` writes results");
  RunSession session(context, *this);
  return list ? session.list() : session.run();
}

Verb run_verb() {
  return {"run", "Run cases on targets, under supervision, into a store",
          "Examples:\n"
          "  seamark run --cases quick\n"
          "  seamark run --target torch/cpu --function 'torch.linalg.*'\n"
          "  seamark run --target torch/cuda --python ~/venv/bin/python --store gpu.db\n"
          "  seamark run --resume",
          make_command<RunCommand>};
}

}  // namespace seamark::cli
