#include "seamark/agent/wire.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "seamark/agent/protocol_state.h"
#include "seamark/base/fd.h"
#include "seamark/base/text.h"

namespace seamark::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

std::vector<Value> golden(const std::string& name) {
  const std::string text = read_file(std::string(SEAMARK_SOURCE_DIR) + "/tests/golden/wire/" + name).value();
  std::vector<Value> entries;
  for (const std::string_view line : split_lines(text)) entries.push_back(parse_json(line).value());
  return entries;
}

Event decoded(const std::string& line, std::int64_t planned = 2) {
  Result<std::optional<Event>> event = decode(line, planned);
  if (!event) throw std::runtime_error(event.error().message());
  return event->value();
}

End end_of(const std::string& members) {
  return std::get<End>(decoded(R"({"ev":"end","id":0,)" + members + "}"));
}

Hello hello_from(const Value& message) {
  Hello hello;
  hello.target = *message.find("target");
  hello.mode = worker_mode_from(message.string_or("mode", "")).value();
  for (const Value& suite : message.find("suites")->as_array()) hello.suites.push_back(suite.as_string());
  hello.seed = message.find("seed")->as_int();
  hello.threads = static_cast<int>(message.find("threads")->as_int());
  hello.work_dir = message.string_or("work_dir", "");
  hello.cache_dir = message.string_or("cache_dir", "");
  const Value& limit = *message.find("limits")->find("memory_bytes");
  if (!limit.is_null()) hello.memory_bytes = limit.as_int();
  return hello;
}

std::string encoded(const Value& message) {
  const std::string op = message.string_or("op", "");
  if (op == "hello") return encode_hello(hello_from(message));
  if (op == "run") {
    return encode_run(message.find("id")->as_int(), phase_from(message.string_or("phase", "")).value());
  }
  if (op == "stop") return encode_stop();
  std::vector<std::string> names;
  for (const Value& name : message.find("names")->as_array()) names.push_back(name.as_string());
  return encode_plan(names);
}

class GoldenTranscript : public ::testing::TestWithParam<const char*> {};

TEST_P(GoldenTranscript, IsWhatThisEndWritesAndReads) {
  const std::vector<Value> entries = golden(std::string(GetParam()) + ".jsonl");
  ASSERT_FALSE(entries.empty());
  std::optional<ProtocolState> protocol_state;
  int requests = 0;
  for (const Value& entry : entries) {
    const Value& message = *entry.find("message");
    SCOPED_TRACE(dump_json(message));
    if (entry.find("to") != nullptr) {
      const std::string line = encoded(message);
      EXPECT_EQ(line.back(), '\n');
      EXPECT_EQ(parse_json(trim(line)).value(), message);
      if (message.string_or("op", "") == "hello") {
        protocol_state.emplace(worker_mode_from(message.string_or("mode", "")).value());
      }
      if (message.string_or("op", "") == "plan")
        protocol_state->planned(message.find("names")->as_array().size());
      if (message.string_or("op", "") == "run") protocol_state->sent_run(message.find("id")->as_int());
      continue;
    }
    if (protocol_state->lacks_nonce()) protocol_state->gave_nonce(fmt::format("{:032x}", 0xa5 * ++requests));
    const Result<std::optional<Event>> event = decode(dump_json(message), 3);
    ASSERT_TRUE(event.ok()) << event.error().message();
    const Status in_order = protocol_state->accept(event->value());
    EXPECT_TRUE(in_order.ok()) << in_order.error().message();
  }
  EXPECT_EQ(protocol_state->in_flight(), 0u);
}

INSTANTIATE_TEST_SUITE_P(All, GoldenTranscript, ::testing::Values("fork", "persistent_timing", "unusable"));

