// The JSON of plans: the contract's form, and back.
#include "synth/planner/text/print_json.hpp"
#include "synth/planner/text/read_json.hpp"
#include "synth/verify/verify.hpp"
#include "tests/synth/generators.hpp"
#include "tests/synth/support.hpp"

namespace tessera::synth::test {
namespace {

Plan example() {
  const MeshRef on = mesh("x:4,y:2");
  return planned(type("f32[16@y,16,16@x]", on), type("f32[16@y,16@x,16]", on));
}

TEST(PlanJson, HasTheContractsKeysInItsOrder) {
  EXPECT_EQ(print_json(example()),
            R"({"mesh": "x:4,y:2", "from": "f32[16@y,16,16@x]", "to": "f32[16@y,16@x,16]", "planner": "tessera", )"
            R"("devices": 8, "steps": [{"op": "all_to_all", "detail": "x: dim 2 -> dim 1", )"
            R"("type": "f32[16@y,16@x,16]", "local_bytes_max": 2048, "received_bytes_total": 12288, )"
            R"("received_bytes_max": 1536, "groups": 2, "group_size": 4, )"
            R"("transfer": {"recipe": "direct", "hops": 1, "stretches": 1}}], "received_bytes_total": 12288, )"
            R"("lower_bound_bytes_total": 12288, "local_bytes_max": 2048, "bound_bytes": 2048, "peak_bytes": 4096, )"
            R"("seconds": 3.01536e-06, "lower_bound_seconds": 1.536e-08, "verified": true})");
}

TEST(PlanJson, OfNothingToDoHasNoSteps) {
  const MeshRef on = mesh("x:4");
  const std::string text = print_json(planned(type("f32[8@x]", on), type("f32[8@x]", on)));
  EXPECT_THAT(text, ::testing::HasSubstr(R"("steps": [])"));
  EXPECT_THAT(text, ::testing::HasSubstr(R"("peak_bytes": 8, "seconds": 0, )"));
}

TEST(PlanJson, OfFailures) {
  const ArrayType from = type("f32[8@x,8]", "x:4");
  const ArrayType to = type("f32[8,8]", "x:4");
  const ArrayType pending = type("f32[8,8]{+x}", "x:4");
  PlanOptions options;
  options.planner = Planner::xla;
  const auto unsupported = plan(pending, to, Machine{}, options);
  EXPECT_EQ(print_json_error(pending, to, Planner::xla, unsupported.errors()[0]),
            R"({"mesh": "x:4", "from": "f32[8,8]{+x}", "to": "f32[8,8]", "planner": "xla", "devices": 4, )"
            R"("error": "unsupported", "message": "the planner `xla` cannot do this: the pending sums differ"})");
  options.planner = Planner::tessera;
  options.within_bytes = 100;
  options.source = Source::kept_whole;
  const auto over = plan(from, to, Machine{}, options);
  EXPECT_EQ(print_json_error(from, to, Planner::tessera, over.errors()[0]),
            R"({"mesh": "x:4", "from": "f32[8@x,8]", "to": "f32[8,8]", "planner": "tessera", "devices": 4, )"
            R"("error": "over-budget", "message": "the peak of 320 B per device is over the budget of 100 B", )"
            R"("least_bytes": 320})");
}

// Rows of no numbers, of several lengths, none: a plan is read, or refused in words.
TEST(PlanJson, OfAnyPlacementIsReadOrRefused) {
  const std::string text = print_json(planned(type("f32[8@x]", "x:4"), type("f32[8]", "x:4")));
  const auto with = [&](const std::string& place) {
    std::string placed = text;
    return read_json(placed.replace(placed.find(" \"from\""), 0, " \"place\": " + place + ","));
  };
  EXPECT_TRUE(with("[[4]]").ok());
  EXPECT_TRUE(with("[[2,2]]").ok());
  EXPECT_EQ(first_message(with("[[]]")), "the placement `[[]]` has no numbers in row 1");
  for (const char* place : {"[[]]", "[]", "[[],[]]", "[[0]]", "[[4],[]]", "[[-4]]", "[[2]]", "[[4],[4]]", "[4]", "4",
                            "{}", "[[[]]]", "[[\"4\"]]", "[[4.5]]", "null", "[[9223372036854775807]]"})
    EXPECT_FALSE(with(place).ok()) << place;
}

void expect_round_trip(const Plan& plan) {
  const std::string text = print_json(plan);
  const auto read = read_json(text);
  ASSERT_TRUE(read.ok()) << first_message(read);
  EXPECT_EQ(print_json(*read), text);
  const base::Status verified = verify(*read, Machine{});
  EXPECT_TRUE(verified.ok()) << first_message(verified);
}

TEST(PlanJson, ReadsBackEveryKindOfStep) {
  const MeshRef on = mesh("x:4,y:2");
  const std::vector<std::pair<std::string, std::string>> changes = {
      {"f32[8,8]", "f32[8@x,8]"},       {"f32[8,8@y]", "f32[8,8]"},    {"f32[8@x,8]", "f32[8,8@x]"},
      {"f32[8@(x,y)]", "f32[8@(y,x)]"}, {"f32[8@(x,y)]", "f32[8@y]"},  {"f32[8]{+x}", "f32[8@x]"},
      {"f32[8]{max x}", "f32[8]"},      {"f32[8]", "f32[8]{min x,y}"}, {"f32[8@x:(1)2]", "f32[8@x]"},
      {"f32[8@x]", "f32[8@x]"}};
  for (const auto& [from, to] : changes) expect_round_trip(planned(type(from, on), type(to, on)));
}

TEST(PlanJson, KeepsNamesOfAnyScript) {
  const MeshRef on = mesh("ширина:4");
  expect_round_trip(planned(type("f32[8@ширина,8]", on), type("f32[8,8@ширина]", on)));
}

TEST(PlanJson, RefusesWhatIsNoPlan) {
  const std::string right = print_json(example());
  const auto with = [&](std::string_view old, std::string_view now) {
    std::string text = right;
    text.replace(text.find(old), old.size(), now);
    return text;
  };
  for (const std::string& text : {std::string(),
                                  std::string("{"),
                                  std::string("[]"),
                                  std::string("nul"),
                                  right + "x",
                                  right.substr(0, right.size() - 1),
                                  with("\"devices\": 8, ", ""),
                                  with("\"devices\": 8", "\"devices\": 9"),
                                  with("\"devices\": 8", "\"devices\": 8, \"devices\": 8"),
                                  with("2048", "2048.5"),
                                  with("2048", "-2048"),
                                  with("2048", "99999999999999999999"),
                                  with("2048", "02048"),
                                  with("true", "1"),
                                  with("all_to_all", "all_to"),
                                  with("x: dim 2 -> dim 1", "x: dim 2"),
                                  with("x: dim 2", "x : dim 2"),
                                  with("x: dim 2", "w: dim 2"),
                                  with("\"tessera\"", "\"nobody\""),
                                  with("3.01536e-06", "1e999"),
                                  with("3.01536e-06", "NaN"),
                                  with("\"op\"", "\"\\u12\""),
                                  with("\"op\"", "\"\\ud800\""),
                                  std::string(100, '['),
                                  with("\"verified\": true", "\"verified\": true, \"more\": 1")}) {
    EXPECT_EQ(first_error(read_json(text)), "bad-plan-text") << text;
  }
  EXPECT_EQ(first_error(read_json(with("f32[16@y,16,16@x]", "f32[16@w,16,16@x]"))), "unknown-axis");
  EXPECT_EQ(first_error(read_json(with("x:4,y:2", "x:4,y"))), "bad-mesh-text");
}

TEST(PlanJson, ReadsStrictJsonWrittenByOthers) {
  std::string text = print_json(example());
  for (std::size_t at = text.find(", "); at != std::string::npos; at = text.find(", ", at + 1)) {
    text.replace(at, 2, ",\n\t ");
  }
  text.replace(text.find("tessera"), 7, "\\u0074essera");
  const auto read = read_json(text);
  ASSERT_TRUE(read.ok()) << first_message(read);
  EXPECT_EQ(print_json(*read), print_json(example()));
}

RC_GTEST_PROP(PlanJsonProperty, ReadsBackAndVerifies, ()) {
  const MeshRef on = any_mesh();
  const Shape shape = any_shape(*rc::gen::inRange<std::size_t>(0, 4), 20);
  const ArrayType from = any_type(on, shape, true);
  const ArrayType to = any_type(on, shape, true);
  PlanOptions options;
  options.planner = *rc::gen::element(Planner::tessera, Planner::gather);
  const Plan made = planned(from, to, options);
  const auto read = read_json(print_json(made));
  RC_ASSERT(read.ok());
  RC_ASSERT(print_json(*read) == print_json(made));
  RC_ASSERT(verify(*read, Machine{}).ok());
}

RC_GTEST_PROP(PlanJsonProperty, NeverCrashesOnDamagedText, ()) {
  std::string text = print_json(example());
  const auto damages = *rc::gen::inRange(1, 4);
  for (int i = 0; i < damages; ++i) {
    text[*rc::gen::inRange<std::size_t>(0, text.size())] = *rc::gen::arbitrary<char>();
  }
  const auto read = read_json(text);
  if (read.ok()) static_cast<void>(verify(*read, Machine{}).ok());
}

}  // namespace
}  // namespace tessera::synth::test
