// Machine files and requests for plans.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "tests/embed/helpers.hpp"

namespace tessera {
namespace {

TEST(MachineFile, IsReadFromTheOutsideIn) {
  const auto machine = parse_machine(R"([{"name":"node","count":4,"bandwidth":12.5e9,"latency":5e-6},
    {"latency": 0, "bandwidth": 300000000000, "count": 8, "name": "gpu"}])",
                                     "machine.json");
  ASSERT_TRUE(succeeded(machine));
  ASSERT_EQ(machine->levels.size(), 2U);
  EXPECT_EQ(machine->levels[0].name, "node");
  EXPECT_EQ(machine->levels[0].count, 4);
  EXPECT_EQ(machine->levels[0].bandwidth_bytes_per_second, 12.5e9);
  EXPECT_EQ(machine->levels[0].latency_seconds, 5e-6);
  EXPECT_EQ(machine->levels[1].bandwidth_bytes_per_second, 300e9);
  EXPECT_EQ(machine->levels[1].latency_seconds, 0.0);
}

TEST(MachineFile, IsReadAsItWasWritten) {
  const std::vector<MachineLevel> levels = {{"a \"host\"", 2, 1.25e8, 2e-4, 1e-5},
                                            {"rank", 4, 4e9, 1e-6, std::nullopt}};
  const std::vector<DeviceKind> kinds = {{2, 3.9e12, 9e11, 16'000'000'000}, {6, 1e11, 5e9, 0}};
  for (const Machine& machine : {Machine{levels, {}}, Machine{levels, kinds}, Machine{{}, kinds}}) {
    const std::string text = machine_text(machine);
    const auto read = parse_machine(text, "machine.json");
    ASSERT_TRUE(succeeded(read)) << text;
    EXPECT_EQ(*read, machine) << text;
  }
}

struct Fault {
  std::string text;
  std::uint32_t line;
  std::uint32_t column;
  std::string message;
};

void PrintTo(const Fault& fault, std::ostream* out) { *out << '`' << fault.message << '`'; }

class MachineFileFaults : public ::testing::TestWithParam<Fault> {};

TEST_P(MachineFileFaults, HaveAPlace) {
  const auto machine = parse_machine(GetParam().text, "machine.json");
  ASSERT_FALSE(machine.ok());
  const Diagnostic& diagnostic = machine.diagnostics()[0];
  EXPECT_EQ(diagnostic.slug, "machine-file");
  EXPECT_EQ(diagnostic.blame, Blame::command);
  EXPECT_EQ(diagnostic.message, "this is not a machine model: " + GetParam().message);
  ASSERT_FALSE(diagnostic.labels.empty());
  EXPECT_EQ(diagnostic.labels[0].place.file, "machine.json");
  EXPECT_EQ(diagnostic.labels[0].place.line, GetParam().line);
  EXPECT_EQ(diagnostic.labels[0].place.column, GetParam().column);
}

const std::vector<Fault> kFaults = {
    {"", 1, 1, "the JSON is broken here"},
    {"[{\"name\": \"node\",\n \"count\":}]", 2, 10, "the JSON is broken here"},
    {"[{\"name\":\"a\",\"count\":1,\"bandwidth\":1,\"latency\":1}] x", 1, 52, "the JSON is broken here"},
    {"[{\"count\": 1e999}]", 1, 16, "the JSON is broken here"},
    {"[{\"name\":\"a\",\"count\":1,\"bandwidth\":1,\"latency\":1,\"gap\":-1}]", 1, 50,
     "\"gap\" must be a number of seconds, from 0 to 1e9"},
    {"7", 1, 1, "it must be an array of objects"},
    {"{}", 1, 1, "it has neither levels nor devices"},
    {"[]", 1, 1, "it has neither levels nor devices"},
    {"[[]]", 1, 2, "it must be an array of objects"},
    {"[7]", 1, 3, "it must be an array of objects"},
    {"[{\"name\":\"a\",\"count\":1,\"bandwidth\":1}]", 1, 2, "this level has no \"latency\""},
    {"[{\"name\":\"a\",\n  \"count\":0,\"bandwidth\":1,\"latency\":1}]", 2, 3,
     "\"count\" must be a whole number from 1 to 65536"},
    {"[{\"name\":\"a\",\"count\":1.5,\"bandwidth\":1,\"latency\":1}]", 1, 14,
     "\"count\" must be a whole number from 1 to 65536"},
    {"[{\"name\":\"a\",\"count\":99999999999999999999,\"bandwidth\":1,\"latency\":1}]", 1, 14,
     "\"count\" must be a whole number from 1 to 65536"},
    {"[{\"name\":\"a\",\"count\":1,\"bandwidth\":0,\"latency\":1}]", 1, 24,
     "\"bandwidth\" must be a number of bytes per second, from 0.001 to 1e24, or a list of one for each unit"},
    {"[{\"name\":\"a\",\"count\":1,\"bandwidth\":1,\"latency\":-1}]", 1, 38,
     "\"latency\" must be a number of seconds, from 0 to 1e9"},
    {"[{\"name\":\"a\",\"count\":1,\"bandwidth\":4.9e-324,\"latency\":1}]", 1, 24,
     "\"bandwidth\" must be a number of bytes per second, from 0.001 to 1e24, or a list of one for each unit"},
    {"[{\"name\":\"a\",\"count\":1,\"bandwidth\":1,\"latency\":1e308}]", 1, 38,
     "\"latency\" must be a number of seconds, from 0 to 1e9"},
    {"[{\"name\":7,\"count\":1,\"bandwidth\":1,\"latency\":1}]", 1, 3, "\"name\" must be a text, the level's name"},
    {"[{\"name\":\"a\",\"name\":\"b\"}]", 1, 14, "the key \"name\" appears twice"},
    {"[{\"name\":\"a\",\"count\":1,\"bandwidth\":1,\"latency\":1,\"speed\":2}]", 1, 50, "there is no key \"speed\""},
    {"[{\"name\":[],\"count\":1,\"bandwidth\":1,\"latency\":1}]", 1, 3, "\"name\" must be a text, the level's name"},
    {"[{\"bandwidth\":[1,\"a\"]}]", 1, 3, "\"bandwidth\" needs a list of numbers"},
    {"[{\"bandwidth\":[[1]]}]", 1, 3, "\"bandwidth\" needs a list of numbers"},
    {"[{\"name\":\"a\",\"count\":1,\"bandwidth\":[],\"latency\":1}]", 1, 24,
     "\"bandwidth\" must be a number of bytes per second, from 0.001 to 1e24, or a list of one for each unit"},
    {"[{\"name\":\"a\",\"count\":2,\"bandwidth\":[1,0],\"latency\":1}]", 1, 24,
     "\"bandwidth\" must be a number of bytes per second, from 0.001 to 1e24, or a list of one for each unit"},
    {"[{\"name\":{}}]", 1, 3, "\"name\" needs a number or a text"},
};
INSTANTIATE_TEST_SUITE_P(All, MachineFileFaults, ::testing::ValuesIn(kFaults));

TEST(MachineFile, DeepNestingIsNoTrouble) {
  EXPECT_FALSE(parse_machine(std::string(1'000'000, '['), "machine.json").ok());
}

TEST(MachineFile, HasAtMostThirtyTwoLevels) {
  const std::string level = R"({"name":"l","count":1,"bandwidth":1e9,"latency":0})";
  std::string levels = level;
  for (int i = 1; i < 32; ++i) levels += "," + level;
  EXPECT_TRUE(parse_machine("[" + levels + "]", "machine.json").ok());
  for (int i = 0; i < 10; ++i) levels += "," + levels;
  const auto refused = parse_machine("[" + levels + "]", "machine.json");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.diagnostics()[0].message, "this is not a machine model: there are more than 32 levels");
}

RC_GTEST_PROP(MachineFile, AnyBytesEndInAnAnswer, (const std::string& text)) {
  (void)parse_machine(text, "machine.json");
  (void)parse_plan_request(text);
}

TEST(PlanRequest, IsReadFromOneObject) {
  PlanRequest defaults;
  defaults.planner = "paper";
  defaults.collectives_only = true;
  const auto request = parse_plan_request(R"({"to":"f32[8]","from":"f32[8@x]","mesh":"x:4"})", defaults);
  ASSERT_TRUE(succeeded(request));
  EXPECT_EQ(request->mesh, "x:4");
  EXPECT_EQ(request->from, "f32[8@x]");
  EXPECT_EQ(request->to, "f32[8]");
  EXPECT_EQ(request->planner, "paper");
  EXPECT_TRUE(request->collectives_only);
  EXPECT_FALSE(request->within_bytes.has_value());
}

TEST(PlanRequest, BudgetsAreNumbersOrTexts) {
  const auto within = [](const std::string& value) {
    return parse_plan_request(R"({"mesh":"x:4","from":"f32[8@x]","to":"f32[8]","planner":"xla","within":)" + value +
                              "}");
  };
  EXPECT_EQ(within("64")->within_bytes, 64);
  EXPECT_EQ(within("\"64KiB\"")->within_bytes, 65'536);
  EXPECT_EQ(within("\"2KB\"")->within_bytes, 2'000);
  EXPECT_EQ(within("64")->planner, "xla");
  for (const char* wrong : {"-1", "1.5", "true", "null", "\"much\"", "[]"}) {
    EXPECT_EQ(slug_of(within(wrong).diagnostics()), "plan-request") << wrong;
  }
}

TEST(PlanRequest, SaysWhatIsWrong) {
  const std::vector<std::pair<std::string, std::string>> faults = {
      {"", "the JSON is broken here"},
      {"[]", "it must be one object"},
      {"{}", "it has no \"mesh\""},
      {R"({"mesh":"x:4","from":"f32[8@x]"})", "it has no \"to\""},
      {R"({"mesh":4})", "\"mesh\" must be a text"},
      {R"({"machine":"x"})", "there is no key \"machine\""},
  };
  for (const auto& [text, message] : faults) {
    const auto request = parse_plan_request(text);
    ASSERT_FALSE(request.ok()) << text;
    EXPECT_EQ(request.diagnostics()[0].message, "this is not a request for a plan: " + message);
  }
}

TEST(PlanRequest, ARefusedOneIsAnsweredWithWhatItSays) {
  const auto answer = [](const std::string& text) {
    return plan_failure_json(text, {}, parse_plan_request(text).diagnostics());
  };
  EXPECT_TRUE(answer(R"({"mesh":"x:2","to":"f32[4]","within":[]})")
                  .starts_with(R"({"mesh":"x:2","from":"","to":"f32[4]","planner":"tessera","error":"plan-request")"));
  EXPECT_TRUE(answer(R"({"from":7,"to":"f32[4]","planner":"xla","me)")
                  .starts_with(R"({"mesh":"","from":"","to":"f32[4]","planner":"xla","error":"plan-request")"));
  EXPECT_TRUE(answer("nonsense").starts_with(R"({"mesh":"","from":"","to":"","planner":"tessera","error")"));
}

}  // namespace
}  // namespace tessera