TEST(WireTest, BadLinesAreRefusedWithAReason) {
  const std::vector<Value> entries = golden("bad_lines.jsonl");
  EXPECT_GT(entries.size(), 30u);
  for (const Value& entry : entries) {
    SCOPED_TRACE(entry.string_or("why", ""));
    const Result<std::optional<Event>> event =
        decode(entry.string_or("line", ""), static_cast<std::int64_t>(entry.number_or("planned", 0)));
    ASSERT_FALSE(event.ok());
    EXPECT_TRUE(event.error().is(AgentError::kProtocol));
    EXPECT_GT(event.error().message().size(), 10u);
  }
}

TEST(WireTest, EveryFieldOfEndIsKept) {
  const End end = end_of(R"("outcome":"fail","evidence":"compiled","reason":"r","cpu_s":0.5,"wall_s":2,
    "failure":{"stage":"compare","type":"T","message":"m","traceback":"t","precision_rerun":"fail","failing_call":"torch.sort: no"},
    "placement":{"where":"host","method":"counters","outputs":["cpu"],"fallback_ops":["aten::x"],"note":"n"},
    "reference":{"kind":"numpy","max_abs_err":"inf"},"compiled":{"flops":7},
    "operations":[{"name":"o","cold_s":0.25,"warm_s":[1,2.5],"inner":10,"device_s":[0.5]}],
    "costs":{"empty_s":1e-7,"compile_s":0.125,"recompilations":2,"transfers":0.5,"transfer_bytes":12,"peak_bytes":null},
    "cold_kind":"cold-op","attributes":["host-fallback"],"unknown":{"is":"ignored"})");
  EXPECT_EQ(end.outcome, Outcome::kFail);
  EXPECT_EQ(end.evidence, Evidence::kCompiled);
  EXPECT_EQ(end.reason, "r");
  EXPECT_EQ(end.cpu_s, 0.5);
  EXPECT_EQ(end.wall_s, 2.0);
  ASSERT_TRUE(end.failure.has_value());
  EXPECT_EQ(end.failure->stage, "compare");
  EXPECT_EQ(end.failure->type, "T");
  EXPECT_EQ(end.failure->message, "m");
  EXPECT_EQ(end.failure->traceback, "t");
  EXPECT_EQ(end.failure->precision_rerun, "fail");
  EXPECT_EQ(end.failure->failing_call, "torch.sort: no");
  EXPECT_EQ(end.placement.where, Where::kHost);
  EXPECT_EQ(end.placement.method, "counters");
  EXPECT_THAT(end.placement.outputs, ElementsAre("cpu"));
  EXPECT_THAT(end.placement.fallback_ops, ElementsAre("aten::x"));
  EXPECT_EQ(end.placement.note, "n");
  EXPECT_EQ(end.reference.string_or("max_abs_err", ""), "inf");
  EXPECT_EQ(end.compiled.number_or("flops", 0), 7);
  ASSERT_THAT(end.operations, SizeIs(1));
  EXPECT_EQ(end.operations[0].cold_s, 0.25);
  EXPECT_THAT(end.operations[0].warm_s, ElementsAre(1.0, 2.5));
  EXPECT_EQ(end.operations[0].inner, 10);
  EXPECT_THAT(end.operations[0].device_s, ElementsAre(0.5));
  EXPECT_EQ(end.costs, (Costs{1e-7, 0.125, 2, 0.5, 12.0, std::nullopt}));
  EXPECT_EQ(end.cold_kind, "cold-op");
  EXPECT_THAT(end.attributes, ElementsAre("host-fallback"));
}

TEST(WireTest, WhatIsAbsentOrNullIsEmpty) {
  const End end =
      end_of(R"("outcome":"skip","failure":null,"placement":null,"operations":null,"cpu_s":null)");
  EXPECT_EQ(end.reason, "no reason given");
  EXPECT_FALSE(end.evidence || end.failure || end.cpu_s);
  EXPECT_TRUE(end.reference.is_null() && end.compiled.is_null());
  EXPECT_EQ(end.placement.where, Where::kUnknown);
}

