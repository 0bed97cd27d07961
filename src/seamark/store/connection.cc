#include "seamark/store/connection.h"

#include <fmt/format.h>
#include <signal.h>
#include <sqlite3.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <system_error>
#include <utility>

namespace seamark::store {

namespace {

bool out_of_space(int system_error) {
  return system_error == ENOSPC || system_error == EFBIG || system_error == EDQUOT;
}

// What the system said last of the file or of its log; SQLite's own record does not cover the log.
int last_system_error(sqlite3* handle) {
  if (handle == nullptr) return 0;
  if (const int error = sqlite3_system_errno(handle); error != 0) return error;
  for (const int which : {SQLITE_FCNTL_FILE_POINTER, SQLITE_FCNTL_JOURNAL_POINTER}) {
    sqlite3_file* file = nullptr;
    int error = 0;
    if (sqlite3_file_control(handle, "main", which, static_cast<void*>(&file)) != SQLITE_OK) continue;
    if (file == nullptr || file->pMethods == nullptr) continue;
    if (file->pMethods->xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &error) == SQLITE_OK && error != 0)
      return error;
  }
  return 0;
}

StoreError kind_of(int code, int system_error) {
  switch (code & 0xff) {
    case SQLITE_FULL:
      return StoreError::kDiskFull;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return StoreError::kLocked;
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return StoreError::kReadOnly;
    case SQLITE_NOTADB:
      return StoreError::kNotAStore;
    case SQLITE_CORRUPT:
      return StoreError::kCorrupt;
    case SQLITE_CANTOPEN:
      return StoreError::kCannotOpen;
    case SQLITE_INTERRUPT:
      return StoreError::kInterrupted;
    case SQLITE_IOERR:
      return out_of_space(system_error) ? StoreError::kDiskFull : StoreError::kFailed;
    default:
      return StoreError::kFailed;
  }
}

std::string_view what_of(StoreError kind) {
  switch (kind) {
    case StoreError::kDiskFull:
      return "the disk is full";
    case StoreError::kLocked:
      return "another process has it locked";
    case StoreError::kReadOnly:
      return "it cannot be written";
    case StoreError::kNotAStore:
      return "it is not a Seamark store";
    case StoreError::kCorrupt:
      return "it is damaged";
    case StoreError::kCannotOpen:
      return "it cannot be opened";
    case StoreError::kInterrupted:
      return "a long query was interrupted";
    default:
      return "SQLite failed";
  }
}

std::string_view remedy_of(StoreError kind) {
  switch (kind) {
    case StoreError::kDiskFull:
      return "free some space, then run again with --resume; everything committed so far is safe";
    case StoreError::kLocked:
      return "wait for the other process, or give another file with --store";
    case StoreError::kReadOnly:
      return "make the file and its folder writable, or give another file with --store";
    case StoreError::kNotAStore:
      return "give the path of a store that `seamark run` wrote";
    case StoreError::kCorrupt:
      return "copy the file away before anything else; `sqlite3 FILE .recover` may save what it holds";
    case StoreError::kCannotOpen:
      return "check the path and its permissions";
    default:
      return "";
  }
}

// What the file holds is untrusted.
void distrust(sqlite3* handle) {
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, 256 << 20);
  static_cast<void>(sqlite3_exec(handle, "PRAGMA cell_size_check = ON", nullptr, nullptr, nullptr));
}

// SQLite's steps: some 10 ms.
constexpr int kStepsBetweenLooks = 1 << 20;

// A damaged file can lead a query in circles. What reads a store takes fewer steps than these, a thousand a
// byte.
std::int64_t most_looks(std::int64_t bytes) { return 100 + bytes / 4000; }

std::int64_t most_looks(const std::filesystem::path& file) {
  std::int64_t bytes = 0;
  for (const char* suffix : {"", "-wal"}) {
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(file.string() + suffix, error);
    if (!error) bytes += static_cast<std::int64_t>(size);
  }
  return most_looks(bytes);
}

