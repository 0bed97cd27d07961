#include "seamark/agent/session.h"

#include <fmt/format.h>

#include <random>
#include <utility>

namespace seamark::agent {
namespace {

constexpr int kInFd = 3;
constexpr int kOutFd = 4;
constexpr int kKeyFd = 5;
constexpr std::size_t kReadBytes = std::size_t{1} << 20;

struct Pipes {
  Pipe to_agent;
  Pipe keys;
  Pipe from_agent;
  proc::Capture capture;
};

std::string make_nonce() {
  std::random_device source;  // the system's own
  std::string nonce;
  while (nonce.size() < kNonceBytes) nonce += fmt::format("{:08x}", source());
  return nonce;
}

Result<Pipes> make_pipes(const std::string& capture_path) {
  Result<Pipe> to_agent = make_pipe();
  if (!to_agent) return to_agent.error();
  Result<Pipe> keys = make_pipe();
  if (!keys) return keys.error();
  Result<Pipe> from_agent = make_pipe();
  if (!from_agent) return from_agent.error();
  Result<proc::Capture> capture = proc::Capture::open(capture_path);
  if (!capture) return capture.error();
  if (Status s = set_nonblocking(to_agent->write.get()); !s) return s.error();
  if (Status s = set_nonblocking(keys->write.get()); !s) return s.error();
  if (Status s = set_nonblocking(from_agent->read.get()); !s) return s.error();
  return Pipes{std::move(*to_agent), std::move(*keys), std::move(*from_agent), std::move(*capture)};
}

proc::SpawnOptions spawn_options(const SessionOptions& options, const Pipes& pipes) {
  proc::SpawnOptions spawn;
  const AgentProgram& program = options.program;
  spawn.argv = {program.interpreter,
                program.boot,
                "worker",
                "--in-fd",
                std::to_string(kInFd),
                "--out-fd",
                std::to_string(kOutFd),
                "--key-fd",
                std::to_string(kKeyFd)};
  spawn.cwd = options.hello.work_dir;
  spawn.inherits = program.inherits;
  spawn.sandbox = options.sandbox;
  spawn.environment.assign(program.environment.begin(), program.environment.end());
  spawn.fds = {{pipes.to_agent.read.get(), kInFd},
               {pipes.from_agent.write.get(), kOutFd},
               {pipes.keys.read.get(), kKeyFd},
               {pipes.capture.write_fd(), 1},
               {pipes.capture.write_fd(), 2}};
  spawn.die_with_parent = true;
  return spawn;
}

}  // namespace

Error start_error(const std::string& interpreter, const Error& cause) {
  if (cause.is(proc::ProcError::kCannotStart)) {
    return Error(AgentError::kInterpreterMissing,
                 fmt::format("cannot start the Python interpreter {}: {}", interpreter, cause.message()),
                 "give the path of a Python that can be executed (--python PATH), or make the target's "
                 "environment with `seamark targets install`");
  }
  return Error(AgentError::kStartFailed, fmt::format("cannot start a worker: {}", cause.message()),
               cause.remedy());
}

Result<Session> Session::start(const SessionOptions& options) {
  Result<Pipes> pipes = make_pipes(options.capture_path);
  if (!pipes) return start_error(options.program.interpreter, pipes.error());
  Result<proc::Child> child = proc::Child::spawn(spawn_options(options, *pipes));
  if (!child) return start_error(options.program.interpreter, child.error());
  pipes->capture.close_write_fd();

  Session session(std::move(*child), std::move(pipes->capture), std::move(pipes->to_agent.write),
                  std::move(pipes->keys.write), std::move(pipes->from_agent.read), options.hello.mode);
  session.pending_ = encode_hello(options.hello) + encode_plan(options.names);
  session.protocol_.planned(options.names.size());
  session.flush();
  return session;
}

void Session::send_run(std::int64_t id, Phase phase) {
  protocol_.sent_run(id);
  give_nonce();
  pending_ += encode_run(id, phase);
  flush();
}

void Session::give_nonce() {
  if (!protocol_.lacks_nonce()) return;
  std::string nonce = make_nonce();
  // One at a time: it always fits. A reader that is gone is no error here.
  static_cast<void>(write_some(keys_.get(), nonce));
  protocol_.gave_nonce(std::move(nonce));
}

void Session::send_stop() {
  if (std::exchange(stopping_, true)) return;
  pending_ += encode_stop();
  flush();
}

void Session::flush() {
  if (!wants_write()) {
    if (stopping_) to_.reset();
    return;
  }
  const Result<std::size_t> written = write_some(to_.get(), pending_);
  if (!written) {
    to_.reset();
    pending_.clear();
    return;
  }
  pending_.erase(0, *written);
  if (stopping_ && pending_.empty()) to_.reset();
}

Session::ReadResult Session::read_events(std::vector<Event>& events) {
  ReadResult result;
  if (!from_) return {.end = true, .violation = {}};
  buffer_.clear();
  const Result<ReadState> state = read_available(from_.get(), buffer_, kReadBytes);
  result.end = !state || *state == ReadState::kEnd;
  lines_.clear();
  const Status split = splitter_.feed(buffer_, lines_);
  result.violation = take_lines(events);
  if (!result.violation && !split) result.violation = split.error();
  if (result.end || result.violation) from_.reset();
  return result;
}

std::optional<Error> Session::take_lines(std::vector<Event>& events) {
  for (const std::string& line : lines_) {
    Result<std::optional<Event>> event = decode(line, protocol_.planned());
    if (!event) return event.error();
    if (!event->has_value()) continue;
    if (Status order = protocol_.accept(**event); !order) return order.error();
    give_nonce();
    events.push_back(std::move(**event));
  }
  return std::nullopt;
}

}  // namespace seamark::agent
