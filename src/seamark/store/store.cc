#include "seamark/store/store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

#include <array>
#include <string_view>
#include <system_error>
#include <utility>

#include "seamark/base/fd.h"
#include "seamark/base/input_file.h"
#include "seamark/store/connection.h"
#include "seamark/store/run_owner.h"
#include "seamark/store/run_reader.h"
#include "seamark/store/run_slices.h"
#include "seamark/store/schema.h"
#include "seamark/store/schema_check.h"

namespace seamark::store {

namespace fs = std::filesystem;

namespace {

// A rollback journal of a transaction over several files names another file, which SQLite deletes when it
// rolls back. Seamark's transactions are of one file: such a journal is not its own, and the name may be any.
bool names_a_file(const fs::path& journal) {
  static constexpr std::string_view kMagic = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";
  const Result<UniqueFd> fd = open_input_file(journal);
  if (!fd) return false;
  std::array<char, kMagic.size()> tail{};
  const off_t end = ::lseek(fd->get(), 0, SEEK_END);
  const off_t from = end - static_cast<off_t>(tail.size());
  return from >= 0 &&
         ::pread(fd->get(), tail.data(), tail.size(), from) == static_cast<ssize_t>(tail.size()) &&
         std::string_view(tail.data(), tail.size()) == kMagic;
}

Status check_path(const fs::path& file, OpenMode mode) {
  std::error_code ec;
  const fs::file_status status = fs::status(file, ec);
  // SQLite looks for what belongs to a store beside the file itself, not beside a link to it.
  const fs::path real = fs::is_symlink(file, ec) ? fs::canonical(file, ec) : file;
  const std::string& name = real.empty() ? file.native() : real.native();
  // SQLite would wait for ever for the writer of a FIFO, also in the place of a file that belongs to the
  // store.
  for (const char* suffix : {"", "-journal", "-wal", "-shm"}) {
    const fs::path part = name + suffix;
    const std::string_view kind = irregular_kind(fs::status(part, ec).type());
    if (kind.empty()) continue;
    return Error(StoreError::kCannotOpen, fmt::format("{}: it is {}, not a store", part.string(), kind),
                 "give the path of a file");
  }
  if (const fs::path journal = name + "-journal"; names_a_file(journal)) {
    return Error(
        StoreError::kNotAStore,
        fmt::format("{}: it is no journal of a Seamark store, and names another file", journal.string()),
        "remove it, if it came with the store from somebody else");
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
  // What cases print may be private: the store is its owner's alone, and so are the files that SQLite makes
  // beside it. Where this fails SQLite fails too, and says why.
  static_cast<void>(open_file(file, O_RDWR | O_CREAT, 0600));
  return {};
}

// The version, 0 for an empty file, of what is a store as Seamark writes it. Within a transaction: version
// and schema are of one moment.
Result<int> checked_version(Connection& connection) {
  Result<int> version = schema_version_of(connection, schema_version());
  if (!version || *version == 0) return version;
  if (Status known = check_schema(connection, *version); !known) return known.error();
  return version;
}

// Before anything is changed: what is no store must stay as it is.
Result<int> version_to_write(Connection& connection) {
  const Result<Transaction> reading = Transaction::begin_reading(connection);
  if (!reading) return reading.error();
  return checked_version(connection);
}

Status prepare_for_writing(Connection& connection, const OpenOptions& options) {
  Result<int> version = version_to_write(connection);
  if (!version) return version.error();
  if (*version > 0 && *version < schema_version() && options.before_migration)
    options.before_migration(*version);
  if (Status done = connection.execute("PRAGMA journal_mode = WAL"); !done) return done;
  if (Status done = connection.execute("PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY"); !done) {
    return done;
  }
  return migrate(connection, migrations());
}

struct Reading {
  std::shared_ptr<Connection> connection;
  int version = 0;
};

// All that the connection reads is of the moment in which the version is read.
Result<Reading> begin_reading(Result<std::shared_ptr<Connection>> connection) {
  if (!connection) return connection.error();
  if (Status begun = (*connection)->execute("PRAGMA temp_store = MEMORY; BEGIN"); !begun)
    return begun.error();
  Result<int> version = checked_version(**connection);
  if (!version) return version.error();
  return Reading{std::move(*connection), *version};
}

Result<Reading> begin_reading(const fs::path& file, const OpenOptions& options, bool immutable = false) {
  return begin_reading(Connection::open(file, OpenMode::kRead, options.busy_timeout_ms, immutable));
}

// What SQLite cannot read where it lies: a folder that cannot be written, with a write-ahead log whose index
// is gone. Nobody has the store open, or the index would be there.
Result<Reading> read_beside(const fs::path& file, const OpenOptions& options) {
  const Result<TempDir> folder = TempDir::make("seamark-store");
  if (!folder) return folder.error();
  for (const char* suffix : {"", "-wal"}) {
    std::error_code ec;
    fs::copy_file(file.string() + suffix, (folder->path() / "store").string() + suffix, ec);
    if (ec) {
      return Error(
          StoreError::kCannotOpen,
          fmt::format("{}{}: it cannot be copied, to be read ({})", file.string(), suffix, ec.message()),
          "check the permissions; TMPDIR names the folder for the copy");
    }
  }
  Result<Reading> beside = begin_reading(folder->path() / "store", options);
  if (!beside) return beside.error();
  Result<std::shared_ptr<Connection>> copy = Connection::copy_of(*beside->connection, file);
  if (!copy) return copy.error();
  return Reading{std::move(*copy), beside->version};
}

Result<Reading> begin_reading_anywhere(const fs::path& file, const OpenOptions& options) {
  Result<Reading> reading = begin_reading(file, options);
  if (reading) return reading;
  const Error& error = reading.error();
  if (!error.is(StoreError::kCannotOpen) && !error.is(StoreError::kReadOnly)) return reading;
  // In a folder that cannot be written the log cannot be shared; without one nobody is writing, and the file
  // can be read as it is.
  std::error_code ec;
  const std::uintmax_t log_size = fs::file_size(file.string() + "-wal", ec);
  return ec || log_size == 0 ? begin_reading(file, options, true) : read_beside(file, options);
}

// The store in the newest schema: itself, or a copy.
Result<std::shared_ptr<Connection>> in_newest_schema(Result<Reading> reading, const fs::path& file) {
  if (!reading) return reading.error();
  if (reading->version == 0) {
    return Error(StoreError::kNotAStore,
                 fmt::format("{}: it is not a Seamark store (it is empty)", file.string()),
                 "give the path of a store that `seamark run` wrote");
  }
  if (reading->version == schema_version()) return std::move(reading->connection);
  Result<std::shared_ptr<Connection>> copy = Connection::copy_of(*reading->connection, file);
  if (!copy) return copy.error();
  if (Status done = migrate(**copy, migrations()); !done) {
    return done.error().within("cannot read the store in the newest schema");
  }
  if (Status done = (*copy)->execute("PRAGMA query_only = ON"); !done) return done.error();
  return copy;
}

// What `zstd` made of a file.
Result<std::vector<std::uint8_t>> unpacked(const fs::path& file) {
  constexpr unsigned long long kMostBytes = 256 << 20;
  const Result<std::string> packed = read_file(file);
  if (!packed) return packed.error();
  const unsigned long long size = ZSTD_getFrameContentSize(packed->data(), packed->size());
  if (size == 0 || size > kMostBytes)  // and what zstd says where the size is unknown
    return Error(StoreError::kNotAStore, fmt::format("{}: it is no packed store", file.string()), "");
  std::vector<std::uint8_t> bytes(size);
  const std::size_t done = ZSTD_decompress(bytes.data(), bytes.size(), packed->data(), packed->size());
  if (ZSTD_isError(done) != 0 || done != bytes.size())
    return Error(StoreError::kCorrupt, fmt::format("{}: it is damaged", file.string()),
                 "install Seamark anew");
  return bytes;
}

Result<std::shared_ptr<Connection>> open_for_writing(const fs::path& file, const OpenOptions& options) {
  Result<std::shared_ptr<Connection>> connection =
      Connection::open(file, OpenMode::kWrite, options.busy_timeout_ms);
  if (!connection) return connection;
  if (Status done = prepare_for_writing(**connection, options); !done) return done.error();
  (*connection)->set_secrets(options.secrets);
  return connection;
}

// "locks" or "shared memory", where the folder's file system has none, as some of networks; else empty.
std::string_view missing_in(const fs::path& folder) {
  std::string name = (folder / ".seamark-XXXXXX").native();
  const UniqueFd fd(::mkstemp(name.data()));
  if (fd.get() < 0) return {};
  struct flock lock{};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  const bool locks = ::fcntl(fd.get(), F_SETLK, &lock) == 0;  // nobody else knows the file
  void* memory = ::mmap(nullptr, 1, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  if (memory != MAP_FAILED) ::munmap(memory, 1);
  ::unlink(name.c_str());
  if (!locks) return "locks";
  return memory == MAP_FAILED ? "shared memory" : "";
}

// SQLite calls a store locked where there are no locks, and tells of a failure where no memory is shared.
Error with_cause(const Error& error, const fs::path& file) {
  if (!error.is(StoreError::kLocked) && !error.is(StoreError::kFailed)) return error;
  const std::string_view missing = missing_in(file.has_parent_path() ? file.parent_path() : fs::path("."));
  if (missing.empty()) return error;
  return {StoreError::kCannotOpen,
          fmt::format("{}: its file system has no {}, which a store needs", file.string(), missing),
          "give a file on a disk of this machine with --store"};
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
  Result<std::shared_ptr<Connection>> connection =
      mode == OpenMode::kRead ? in_newest_schema(begin_reading_anywhere(file, options), file)
                              : open_for_writing(file, options);
  if (!connection) return with_cause(connection.error(), file);
  return Store(*std::move(connection));
}

Result<Store> Store::open_packed(const fs::path& file, const std::string& name) {
  Result<std::vector<std::uint8_t>> image = unpacked(file);
  if (!image) return image.error();
  Result<std::shared_ptr<Connection>> connection =
      in_newest_schema(begin_reading(Connection::of_image(std::move(*image), name)), name);
  if (!connection) return connection.error();
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
  Result<Statement> owner = connection_->prepare("SELECT owner FROM runs WHERE uuid = ?1");
  if (!owner) return owner.error();
  std::optional<Error> going_on;
  for (RunInfo& run : *found) {
    if (run.options.bool_or("imported", false)) continue;
    // Of a run that a merge joined, what is missing is made elsewhere.
    if (const SlicedRun sliced = sliced_run(run); sliced.joined && !sliced.engine) continue;
    owner->reset();
    owner->bind(1, run.uuid);
    if (Result<bool> row = owner->step(); !row) return row.error();
    const Status ended = check_ended(run.uuid, owner->text(0));
    if (ended) return std::optional(std::move(run));
    if (!going_on) going_on = ended.error();
  }
  if (going_on) return *going_on;
  return std::optional<RunInfo>();
}

}  // namespace seamark::store