TEST(WireTest, LongTextsAreCutOnACharacter) {
  std::string message;
  while (message.size() < 40'000) message += "\xe4\xbd\xa0";
  const End end = end_of(R"("outcome":"fail","failure":{"stage":"call","message":")" + message +
                         R"(","traceback":")" + message + "\"}");
  EXPECT_LE(end.failure->message.size(), kMaxMessageBytes);
  EXPECT_GT(end.failure->message.size(), kMaxMessageBytes - 20);
  EXPECT_LE(end.failure->traceback.size(), kMaxTracebackBytes);
  EXPECT_TRUE(is_utf8(end.failure->message));
  EXPECT_THAT(end.failure->message, HasSubstr("[cut]"));
}

TEST(WireTest, EmptyLinesMeanNothing) {
  EXPECT_FALSE(decode("", 1).value().has_value());
  EXPECT_FALSE(decode(" \r", 1).value().has_value());
}

TEST(WireTest, InvalidUtf8AndLongLinesAreRefused) {
  EXPECT_FALSE(decode("{\"ev\":\"unusable\",\"reason\":\"\xff\"}", 1).ok());
  std::string line = R"({"ev":"unusable","reason":")" + std::string(kMaxLineBytes, 'x') + "\"}";
  EXPECT_FALSE(decode(line, 1).ok());
}

TEST(WireTest, LongPlansAreSplit) {
  std::vector<std::string> names(5000, std::string(300, '"'));
  const std::string lines = encode_plan(names);
  std::size_t total = 0;
  std::size_t count = 0;
  for (const std::string_view line : split_lines(lines)) {
    EXPECT_LT(line.size(), kMaxLineBytes * 2);
    total += parse_json(line).value().find("names")->as_array().size();
    ++count;
  }
  EXPECT_EQ(total, 5000u);
  EXPECT_GT(count, 2u);
  EXPECT_EQ(encode_plan({}), "");
}

TEST(LineSplitterTest, CutsAnywhereAndBoundsALine) {
  LineSplitter splitter(8);
  std::vector<std::string> lines;
  for (const char* piece : {"ab", "c\nde", "\n\n", "1234", "5678", "\n"}) {
    ASSERT_TRUE(splitter.feed(piece, lines).ok());
  }
  EXPECT_THAT(lines, ElementsAre("abc", "de", "", "12345678"));
  lines.clear();
  EXPECT_FALSE(splitter.feed("x\n123456789", lines).ok());
  EXPECT_THAT(lines, ElementsAre("x"));
}

class ConversationTest : public ::testing::Test {
 protected:
  static ProtocolState served(WorkerMode mode) {
    ProtocolState protocol_state(mode);
    protocol_state.planned(4);
    EXPECT_TRUE(protocol_state.accept(Ready{}).ok());
    return protocol_state;
  }
  static End end(std::int64_t id) {
    End made;
    made.id = id;
    return made;
  }
};

TEST_F(ConversationTest, ReadyComesOnce) {
  ProtocolState protocol_state(WorkerMode::kPersistent);
  EXPECT_FALSE(protocol_state.accept(end(0)).ok());
  EXPECT_TRUE(protocol_state.accept(Ready{}).ok());
  EXPECT_FALSE(protocol_state.accept(Ready{}).ok());
  EXPECT_FALSE(protocol_state.accept(Unusable{}).ok());
}

