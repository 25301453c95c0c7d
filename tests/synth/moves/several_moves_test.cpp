// Steps that move several lists of axes in one launch: as rivals take them.
#include "synth/planner/text/print_json.hpp"
#include "synth/planner/text/read_json.hpp"
#include "synth/verify/verify.hpp"
#include "tests/synth/generators.hpp"
#include "tests/synth/support.hpp"

namespace tessera::synth::test {
namespace {

// Does what is asked with the moves of a step that has some.
template <class Ask>
void with_moves(PlanStep& step, const Ask& ask) {
  Effect& effect = step.collective.effect;
  if (auto* slice = std::get_if<Slice>(&effect)) ask(slice->moves);
  if (auto* gather = std::get_if<AllGather>(&effect)) ask(gather->moves);
  if (auto* all_to_all = std::get_if<AllToAll>(&effect)) ask(all_to_all->moves);
}

std::vector<AxisList*> lists_in(PlanStep& step) {
  std::vector<AxisList*> lists;
  with_moves(step, [&](auto& moves) {
    for (auto& move : moves) lists.push_back(&move.axes);
  });
  return lists;
}

void drop_second(PlanStep& step) {
  with_moves(step, [](auto& moves) { moves.erase(moves.begin() + 1); });
}

void put_at(AxesAt& move, std::size_t dimension) { move.dimension = dimension; }
void put_at(AxisMove& move, std::size_t dimension) { move.from = move.to = dimension; }
void put_second_at(PlanStep& step, std::size_t dimension) {
  with_moves(step, [&](auto& moves) { put_at(moves[1], dimension); });
}

class SeveralMoves : public ::testing::Test {
 protected:
  Plan of(std::string_view from, const std::vector<Collective>& steps) const {
    auto made = plan_of_steps(type(from, on_), steps, Machine{});
    EXPECT_TRUE(made.ok()) << first_message(made);
    return made.ok() ? *made : Plan{};
  }
  std::string refusal(std::string_view from, const Collective& step) const {
    return first_message(apply(step, type(from, on_)));
  }
  // Two moves in one launch.
  static Collective slices(AxesAt first, AxesAt second) { return {Slice{{std::move(first), std::move(second)}}, {}}; }
  static Collective gathers(AxesAt first, AxesAt second) {
    return {AllGather{{std::move(first), std::move(second)}}, {}};
  }
  static Collective passes(AxisMove first, AxisMove second) {
    return {AllToAll{{std::move(first), std::move(second)}}, {}};
  }
  // A launch of each kind that may have several moves.
  std::vector<Plan> samples() const {
    return {of("f32[16,16]", {slices({{x_}, 0}, {{y_, z_}, 1})}),
            of("f32[16@(x,z),12@y]", {gathers({{z_}, 0}, {{y_}, 1})}),
            of("f32[16@(x,z),13@y]", {passes({{z_}, 0, 1}, {{x_}, 0, 1})}),
            of("f32[16@x,6@y,4]", {passes({{x_}, 0, 2}, {{y_}, 1, 0})}),
            of("f32[7@(x,y),5]{+z}", {passes({{y_}, 0, 1}, {{AxisPart{0, 2, 2}}, 0, 1})})};
  }
  static std::string verdict(const Plan& plan) { return first_message(verify(plan, Machine{})); }

