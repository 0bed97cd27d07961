// The store: one SQLite file (docs/store.md). One thread per Store. Every error names the file and
// says what to do; corrupt or foreign content is an error, never an exception.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "seamark/base/result.h"
#include "seamark/model/catalogue.h"
#include "seamark/model/declared.h"
#include "seamark/model/sample.h"
#include "seamark/model/usage.h"
#include "seamark/model/usage_shard.h"
#include "seamark/store/records.h"
#include "seamark/store/usage_table.h"

namespace seamark {
class SecretShapes;  // base/secrets.h
}

namespace seamark::store {

enum class StoreError {
  kNotAStore = 1,
  kNewerSchema = 2,
  kLocked = 3,  // another process writes, beyond the busy timeout, or owns the run
  kReadOnly = 4,
  kDiskFull = 5,
  kMissing = 6,  // the file (to read) or its folder (to write) does not exist
  kCannotOpen = 7,
  kCorrupt = 8,
  kNoSuchRun = 9,
  kAmbiguousRun = 10,
  kConflict = 11,  // an attempt that is already there, or of a case that was not planned
  kFailed = 12,    // anything else that SQLite reports
  kNoSuchCatalogue = 13,
  kNoSuchUsage = 14,
  kNoSuchSample = 15,
  kSampleNameTaken = 16,
  kInterrupted = 17,  // by a signal, during a long query
};
constexpr std::string_view room_of(StoreError) { return "store"; }

enum class OpenMode {
  // The file must exist, and is not changed. All that is read is of the moment of the opening: a run that
  // begins later is not seen. A store of an older schema is copied, and the copy is migrated.
  kRead,
  kWrite,  // made when missing (not its folder); migrated forward when older
};

struct OpenOptions {
  int busy_timeout_ms = 5000;  // how long to wait for another process's lock
  // Told the version of an older store that is opened for writing, before it is migrated.
  std::function<void(int version)> before_migration;
  std::shared_ptr<const SecretShapes> secrets;  // masked in texts before they are stored
};

// Of the stores that are written.
[[nodiscard]] int schema_version();

class Connection;  // the SQLite handle and its statements, in connection.h

// Writes one run. Not to be used after its Store is gone.
class RunWriter {
 public:
  RunWriter(RunWriter&&) noexcept;
  RunWriter& operator=(RunWriter&&) noexcept;
  ~RunWriter();  // leaves the run as it is: running, unless finish() was called

  [[nodiscard]] const std::string& uuid() const;

  // Adds a target, or replaces what was said of it. Also while the run goes on (versions and device
  // become known when the worker is up).
  Status add_target(const RunTarget& target);
  // Says what will be run on a target; commits of other cases are refused. May be called again.
  Status plan(std::string_view target, std::span<const CaseInfo> cases);
  // Durable when it returns: all attempts or none. The same signature as run::AttemptSink.
  Status commit(std::span<const Attempt> attempts);
  Status event(std::string_view kind, const Value& detail);
  // Ends the run, adding wall and CPU seconds to what earlier parts of it took.
  Status finish(RunState state, std::string_view reason, double wall_s, std::optional<double> cpu_s);

  // How long a call waits for another process's lock, from now on.
  void set_lock_patience(int milliseconds);

  // For a run from elsewhere: what the store says of targets, cases and plans already stays as it is.
  void insert_only();
  // What stayed so although the run says otherwise.
  std::vector<std::string> take_kept();

 private:
  friend class Store;
  struct Impl;
  explicit RunWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

class Store {
 public:
  static Result<Store> open(const std::filesystem::path& file, OpenMode mode,
                            const OpenOptions& options = {});
  // To read, in memory: a store as a file that zstd packed (scripts/results). Its journal is not WAL's.
  // `name`: what it is called.
  static Result<Store> open_packed(const std::filesystem::path& file, const std::string& name);
  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  ~Store();

  [[nodiscard]] const std::filesystem::path& file() const;

  // --- writing
  Result<RunWriter> begin_run(RunInfo info);
  // Goes on with a run that is not finished; kLocked when the process that runs it is alive.
  Result<RunWriter> resume_run(std::string_view uuid);

  // Runs from elsewhere, all of them or nothing. What is there stays as it is: what an imported run of the
  // same id lacks is added; an exported run that differs from it is refused. One entry per run, in order.
  Result<std::vector<SavedRun>> save_runs(std::span<const RunBundle> runs);
  // All that other stores hold, or nothing when one of them cannot be read. What is there stays as it is: a
  // run of the same id and another content is refused; `strict` makes that kConflict. One entry per store, in
  // order.
  Result<std::vector<MergedStore>> merge_stores(std::span<Store> stores, bool strict);