TEST_F(ConversationTest, AnswersComeInOrder) {
  ProtocolState protocol_state = served(WorkerMode::kPersistent);
  EXPECT_FALSE(protocol_state.accept(end(0)).ok());
  protocol_state.sent_run(2);
  protocol_state.gave_nonce({});
  protocol_state.sent_run(0);
  EXPECT_THROW(protocol_state.sent_run(1), std::logic_error);
  EXPECT_FALSE(protocol_state.accept(end(0)).ok());
  EXPECT_FALSE(protocol_state.accept(Forked{2, 99, {}}).ok());
  EXPECT_FALSE(protocol_state.accept(Reaped{2, 0, {}, {}}).ok());
  EXPECT_FALSE(protocol_state.accept(Done{2, {}, {}}).ok());
  EXPECT_TRUE(protocol_state.accept(end(2)).ok());
  EXPECT_FALSE(protocol_state.accept(end(2)).ok());
  EXPECT_FALSE(protocol_state.accept(end(0)).ok());
  EXPECT_TRUE(protocol_state.accept(Done{2, {}, {}}).ok());
  protocol_state.gave_nonce({});
  EXPECT_TRUE(protocol_state.accept(end(0)).ok());
  EXPECT_TRUE(protocol_state.accept(Done{0, {}, {}}).ok());
  EXPECT_TRUE(protocol_state.ids().empty());
  EXPECT_THROW(protocol_state.sent_run(4), std::logic_error);
}

TEST_F(ConversationTest, WhatLacksTheNonceOfTheRequestIsForged) {
  for (const WorkerMode mode : {WorkerMode::kPersistent, WorkerMode::kFork}) {
    ProtocolState protocol_state = served(mode);
    protocol_state.sent_run(0);
    protocol_state.sent_run(1);
    End forged = end(0);
    EXPECT_TRUE(protocol_state.lacks_nonce());
    EXPECT_FALSE(protocol_state.accept(forged).ok());  // none was given yet, so none is right
    protocol_state.gave_nonce("one");
    EXPECT_FALSE(protocol_state.lacks_nonce());
    for (const char* nonce : {"", "two", "one "}) {
      forged.nonce = nonce;
      EXPECT_FALSE(protocol_state.accept(forged).ok());
      EXPECT_FALSE(protocol_state.accept(Forked{0, 99, nonce}).ok());
      EXPECT_FALSE(protocol_state.accept(Reaped{0, 0, nonce, {}}).ok());
      EXPECT_FALSE(protocol_state.accept(Done{0, nonce, {}}).ok());
    }
    forged.nonce = "one";
    EXPECT_TRUE(protocol_state.accept(forged).ok());
    EXPECT_TRUE((mode == WorkerMode::kFork ? protocol_state.accept(Reaped{0, 0, "one", {}})
                                           : protocol_state.accept(Done{0, "one", {}}))
                    .ok());
    forged = end(1);
    forged.nonce = "one";
    EXPECT_FALSE(protocol_state.accept(forged).ok());  // the one of the case before
  }
}

TEST_F(ConversationTest, AForkIsDoneWhenItsChildIsReaped) {
  ProtocolState protocol_state = served(WorkerMode::kFork);
  protocol_state.sent_run(0);
  protocol_state.sent_run(1);
  protocol_state.gave_nonce({});
  EXPECT_TRUE(protocol_state.accept(Forked{0, 99, {}}).ok());
  EXPECT_TRUE(protocol_state.accept(end(0)).ok());
  EXPECT_FALSE(protocol_state.accept(Done{0, {}, {}}).ok());
  EXPECT_FALSE(protocol_state.accept(Forked{0, 100, {}}).ok());
  EXPECT_FALSE(protocol_state.accept(end(0)).ok());
  EXPECT_FALSE(protocol_state.accept(Forked{1, 100, {}}).ok());
  EXPECT_EQ(protocol_state.ids().front(), 0);
  EXPECT_TRUE(protocol_state.accept(Reaped{0, 0, {}, {}}).ok());
  EXPECT_EQ(protocol_state.ids().front(), 1);
  EXPECT_FALSE(protocol_state.front_ended() || protocol_state.front_forked());
  protocol_state.gave_nonce({});
  EXPECT_TRUE(protocol_state.accept(Reaped{1, 9, {}, {}}).ok());  // died before it said anything
  EXPECT_EQ(protocol_state.in_flight(), 0u);
}

}  // namespace
}  // namespace seamark::agent