// Whether one waits that asks for the end, in a process that holds signals back (proc::Signals).
bool signal_waits() {
  sigset_t waiting;
  if (sigpending(&waiting) != 0) return false;
  return sigismember(&waiting, SIGINT) == 1 || sigismember(&waiting, SIGTERM) == 1 ||
         sigismember(&waiting, SIGHUP) == 1;
}

}  // namespace

// --- Statement

Statement::Statement(Statement&& other) noexcept
    : connection_(other.connection_),
      statement_(std::exchange(other.statement_, nullptr)),
      bind_code_(other.bind_code_) {}

Statement::~Statement() { reset(); }

void Statement::reset() {
  if (statement_ == nullptr) return;
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
  bind_code_ = SQLITE_OK;
}

Statement& Statement::bind(int index, std::int64_t value) {
  if (const int code = sqlite3_bind_int64(statement_, index, value); code != SQLITE_OK) bind_code_ = code;
  return *this;
}

Statement& Statement::bind(int index, double value) {
  if (!std::isfinite(value)) return bind_null(index);
  if (const int code = sqlite3_bind_double(statement_, index, value); code != SQLITE_OK) bind_code_ = code;
  return *this;
}

Statement& Statement::bind(int index, std::string_view value) {
  const char* data = value.data() == nullptr ? "" : value.data();
  const int code = sqlite3_bind_text64(statement_, index, data, value.size(), SQLITE_STATIC, SQLITE_UTF8);
  if (code != SQLITE_OK) bind_code_ = code;
  return *this;
}

Statement& Statement::bind_null(int index) {
  if (const int code = sqlite3_bind_null(statement_, index); code != SQLITE_OK) bind_code_ = code;
  return *this;
}

Statement& Statement::bind_blob(int index, std::span<const std::uint8_t> bytes) {
  const int code =
      sqlite3_bind_blob64(statement_, index, bytes.empty() ? "" : static_cast<const void*>(bytes.data()),
                          bytes.size(), SQLITE_STATIC);
  if (code != SQLITE_OK) bind_code_ = code;
  return *this;
}

Statement& Statement::bind_from(int index, const Statement& row, int column) {
  const int code = sqlite3_bind_value(statement_, index, sqlite3_column_value(row.statement_, column));
  if (code != SQLITE_OK) bind_code_ = code;
  return *this;
}

Result<bool> Statement::step() {
  if (bind_code_ != SQLITE_OK) return connection_->error(bind_code_);
  connection_->looks_of_step_ = 0;
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return connection_->error(code);
}

Status Statement::run() {
  Result<bool> row = step();
  reset();
  if (!row) return row.error();
  return {};
}

int Statement::columns() const { return sqlite3_column_count(statement_); }

std::string Statement::column_name(int column) const {
  const char* name = sqlite3_column_name(statement_, column);
  return name == nullptr ? std::string() : name;
}

bool Statement::is_null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }
std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(statement_, column); }
double Statement::number(int column) const { return sqlite3_column_double(statement_, column); }

