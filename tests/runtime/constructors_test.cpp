// Steps that make arrays.
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "runtime/io/npy.hpp"
#include "runtime/kernels/copy.hpp"
#include "runtime/kinds.hpp"
#include "tests/runtime/support.hpp"

namespace tessera::runtime::test {
namespace {

using testing::ElementsAre;

// The constructor makes the same on one device and on many.
void expect_independent_of_layout(const std::function<RegisterId(Builder&, const synth::ArrayType&)>& construct,
                                  ElementType element) {
  rc::check("a constructor does not see the layout", [&] {
    Shape shape;
    const auto rank = *rc::gen::inRange<std::size_t>(0, 4);
    for (std::size_t d = 0; d < rank; ++d) shape.push_back(*rc::gen::inRange(0, 7));
    Builder alone("");
    alone.output(construct(alone, *synth::ArrayType::replicated(element, shape, alone.mesh())));
    const auto mesh = random_mesh();
    Builder spread(synth::print(*mesh));
    spread.output(construct(spread, random_type(element, shape, spread.mesh(), Pending::perhaps)));
    RC_ASSERT(gather(run_well(spread.program()).outputs[0])->bytes ==
              gather(run_well(alone.program()).outputs[0])->bytes);
  });
}

TEST(Constructors, DoNotSeeTheLayout) {
  expect_independent_of_layout(
      [](Builder& b, const synth::ArrayType& type) { return b.apply(synth::Iota{}, {}, type); }, ElementType::i64);
  expect_independent_of_layout(
      [](Builder& b, const synth::ArrayType& type) { return b.apply(synth::Random{}, {b.number(42)}, type); },
      ElementType::f32);
  expect_independent_of_layout(
      [](Builder& b, const synth::ArrayType& type) { return b.apply(synth::Normal{}, {b.number(-1)}, type); },
      ElementType::f64);
  expect_independent_of_layout(
      [](Builder& b, const synth::ArrayType& type) { return b.apply(synth::Fill{}, {b.number(7)}, type); },
      ElementType::i64);
  expect_independent_of_layout(
      [](Builder& b, const synth::ArrayType& type) { return b.constant(counting<float>(type.shape()), type); },
      ElementType::f32);
}

TEST(Constructors, APendingArrayIsMadeOnceAlongItsAxes) {
  Builder builder("x:3");
  builder.output(builder.apply(synth::Fill{}, {builder.number(7)}, "i64[2]{+x}"));
  const Value value = run_well(builder.program()).outputs[0];
  EXPECT_THAT(gathered<std::int64_t>(value).values(), ElementsAre(7, 7));
  EXPECT_EQ(*reinterpret_cast<const std::int64_t*>(value.tile(2).data()), 0);
}

TEST(Load, EveryDeviceReadsItsTile) {
  const Folder folder;
  const auto array = counting<float>(Shape{7, 5});
  const auto fill = [&](const synth::Box& box, const TileOut& out) {
    copy_elements(part_of(array.view(), Shape{box[0].begin, box[1].begin}, out.shape), out);
  };
  ASSERT_TRUE(save_npy({}, folder / "a.npy", ElementType::f32, array.shape, fill).ok());
  for (const char* type : {"f32[7@x, 5@y]", "f32[7, 5@(y,x)]", "f32[7@y, 5]", "f32[7, 5]"}) {
    Builder builder("x:2,y:4");
    builder.output(builder.apply(synth::Load{builder.string(folder / "a.npy")}, {}, type));
    EXPECT_EQ(gather(run_well(builder.program()).outputs[0])->bytes, array.bytes) << type;
  }
  Builder builder("");
  builder.output(builder.apply(synth::Load{builder.string(folder / "a.npy")}, {}, "f64[7, 5]"));
  const auto failure = run_badly(builder.program());
  EXPECT_EQ(failure.kind, Kind::file_element);
  EXPECT_EQ(failure.origin, 1U);
}

}  // namespace
}  // namespace tessera::runtime::test
