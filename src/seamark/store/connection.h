// The SQLite handle: statements that are kept, transactions, and SQLite's codes as this room's errors.
// Internal to the room.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "seamark/base/result.h"
#include "seamark/store/store.h"

struct sqlite3;
struct sqlite3_stmt;

namespace seamark::store {

class Connection;

// One use of a prepared statement: bind from 1, step, read columns from 0. Reset on destruction. Bound
// text is borrowed until the statement is reset.
class Statement {
 public:
  Statement(Connection& connection, sqlite3_stmt* statement)
      : connection_(&connection), statement_(statement) {}
  Statement(Statement&& other) noexcept;
  Statement& operator=(Statement&&) = delete;
  ~Statement();

  Statement& bind(int index, std::int64_t value);
  Statement& bind(int index, int value) { return bind(index, static_cast<std::int64_t>(value)); }
  Statement& bind(int index, bool value) { return bind(index, static_cast<std::int64_t>(value)); }
  Statement& bind(int index, double value);  // not finite: null
  Statement& bind(int index, std::string_view value);
  Statement& bind(int index, const std::string& value) { return bind(index, std::string_view(value)); }
  Statement& bind(int index, const char*) = delete;
  Statement& bind_null(int index);
  Statement& bind_blob(int index, std::span<const std::uint8_t> bytes);
  // A value of another statement's row as it lies there, also of another store. Copied.
  Statement& bind_from(int index, const Statement& row, int column);
  template <typename T>
  Statement& bind(int index, const std::optional<T>& value) {
    return value ? bind(index, *value) : bind_null(index);
  }
  // Empty text becomes null.
  Statement& bind_or_null(int index, std::string_view value) {
    return value.empty() ? bind_null(index) : bind(index, value);
  }

  // True: a row can be read; false: done. What a bind refused is reported here.
  Result<bool> step();
  // Steps once, wants no row, and resets, so that it can be bound again.
  Status run();
  void reset();

  [[nodiscard]] int columns() const;
  [[nodiscard]] std::string column_name(int column) const;
  [[nodiscard]] bool is_null(int column) const;
  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] double number(int column) const;
  [[nodiscard]] std::string_view text(int column) const;  // valid until the next step; null is empty
  [[nodiscard]] std::string string(int column) const { return std::string(text(column)); }
  [[nodiscard]] std::span<const std::uint8_t> blob(int column) const;
  [[nodiscard]] std::optional<std::int64_t> maybe_integer(int column) const;
  [[nodiscard]] std::optional<double> maybe_number(int column) const;

 private:
  Connection* connection_;
  sqlite3_stmt* statement_;
  int bind_code_ = 0;
};

class Connection {
 public:
  // Opens without looking inside. `immutable`: for a file in a folder that cannot be written.
  static Result<std::shared_ptr<Connection>> open(const std::filesystem::path& file, OpenMode mode,
                                                  int busy_timeout_ms, bool immutable = false);
  // All that `source` reads, in a temporary file that is gone with the connection. Errors name `file`.
  static Result<std::shared_ptr<Connection>> copy_of(const Connection& source,
                                                     const std::filesystem::path& file);
  // Of the bytes of a file, which lie in memory. Errors name `file`.
  static Result<std::shared_ptr<Connection>> of_image(std::vector<std::uint8_t> image,
                                                      const std::filesystem::path& file);
  // An empty one without a file.
  static Result<std::shared_ptr<Connection>> in_memory();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  [[nodiscard]] const std::filesystem::path& file() const { return file_; }
  [[nodiscard]] OpenMode mode() const { return mode_; }

  // Prepared once per text and kept. A statement must not be used twice at a time.
  Result<Statement> prepare(std::string_view sql);
  // One or several statements without parameters or rows.
  Status execute(const std::string& sql);
  Result<std::int64_t> integer(std::string_view sql);  // the first column of the first row
  [[nodiscard]] std::int64_t last_row_id() const;
  void set_lock_patience(int milliseconds);

  // What is masked in texts that are stored; null: nothing.
  [[nodiscard]] const SecretShapes* secrets() const { return secrets_.get(); }
  void set_secrets(std::shared_ptr<const SecretShapes> secrets) { secrets_ = std::move(secrets); }

  // The last error of the handle; `code` as SQLite gave it.
  [[nodiscard]] Error error(int code) const;
  [[nodiscard]] Error error(int code, std::string_view doing) const { return error(code).within(doing); }
  [[nodiscard]] Error corrupt(std::string_view what) const;

 private:
  friend class Statement;
  friend class Transaction;
  Connection(std::filesystem::path file, OpenMode mode) : file_(std::move(file)), mode_(mode) {}
  Status open_handle(const std::string& name, int flags);
  // SQLite calls it every kStepsBetweenLooks steps of a query; not 0: the query ends.
  static int look(void* connection);
  [[nodiscard]] bool ends_query();

  std::filesystem::path file_;
  std::vector<std::uint8_t> image_;  // empty: it lies in a file
  std::int64_t looks_ = 0;           // of all queries
  std::int64_t most_looks_ = 0;      // 0: any number
  int looks_of_step_ = 0;            // since a row was asked for
  bool interrupted_ = false;         // by a signal
  OpenMode mode_;
  std::shared_ptr<const SecretShapes> secrets_;
  sqlite3* handle_ = nullptr;
  std::unordered_map<std::string, sqlite3_stmt*> statements_;
};

// Takes the write lock at once; rolls back unless committed. Within another one it is part of that, which
// alone commits or rolls back.
class Transaction {
 public:
  static Result<Transaction> begin(Connection& connection);
  // Without the write lock: all that is read until it is destroyed is of one moment, and SQLite locks once.
  static Result<Transaction> begin_reading(Connection& connection);
  Transaction(Transaction&& other) noexcept : connection_(std::exchange(other.connection_, nullptr)) {}
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();
  Status commit();

 private:
  explicit Transaction(Connection* connection) : connection_(connection) {}
  static Result<Transaction> begin(Connection& connection, std::string_view how);
  Connection* connection_;  // null: committed, or within another
};

}  // namespace seamark::store
