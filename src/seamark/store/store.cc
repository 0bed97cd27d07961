#include "seamark/store/store.h"

#include <fmt/format.h>

#include <system_error>
#include <utility>

#include "seamark/store/connection.h"
#include "seamark/store/run_reader.h"
#include "seamark/store/schema.h"

namespace seamark::store {

namespace fs = std::filesystem;

namespace {

Status check_path(const fs::path& file, OpenMode mode) {
  std::error_code ec;
  const fs::file_status status = fs::status(file, ec);
  if (fs::is_directory(status)) {
    return Error(StoreError::kCannotOpen, fmt::format("{}: it is a folder, not a store", file.string()),
                 "give the path of a file");
  }
  if (fs::exists(status)) return {};
  if (mode == OpenMode::kRead) {
    return Error(StoreError::kMissing, fmt::format("{}: there is no such store", file.string()),
                 "run `seamark run` first, or give another file with --store");
  }
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  if (!fs::is_directory(folder, ec)) {
    return Error(StoreError::kMissing, fmt::format("{}: its folder does not exist", file.string()),
                 fmt::format("make it (`mkdir -p {}`), or give another file with --store", folder.string()));
  }
  return {};
}

Status prepare_for_writing(Connection& connection) {
  // Before anything is changed: what is no store must stay as it is.
  Result<int> version = schema_version_of(connection, kSchemaVersion);
  if (!version) return version.error();
  // On a file system without shared memory SQLite keeps its rollback journal, which is as durable.
  if (Status done = connection.execute("PRAGMA journal_mode = WAL"); !done) return done;
  if (Status done = connection.execute("PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY"); !done) {
    return done;
  }
  return migrate(connection, migrations());
}

// A store in a folder that cannot be written: its write-ahead log, if any, cannot be shared, but without
// one nobody is writing and the file can be read as it is.
bool can_read_immutable(const fs::path& file) {
  std::error_code ec;
  fs::path log = file;
  log += "-wal";
  return !fs::exists(log, ec) || fs::file_size(log, ec) == 0;
}

Result<std::shared_ptr<Connection>> open_for_reading(const fs::path& file, const OpenOptions& options) {
  Result<std::shared_ptr<Connection>> connection =
      Connection::open(file, OpenMode::kRead, options.busy_timeout_ms);
  if (!connection) return connection.error();
  Result<int> version = schema_version_of(**connection, kSchemaVersion);
  if (!version && can_read_immutable(file) &&
      (version.error().is(StoreError::kCannotOpen) || version.error().is(StoreError::kReadOnly))) {
    connection = Connection::open(file, OpenMode::kRead, options.busy_timeout_ms, true);
    if (!connection) return connection.error();
    version = schema_version_of(**connection, kSchemaVersion);
  }
  if (!version) return version.error();
  if (*version == 0) {
    return Error(StoreError::kNotAStore,
                 fmt::format("{}: it is not a Seamark store (it is empty)", file.string()),
                 "give the path of a store that `seamark run` wrote");
  }
  if (*version < kSchemaVersion) {
    Result<std::shared_ptr<Connection>> writer =
        Connection::open(file, OpenMode::kWrite, options.busy_timeout_ms);
    if (!writer) return writer.error().within("cannot bring the store to the newest schema");
    if (Status done = prepare_for_writing(**writer); !done) {
      return done.error().within("cannot bring the store to the newest schema");
    }
  }
  if (Status done = (*connection)->execute("PRAGMA temp_store = MEMORY"); !done) return done.error();
  return connection;
}

}  // namespace

std::string_view name_of(RunState state) {
  switch (state) {
    case RunState::kRunning:
      return "running";
    case RunState::kFinished:
      return "finished";
    case RunState::kInterrupted:
      return "interrupted";
    case RunState::kFailed:
      return "failed";
  }
  return "unknown";
}

RunChoice RunChoice::parse(std::string_view text) {
  if (text.empty() || text == "latest") return {};
  if (text == "all") return {Kind::kAll, {}};
  return {Kind::kOne, std::string(text)};
}

std::string RunChoice::str() const {
  switch (kind) {
    case Kind::kLatest:
      return "latest";
    case Kind::kAll:
      return "all";
    case Kind::kOne:
      return id;
  }
  throw std::logic_error("unknown kind of choice");
}

Store::Store(std::shared_ptr<Connection> connection) : connection_(std::move(connection)) {}
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() = default;

const fs::path& Store::file() const { return connection_->file(); }

Result<Store> Store::open(const fs::path& file, OpenMode mode, const OpenOptions& options) {
  if (Status path = check_path(file, mode); !path) return path.error();
  if (mode == OpenMode::kRead) {
    Result<std::shared_ptr<Connection>> connection = open_for_reading(file, options);
    if (!connection) return connection.error();
    return Store(*std::move(connection));
  }
  Result<std::shared_ptr<Connection>> connection = Connection::open(file, mode, options.busy_timeout_ms);
  if (!connection) return connection.error();
  if (Status done = prepare_for_writing(**connection); !done) return done.error();
  return Store(*std::move(connection));
}

Result<std::vector<RunInfo>> Store::runs() { return read_runs(*connection_, ""); }

Result<std::vector<RunInfo>> Store::select(const RunChoice& choice) {
  Result<std::vector<RunInfo>> all = runs();
  if (!all) return all.error();
  if (all->empty()) {
    return Error(StoreError::kNoSuchRun, fmt::format("{}: it holds no run", file().string()),
                 "run `seamark run` first");
  }
  if (choice.kind == RunChoice::Kind::kAll) return all;
  if (choice.kind == RunChoice::Kind::kLatest) {
    all->resize(1);
    return all;
  }
  std::vector<RunInfo> found;
  for (RunInfo& run : *all) {
    if (run.uuid == choice.id) return std::vector{std::move(run)};  // also where another id begins so
    if (run.uuid.starts_with(choice.id)) found.push_back(std::move(run));
  }
  if (found.empty()) {
    return Error(StoreError::kNoSuchRun, fmt::format("{}: it holds no run {}", file().string(), choice.id),
                 "`seamark report --run all` names the runs");
  }
  if (found.size() > 1) {
    return Error(StoreError::kAmbiguousRun,
                 fmt::format("{}: {} runs begin with {}: {}, {}{}", file().string(), found.size(), choice.id,
                             found[0].uuid, found[1].uuid, found.size() > 2 ? ", ..." : ""),
                 "give more of the id");
  }
  return found;
}

Result<std::optional<RunInfo>> Store::latest_unfinished_run() {
  Result<std::vector<RunInfo>> found =
      read_runs(*connection_, fmt::format("WHERE state <> {}", static_cast<int>(RunState::kFinished)));
  if (!found) return found.error();
  if (found->empty()) return std::optional<RunInfo>();
  return std::optional<RunInfo>(std::move(found->front()));
}

}  // namespace seamark::store