std::string_view Statement::text(int column) const {
  const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  if (data == nullptr) return {};
  return {data, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

std::span<const std::uint8_t> Statement::blob(int column) const {
  const auto* data = static_cast<const std::uint8_t*>(sqlite3_column_blob(statement_, column));
  if (data == nullptr) return {};
  return {data, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

std::optional<std::int64_t> Statement::maybe_integer(int column) const {
  if (is_null(column)) return std::nullopt;
  return integer(column);
}

std::optional<double> Statement::maybe_number(int column) const {
  if (is_null(column)) return std::nullopt;
  return number(column);
}

// --- Connection

Result<std::shared_ptr<Connection>> Connection::open(const std::filesystem::path& file, OpenMode mode,
                                                     int busy_timeout_ms, bool immutable) {
  std::shared_ptr<Connection> connection(new Connection(file, mode));
  int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  flags |= mode == OpenMode::kWrite ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
  std::string name = file.string();
  if (immutable) {
    flags |= SQLITE_OPEN_URI;
    std::string escaped;
    for (const char c : std::filesystem::absolute(file).string()) {
      if (c == '%' || c == '?' || c == '#') {
        escaped += fmt::format("%{:02X}", static_cast<unsigned char>(c));
      } else {
        escaped += c;
      }
    }
    name = "file:" + escaped + "?immutable=1";
  } else if (name.starts_with(':') || name.starts_with("file:")) {
    name = "./" + name;  // a file of that name, not SQLite's special meaning
  }
  if (Status opened = connection->open_handle(name, flags); !opened) return opened.error();
  sqlite3* handle = connection->handle_;
  if (mode == OpenMode::kWrite && sqlite3_db_readonly(handle, "main") == 1)
    return connection->error(SQLITE_READONLY);
  sqlite3_busy_timeout(handle, busy_timeout_ms);
  if (mode == OpenMode::kRead) connection->most_looks_ = most_looks(file);
  return connection;
}

Status Connection::open_handle(const std::string& name, int flags) {
  if (const int code = sqlite3_open_v2(name.c_str(), &handle_, flags, nullptr); code != SQLITE_OK)
    return error(code);
  distrust(handle_);
  sqlite3_progress_handler(handle_, kStepsBetweenLooks, look, this);
  return {};
}

int Connection::look(void* connection) { return static_cast<Connection*>(connection)->ends_query() ? 1 : 0; }

bool Connection::ends_query() {
  ++looks_;
  // The steps of short uses of one statement add up: one look says nothing, and a signal ends no such use.
  interrupted_ = ++looks_of_step_ > 1 && signal_waits();
  return interrupted_ || (most_looks_ > 0 && looks_ > most_looks_);
}

Result<std::shared_ptr<Connection>> Connection::in_memory() {
  std::shared_ptr<Connection> connection(new Connection(":memory:", OpenMode::kWrite));
  constexpr int kFlags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_READWRITE;
  if (Status opened = connection->open_handle(":memory:", kFlags | SQLITE_OPEN_MEMORY); !opened)
    return opened.error();
  return connection;
}

Result<std::shared_ptr<Connection>> Connection::of_image(std::vector<std::uint8_t> image,
                                                         const std::filesystem::path& file) {
  std::shared_ptr<Connection> connection(new Connection(file, OpenMode::kRead));
  connection->image_ = std::move(image);
  constexpr int kFlags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_READWRITE;
  if (Status opened = connection->open_handle(":memory:", kFlags | SQLITE_OPEN_MEMORY); !opened)
    return opened.error();
  const auto bytes = static_cast<sqlite3_int64>(connection->image_.size());
  connection->most_looks_ = most_looks(bytes);
  const int code = sqlite3_deserialize(connection->handle_, "main", connection->image_.data(), bytes, bytes,
                                       SQLITE_DESERIALIZE_READONLY);
  if (code != SQLITE_OK) return connection->error(code);
  return connection;
}

Result<std::shared_ptr<Connection>> Connection::copy_of(const Connection& source,
                                                        const std::filesystem::path& file) {
  std::shared_ptr<Connection> copy(new Connection(file, OpenMode::kRead));
  constexpr int kFlags =
      SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  // No name: a file that SQLite removes.
  if (Status opened = copy->open_handle("", kFlags); !opened) return opened.error();
  copy->most_looks_ = source.most_looks_;
  sqlite3_backup* backup = sqlite3_backup_init(copy->handle_, "main", source.handle_, "main");
  if (backup != nullptr) sqlite3_backup_step(backup, -1);
  const int code =
      backup != nullptr ? sqlite3_backup_finish(backup) : sqlite3_extended_errcode(copy->handle_);
  if (code == SQLITE_OK) return copy;
  Error error = copy->error(code);
  if (!error.is(StoreError::kDiskFull)) return error;
  return Error(StoreError::kDiskFull,
               fmt::format("{}: there is no room for the copy in which it is read", file.string()),
               "free as much in the temporary folder as the store takes, or name another in SQLITE_TMPDIR");
}

Connection::~Connection() {
  for (auto& [sql, statement] : statements_) sqlite3_finalize(statement);
  sqlite3_close_v2(handle_);
}

Result<Statement> Connection::prepare(std::string_view sql) {
  std::string key(sql);
  const auto found = statements_.find(key);
  if (found != statements_.end()) return Statement(*this, found->second);
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(handle_, key.c_str(), static_cast<int>(key.size() + 1),
                                      SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (code != SQLITE_OK) {
    // The schema version was checked: a statement that does not compile means foreign content.
    return (code & 0xff) == SQLITE_ERROR ? corrupt(sqlite3_errmsg(handle_)) : error(code);
  }
  statements_.emplace(std::move(key), statement);
  return Statement(*this, statement);
}

Status Connection::execute(const std::string& sql) {
  looks_of_step_ = 0;
  if (const int code = sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr); code != SQLITE_OK) {
    return error(code);
  }
  return {};
}

Result<std::int64_t> Connection::integer(std::string_view sql) {
  Result<Statement> statement = prepare(sql);
  if (!statement) return statement.error();
  Result<bool> row = statement->step();
  if (!row) return row.error();
  return *row ? statement->integer(0) : 0;
}

std::int64_t Connection::last_row_id() const { return sqlite3_last_insert_rowid(handle_); }

void Connection::set_lock_patience(int milliseconds) { sqlite3_busy_timeout(handle_, milliseconds); }

Error Connection::error(int code) const {
  if ((code & 0xff) == SQLITE_INTERRUPT && !interrupted_) return corrupt("a query does not end");
  const bool is_io = (code & 0xff) == SQLITE_IOERR || (code & 0xff) == SQLITE_CANTOPEN;
  const int system_error = is_io ? last_system_error(handle_) : 0;
  const StoreError kind = kind_of(code, system_error);
  std::string detail = handle_ == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(handle_);
  if (kind == StoreError::kReadOnly && handle_ != nullptr && sqlite3_errcode(handle_) == SQLITE_OK) {
    detail = sqlite3_errstr(code);
  }
  if (system_error != 0) detail += ", " + std::generic_category().message(system_error);
  return {kind, fmt::format("{}: {} ({})", file_.string(), what_of(kind), detail),
          std::string(remedy_of(kind))};
}

Error Connection::corrupt(std::string_view what) const {
  return {StoreError::kCorrupt,
          fmt::format("{}: {} ({})", file_.string(), what_of(StoreError::kCorrupt), what),
          std::string(remedy_of(StoreError::kCorrupt))};
}

// --- Transaction

Result<Transaction> Transaction::begin(Connection& connection) {
  return begin(connection, "BEGIN IMMEDIATE");
}

Result<Transaction> Transaction::begin_reading(Connection& connection) { return begin(connection, "BEGIN"); }

Result<Transaction> Transaction::begin(Connection& connection, std::string_view how) {
  if (sqlite3_get_autocommit(connection.handle_) == 0) return Transaction(nullptr);
  Result<Statement> statement = connection.prepare(how);
  if (!statement) return statement.error();
  if (Status done = statement->run(); !done) return done.error();
  return Transaction(&connection);
}

Status Transaction::commit() {
  if (connection_ == nullptr) return {};
  Result<Statement> statement = connection_->prepare("COMMIT");
  if (!statement) return statement.error();
  if (Status done = statement->run(); !done) return done;  // the destructor rolls back
  connection_ = nullptr;
  return {};
}

Transaction::~Transaction() {
  // A full disk or a lost lock may have rolled back already.
  if (connection_ == nullptr || sqlite3_get_autocommit(connection_->handle_) != 0) return;
  static_cast<void>(sqlite3_exec(connection_->handle_, "ROLLBACK", nullptr, nullptr, nullptr));
}

}  // namespace seamark::store
