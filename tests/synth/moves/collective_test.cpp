// Steps and the layouts they give, and why they may not be taken.
#include "synth/moves/transfer/reduce_program.hpp"
#include "synth/moves/transfer/relay_recipe.hpp"
#include "tests/synth/support.hpp"

namespace tessera::synth::test {
namespace {

class CollectiveTest : public ::testing::Test {
 protected:
  static Collective slice(AxisList axes, std::size_t to) { return {Slice{{AxesAt{std::move(axes), to}}}, {}}; }
  static Collective all_gather(AxisList axes, std::size_t from) {
    return {AllGather{{AxesAt{std::move(axes), from}}}, {}};
  }
  static Collective all_to_all(AxisList axes, std::size_t from, std::size_t to) {
    return {AllToAll{{AxisMove{std::move(axes), from, to}}}, {}};
  }
  static Collective reduce_scatter(AxisList axes, std::size_t to) { return {ReduceScatter{std::move(axes), to}, {}}; }
  static Collective all_reduce(AxisList axes) { return {AllReduce{std::move(axes)}, {}}; }
  static Collective keep(AxisList axes, ReduceOp reduce = ReduceOp::sum) { return {Keep{std::move(axes), reduce}, {}}; }
  std::string after(const Collective& taken, std::string_view before) const {
    const auto result = apply(taken, type(before, on_));
    return result.ok() ? print(*result, Spacing::tight) : first_message(result);
  }