  // --- resume
  // The one that started last, of those made here that no live process runs; kLocked where live processes run
  // them all.
  Result<std::optional<RunInfo>> latest_unfinished_run();
  Result<std::vector<DoneAttempt>> done(std::string_view uuid);

  // --- catalogues
  // Replaces the catalogue of the same framework and version. All of it or nothing.
  Status save_catalogue(const Catalogue& catalogue);
  Result<std::vector<CatalogueHead>> catalogues();  // the one that was taken last first
  // An empty version: the one that was taken last. kNoSuchCatalogue.
  Result<Catalogue> catalogue(std::string_view framework, std::string_view version = {});
  // Of the functions only name, kind, aliases and bases; no exclusions and no broken modules.
  Result<Catalogue> catalogue_names(std::string_view framework, std::string_view version = {});
  Result<std::vector<FunctionEvidence>> function_evidence();  // of all runs

  // --- declared evidence
  // Replaces what was kept of the same framework, version and device. All of it or nothing.
  Status save_declared(std::span<const Declared> declared);
  // Of every framework, version and device, the last taken first; with the functions, or the one named.
  Result<std::vector<Declared>> declared(std::string_view function = {});

  // --- usage
  // Makes the corpus of this label, or begins it anew: the shards that it then has are those that are put
  // into it. The first are those of `identities`, by position, that were counted before in the same way
  // (protocol, vocabulary, options); an empty one never was. All of it or nothing.
  Result<UsageBegin> begin_usage(const UsageCorpus& corpus, std::span<const std::string> identities = {});
  // Durable when it returns: the whole shard or nothing of it.
  Status save_usage_shard(std::int64_t corpus, std::int64_t position, const UsageShard& shard);
  // Of shards that were counted elsewhere and are there by a merge, by position: what they would be known by
  // had they been counted here. An empty one stays unknown.
  Status identify_usage_shards(std::int64_t corpus, std::span<const std::string> identities);
  // All shards are there. Removes those that no corpus names any more.
  Status finish_usage(std::int64_t corpus);
  Result<std::vector<UsageCorpus>> usage_corpora();  // the one that was begun last first
  // Without a label the one that was begun last. kNoSuchUsage.
  Result<UsageCorpus> usage_corpus(const std::optional<std::string>& label = {});
  Result<UsageTable> usage(const std::optional<std::string>& label = {});
  // What could not be counted, or what was counted after a repair, in the order of the shards, at most
  // `limit`.
  Result<std::vector<UsageLoss>> usage_losses(const std::optional<std::string>& label, std::size_t limit,
                                              bool repaired = false);

  // --- samples
  // Returns its id. The same content again is the same sample: it becomes the latest, and takes the name if
  // it has one. kSampleNameTaken: the name is another sample's.
  Result<std::string> save_sample(const Sample& sample);
  Result<std::vector<SampleInfo>> samples();  // the latest first
  // By name, or the unique beginning of an id; empty: the latest. kNoSuchSample.
  Result<Sample> sample(std::string_view what = {});

  // --- reading
  Result<std::vector<RunInfo>> runs();                                 // latest start first
  Result<std::vector<RunInfo>> select(const RunChoice& choice);        // the same order; kNoSuchRun when none
  Result<std::vector<StoredTarget>> targets(const RunChoice& choice);  // in order of addition
  Result<std::vector<StoredCase>> cases(const RunChoice& choice);      // by function, then name
  Result<std::vector<PlannedCase>> planned(const RunChoice& choice);
  // Both at once, reading the plan once: of a large run much quicker than one after the other.
  Result<StoredPlan> plan(const RunChoice& choice);
  Result<std::vector<StoredEvent>> events(const RunChoice& choice, std::string_view kind = {});
  // Calls `visit` for each attempt by target, case and attempt number, until it returns false. With
  // RunChoice all: per target and case name only the attempts of the latest run that has any. The
  // reference is valid during the call, and `visit` does not call the store.
  Status for_each_attempt(const AttemptFilter& filter,
                          const std::function<bool(const StoredAttempt&)>& visit);
  // Calls `visit` for each attempt of which something that computes ran on the host, with the names of what
  // did, in no order; as above, `visit` does not call the store.
  using HostVisit = std::function<void(std::string_view target, std::string_view case_name,
                                       const std::vector<std::string>& operators)>;
  Status for_each_on_host(const RunChoice& choice, const HostVisit& visit);

 private:
  explicit Store(std::shared_ptr<Connection> connection);
  std::shared_ptr<Connection> connection_;
};

}  // namespace seamark::store