  MeshRef on_ = mesh("x:4,y:3,z:2");
  AxisPart x_ = whole_axis(*on_, 0);
  AxisPart y_ = whole_axis(*on_, 1);
  AxisPart z_ = whole_axis(*on_, 2);
};

TEST_F(SeveralMoves, AreTakenInOrder) {
  const Plan plan = of("f32[16@(x,z),12@y]", {passes({{z_}, 0, 1}, {{x_}, 0, 1})});
  EXPECT_EQ(print(plan.to, Spacing::tight), "f32[16,12@(y,z,x)]");
  EXPECT_EQ(detail(plan.steps[0].collective, *on_), "z: dim 0 -> dim 1; x: dim 0 -> dim 1");
}

TEST_F(SeveralMoves, AreOneGroupOfAllTheirAxes) {
  const Plan plan = of("f32[16@x,6@y,4]", {passes({{x_}, 0, 2}, {{y_}, 1, 0})});
  EXPECT_EQ(plan.steps[0].group_size, 12);
  EXPECT_EQ(plan.steps[0].groups, 2);
}

TEST_F(SeveralMoves, CountWhatIsMissingAtTheEndOnce) {
  const Plan plan = of("f32[16@(x,z),12@y]", {gathers({{z_}, 0}, {{y_}, 1})});
  EXPECT_EQ(plan.received_bytes_total, plan.lower_bound_bytes_total);
  EXPECT_EQ(plan.steps[0].received_bytes_max, (4 * 12 - 2 * 4) * 4);
}

TEST_F(SeveralMoves, MoveTheData) {
  for (const Plan& plan : samples()) expect_moves_data(plan);
}

TEST_F(SeveralMoves, ComeBackFromJsonAndVerify) {
  for (const Plan& plan : samples()) {
    auto read = read_json(print_json(plan));
    ASSERT_TRUE(read.ok()) << first_message(read);
    EXPECT_EQ(print_json(*read), print_json(plan));
    EXPECT_EQ(lists_in(read->steps[0]).size(), 2U);
    EXPECT_EQ(verdict(*read), "");
  }
}

TEST_F(SeveralMoves, AreReadInTheirOneForm) {
  const std::string right = print_json(samples()[0]);
  const std::string detail = "x: dim 0; (y,z): dim 1";
  for (const std::string_view wrong :
       {"x: dim 0;(y,z): dim 1", "x: dim 0; ", "x: dim 0; (y,z)", "x: dim 0 (y,z): dim 1", "x: dim 0; (y,z): dim 1;"}) {
    std::string text = right;
    text.replace(text.find(detail), detail.size(), wrong);
    EXPECT_EQ(first_error(read_json(text)), "bad-plan-text") << wrong;
  }
}

TEST_F(SeveralMoves, AreVerifiedOneByOne) {
  for (const Plan& right : samples()) {
    Plan dropped = right;
    drop_second(dropped.steps[0]);
    EXPECT_THAT(verdict(dropped), ::testing::HasSubstr("does not give this type"));
    Plan other = right;
    *lists_in(other.steps[0])[1] = *lists_in(other.steps[0])[0];
    EXPECT_THAT(verdict(other), ::testing::HasSubstr("its axes are not those of the mesh"));
    Plan beyond = right;
    put_second_at(beyond.steps[0], 3);
    EXPECT_THAT(verdict(beyond), ::testing::HasSubstr("it names a dimension that is not there"));
    Plan nothing = right;
    lists_in(nothing.steps[0])[1]->clear();
    EXPECT_THAT(verdict(nothing), ::testing::HasSubstr("its axes are not those of the mesh"));
    Plan smaller = right;
    smaller.steps[0].groups *= 2;
    EXPECT_NE(verdict(smaller), "");
  }
}

TEST_F(SeveralMoves, InTheWrongOrderAreRefused) {
  Plan plan = of("f32[16@(x,z),13@y]", {passes({{z_}, 0, 1}, {{x_}, 0, 1})});
  std::swap(*lists_in(plan.steps[0])[0], *lists_in(plan.steps[0])[1]);
  EXPECT_THAT(verdict(plan), ::testing::HasSubstr("an all_to_all does not give this type"));
  EXPECT_THAT(refusal("f32[16@(x,z),13@y]", plan.steps[0].collective),
              ::testing::HasSubstr("`x` is not minor-most on dimension 0"));
}

TEST_F(SeveralMoves, NameNoAxisTwice) {
  EXPECT_THAT(refusal("f32[8@x,8]", passes({{x_}, 0, 1}, {{x_}, 1, 0})),
              ::testing::HasSubstr("it moves an axis twice"));
}

// Any gather of all dimensions at once, and the slices back.
RC_GTEST_PROP(SeveralMovesProperty, GatherEverythingAtOnceAndSliceItAgain, ()) {
  const MeshRef on = any_mesh();
  const ArrayType split = any_type(on, any_shape(3, 9), false);
  AllGather gather;
  Slice slice;
  for (std::size_t d = 0; d < split.rank(); ++d) {
    const AxisList& axes = split.layout().split(d);
    if (axes.empty()) continue;
    gather.moves.push_back({axes, d});
    slice.moves.push_back({axes, d});
  }
  if (gather.moves.empty()) return;
  const auto made = plan_of_steps(split, {{gather, Direct{}}, {slice, Direct{}}}, Machine{});
  RC_LOG() << print(*on) << "; " << print(split) << ": " << first_message(made);
  RC_ASSERT(made.ok());
  RC_ASSERT(made->to == split);
  const auto read = read_json(print_json(*made));
  RC_ASSERT(read.ok());
  RC_ASSERT(verify(*read, Machine{}).ok());
  expect_moves_data(*made);
}

}  // namespace
}  // namespace tessera::synth::test