  MeshRef on_ = mesh("x:4,y:2,z:2");
  AxisPart x_ = whole_axis(*on_, 0);
  AxisPart y_ = whole_axis(*on_, 1);
  AxisPart z_ = whole_axis(*on_, 2);
};

TEST_F(CollectiveTest, NamesAreATable) {
  EXPECT_EQ(name(CollectiveKind::all_to_all), "all_to_all");
  EXPECT_EQ(mpi_name(CollectiveKind::exchange), "MPI_Alltoallw");
  EXPECT_EQ(collective_by_name("reduce_scatter"), CollectiveKind::reduce_scatter);
  EXPECT_EQ(collective_by_name("scatter"), std::nullopt);
}

TEST_F(CollectiveTest, ChangeTheLayoutAsSaid) {
  EXPECT_EQ(after(slice({x_}, 1), "f32[8@y,8]"), "f32[8@y,8@x]");
  EXPECT_EQ(after(slice({z_}, 0), "f32[8@y,8]"), "f32[8@(y,z),8]");
  EXPECT_EQ(after(all_gather({z_}, 0), "f32[8@(y,z),8]"), "f32[8@y,8]");
  EXPECT_EQ(after(all_to_all({z_}, 0, 1), "f32[8@(y,z),8@x]"), "f32[8@y,8@(x,z)]");
  EXPECT_EQ(after(reduce_scatter({x_}, 1), "f32[8,8@y]{+x,z}"), "f32[8,8@(y,x)]{+z}");
  EXPECT_EQ(after(all_reduce({z_, x_}), "f32[8]{+x,z}"), "f32[8]");
  EXPECT_EQ(after(keep({x_}), "f32[8@y]"), "f32[8@y]{+x}");
}

TEST_F(CollectiveTest, TakePartsOfAxes) {
  EXPECT_EQ(after(all_gather({AxisPart{0, 2, 2}}, 0), "f32[8@x]"), "f32[8@x:(1)2]");
  EXPECT_EQ(after(slice({AxisPart{0, 2, 2}}, 0), "f32[8@x:(1)2]"), "f32[8@x]");
  EXPECT_EQ(after(all_reduce({AxisPart{0, 1, 2}}), "f32[8]{+x}"), "f32[8]{+x:(2)2}");
  EXPECT_EQ(after(keep({AxisPart{0, 1, 2}}), "f32[8]{+x:(2)2}"), "f32[8]{+x}");
}

TEST_F(CollectiveTest, SayWhyTheyMayNotBeTaken) {
  EXPECT_EQ(after(slice({y_}, 1), "f32[8@y,8]"), "`slice` is not possible here: the array uses `y` already");
  EXPECT_EQ(after(slice({x_}, 2), "f32[8@y,8]"), "`slice` is not possible here: the array has no dimension 2");
  EXPECT_EQ(after(all_gather({y_}, 0), "f32[8@(y,z)]"),
            "`all_gather` is not possible here: `y` is not minor-most on dimension 0");
  EXPECT_EQ(after(all_to_all({y_}, 0, 0), "f32[8@y]"),
            "`all_to_all` is not possible here: it leads back to the dimension it comes from");
  EXPECT_EQ(after(reduce_scatter({y_}, 0), "f32[8]{+x}"),
            "`reduce_scatter` is not possible here: the array is not pending over `y`");
  EXPECT_EQ(after(all_reduce({}), "f32[8]{+x}"), "`all_reduce` is not possible here: it names no axis");
  EXPECT_EQ(after(keep({y_}, ReduceOp::max), "f32[8]{+x}"),
            "`keep` is not possible here: another reduction is pending already");
}

TEST_F(CollectiveTest, WithTargetsKeepTheArrayAndThePendingSet) {
  Collective move{Permute{type("f32[8@z,8]", on_)}, {}};
  EXPECT_EQ(after(move, "f32[8@y,8]"), "f32[8@z,8]");
  EXPECT_EQ(after(move, "f32[8@x,8]"), "`permute` is not possible here: its target cuts dimension 0 into other tiles");
  move.effect = Exchange{type("f32[8@z,8]", on_)};
  EXPECT_EQ(after(move, "f32[8@x,8]"), "f32[8@z,8]");
  EXPECT_EQ(after(move, "f32[8@x,8]{+y}"), "`exchange` is not possible here: its target has another pending set");
  EXPECT_EQ(after(move, "f32[8@x,9]"), "`exchange` is not possible here: its target has other extents");
  EXPECT_EQ(after(move, "i32[8@x,8]"), "`exchange` is not possible here: its target has another element type");
}

TEST_F(CollectiveTest, OnlyAnExchangeOrARelayChangesTheMesh) {
  Collective move{Exchange{type("f32[8@a,8]", "a:16")}, {}};
  EXPECT_EQ(after(move, "f32[8@x,8]"), "f32[8@a,8]");
  move.effect = Permute{type("f32[8@a,8]", "a:16")};
  EXPECT_EQ(after(move, "f32[8@x,8]"), "`permute` is not possible here: its target is on another mesh");
  move.effect = Exchange{type("f32[8@a,8]", "a:4 on 14:18")};
  EXPECT_EQ(after(move, "f32[8@x,8]"), "f32[8@a,8]");
  move.recipe = std::make_shared<const RelayRecipe>();
  EXPECT_EQ(after(move, "f32[8@x,8]"), "f32[8@a,8]");
}

TEST_F(CollectiveTest, AreNamedByEffectAndRecipe) {
  const std::vector<std::pair<Collective, std::string_view>> all = {
      {slice({x_}, 0), "slice"},
      {all_gather({x_}, 0), "all_gather"},
      {all_to_all({x_}, 0, 1), "all_to_all"},
      {{Permute{}, {}}, "permute"},
      {{Exchange{}, {}}, "exchange"},
      {{Exchange{}, Round{0, 2, 0}}, "exchange"},
      {{Exchange{}, std::make_shared<const RelayRecipe>()}, "relay"},
      {{Exchange{}, RelayRef()}, "relay"},
      {reduce_scatter({x_}, 0), "reduce_scatter"},
      {{AllReduce{{x_}}, std::make_shared<const ReduceProgram>()}, "all_reduce"},
      {keep({x_}), "keep"}};
  for (const auto& [step, named] : all) {
    EXPECT_EQ(name(step), named);
    EXPECT_EQ(collective_by_name(named), kind_of(step));
  }
}

// Every recipe with every effect that it does not carry out.
TEST_F(CollectiveTest, RefuseTheRecipeOfAnotherEffect) {
  const ArrayType same = type("f32[8]{+x}", on_);
  const std::vector<Collective> exchanges = {{Exchange{same}, {}}};
  const std::vector<Collective> sums = {reduce_scatter({x_}, 0), all_reduce({x_})};
  const std::vector<Collective> others = {
      slice({y_}, 0), all_gather({y_}, 0), all_to_all({y_}, 0, 0), {Permute{same}, {}}, keep({y_})};
  const auto refused = [&](const std::vector<Collective>& steps, const Recipe& recipe, std::string_view why) {
    for (const Collective& step : steps) {
      const std::string message = after(Collective{step.effect, recipe}, "f32[8]{+x}");
      EXPECT_EQ(message, fmt::format("`{}` is not possible here: {}", name(step), why));
    }
  };
  const Recipe relay = std::make_shared<const RelayRecipe>();
  const Recipe program = std::make_shared<const ReduceProgram>();
  for (const auto& steps : {sums, others}) {
    refused(steps, Round{0, 2, 0}, "only an exchange is cut into rounds");
    refused(steps, relay, "only an exchange is relayed");
  }
  for (const auto& steps : {exchanges, others}) refused(steps, program, "only sums have programs");
  EXPECT_EQ(after({Exchange{same}, RelayRef()}, "f32[8]{+x}"),
            "`relay` is not possible here: it does not say who sends what");
}

TEST_F(CollectiveTest, DetailsAreTheContracts) {
  EXPECT_EQ(detail(all_to_all({x_}, 2, 1), *on_), "x: dim 2 -> dim 1");
  EXPECT_EQ(detail(slice({x_, y_}, 1), *on_), "(x,y): dim 1");
  EXPECT_EQ(detail(all_gather({x_}, 1), *on_), "x: dim 1");
  EXPECT_EQ(detail(reduce_scatter({x_}, 2), *on_), "x: dim 2");
  EXPECT_EQ(detail(all_reduce({x_, y_}), *on_), "(x,y)");
  EXPECT_EQ(detail(keep({AxisPart{0, 2, 2}}), *on_), "x:(2)2");
  EXPECT_EQ(detail({Exchange{}, {}}, *on_), "");
}

}  // namespace
}  // namespace tessera::synth::test
