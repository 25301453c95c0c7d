// Layouts of other systems: what the forms mean, what is refused and where, and that what is written reads back.
#include "interop/read/read.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <string>
#include <vector>

#include "interop/kinds.hpp"
#include "interop/one_mesh.hpp"
#include "interop/write/layout_text.hpp"

namespace tessera::interop {
namespace {

using synth::ArrayType;
using synth::AxisList;
using synth::AxisPart;
using synth::Mesh;
using synth::MeshRef;

const base::SourceId kSource{0};

// What a text of this format says; `mesh` may be empty.
base::Result<Described> describe(Format format, const std::string& text, const std::string& mesh = "",
                                 std::optional<std::int64_t> devices = std::nullopt) {
  const Text given{text, what_of(format), kSource};
  Reading reading{format, given};
  const Text mesh_text{mesh, "a mesh", kSource};
  if (!mesh.empty()) reading.mesh = mesh_text;
  reading.devices = devices;
  return read(reading);
}

ShapeText shape_of(const std::string& text) { return *read_shape({text, "a shape", kSource}, std::nullopt); }

// `a:2,b:4 f32[16@a, 16]`, or the slug and place of the mistake: `interop-syntax 3`.
std::string type_text(Format format, const std::string& text, const std::string& mesh, const std::string& shape) {
  const auto said = describe(format, text, mesh);
  const auto failure = [](const base::Diagnostics& why) {
    const auto& first = why.front();
    return fmt::format("{} {}", first.kind.slug, first.labels.empty() ? -1 : int(first.labels.front().span.begin));
  };
  if (!said.ok()) return failure(said.errors());
  const auto type = type_of(*said, shape.empty() ? std::nullopt : std::optional(shape_of(shape)));
  if (!type.ok()) return failure(type.errors());
  return fmt::format("{} {}", synth::print(type->mesh()), synth::print(*type));
}

struct Known {
  Format format;
  std::string text;
  std::string mesh;
  std::string shape;
  std::string type;
};

class KnownTexts : public testing::TestWithParam<Known> {};
TEST_P(KnownTexts, MeansThis) {
  const Known& known = GetParam();
  EXPECT_EQ(type_text(known.format, known.text, known.mesh, known.shape), known.type) << known.text;
}

INSTANTIATE_TEST_SUITE_P(
    Of, KnownTexts,
    testing::Values(
        Known{Format::jax, "P(('y','x'), None)", "x:4,y:2", "f32[16,16]", "x:4,y:2 f32[16@(y,x), 16]"},
        Known{Format::jax,
              "NamedSharding(mesh=Mesh('x': 4, 'y': 2, axis_types=(Auto, Explicit)), spec=P('x'), memory_kind=device)",
              "", "f32[16,16]", "x:4,y:2 f32[16@x, 16]"},
        Known{Format::jax, "P('x', unreduced={'y'}, reduced={'x'})", "x:4,y:2", "f32[16,16]",
              "x:4,y:2 f32[16@x, 16]{+y}"},
        Known{Format::jax, "float32[8@(y,x),2]", "x:4,y:2", "", "x:4,y:2 f32[8@(y,x), 2]"},
        Known{Format::jax, "bfloat16[8,8]", "x:4", "", "x:4 bf16[8, 8]"},
        Known{Format::jax, "float32[8,8]{U:x}", "x:4", "", "x:4 f32[8, 8]{+x}"},
        Known{Format::hlo, "{devices=[2,1,4]<=[4,2]T(1,0)}", "", "f32[16,16,16]", "a:4,b:2 f32[16@b, 16, 16@a]"},
        Known{Format::hlo, "{devices=[2,1,4]<=[8] last_tile_dim_replicate}", "", "f32[16,16]", "a:2,b:4 f32[16@a, 16]"},
        Known{Format::hlo, "{devices=[2,2,2]<=[8] last_tile_dims={unreduced, replicated}}", "", "f32[16]",
              "a:2,b:2,c:2 f32[16@a]{+b}"},
        Known{Format::hlo, "{devices=[2,2]0,2,1,3}", "", "f32[16,16]", "a:2,b:2 f32[16@b, 16@a]"},
        Known{Format::hlo, "{devices=[2,2]1,0,2,3 last_tile_dim_replicate}", "", "f32[16]", "a:2,b:2 f32[16@a]"},
        Known{Format::hlo, "{mesh['x'=4,'y'=2], [{'x':(1)2}, {'y'}], unreduced={'x':(2)2}}", "", "f32[16,16]",
              "x:4,y:2 f32[16@x:(1)2, 16@y]{+x:(2)2}"},
        Known{Format::sdy, R"(#sdy.sharding<@mesh, [{"y", "x":(1)2}, {?}], unreduced={"x":(2)2}>)",
              R"(<["x"=4, "y"=2]>)", "f32[16,16]", "x:4,y:2 f32[16@(y,x:(1)2), 16]{+x:(2)2}"},
        Known{Format::sdy, R"(<mesh<["x"=2]>, [{"x"}p0, {}]>)", "", "f32[16,16]", "x:2 f32[16@x, 16]"},
        Known{Format::dtensor, "[S(0), R]", "x:4,y:2", "f32[16,16]", "x:4,y:2 f32[16@x, 16]"},
        Known{Format::dtensor, "(Shard(dim=0), Partial(max))", "x:4,y:2", "f32[16,16]", "x:4,y:2 f32[16@x, 16]{max y}"},
        Known{Format::dtensor, "[S(0), Partial(product)]", "x:4,y:2", "f32[16,16]", "x:4,y:2 f32[16@x, 16]{*y}"},
        Known{Format::dtensor, "[S(0), S(0)]", "x:4,y:2", "f32[16,16]", "x:4,y:2 f32[16@(x,y), 16]"},
        Known{Format::dtensor, "[_S(0, 2), S(0)]", "x:4,y:2", "f32[16,16]", "x:4,y:2 f32[16@(y,x), 16]"},
        Known{Format::jax, "complex64[8]", "x:4", "", "x:4 c64[8]"},
        Known{Format::alpa, "S01R", "x:4,y:2", "f32[16,16]", "x:4,y:2 f32[16@(x,y), 16]"},
        Known{Format::alpa, "RS1", "x:4,y:2", "f32[16,16]", "x:4,y:2 f32[16, 16@y]"}));

INSTANTIATE_TEST_SUITE_P(
    OfRefused, KnownTexts,
    testing::Values(Known{Format::jax, "P('x', 'x')", "x:4", "f32[16,16]", "interop-syntax 7"},
                    Known{Format::jax, "P('q')", "x:4", "f32[16]", "interop-syntax 2"},
                    Known{Format::jax, "P('x', None, None)", "x:4", "f32[16]", "interop-syntax 0"},
                    Known{Format::jax, "P('x'", "x:4", "f32[16]", "interop-syntax 5"},
                    Known{Format::jax, "P(UNCONSTRAINED)", "x:4", "f32[16]", "interop-unsupported 2"},
                    Known{Format::jax, "float32[8]{V:x}", "x:4", "", "interop-unsupported 11"},
                    Known{Format::jax, "float8_e5m2[8]", "x:4", "", "interop-unsupported 0"},
                    Known{Format::hlo, "{devices=[2,2]0,1,2}", "", "f32[16,16]", "interop-devices 9"},
                    Known{Format::hlo, "{devices=[2,2]0,1,2,2}", "", "f32[16,16]", "interop-devices 20"},
                    Known{Format::hlo, "{devices=[2,2]0,1,2,9}", "", "f32[16,16]", "interop-devices 20"},
                    Known{Format::hlo, "{devices=[2,2]<=[5]}", "", "f32[16,16]", "interop-devices 9"},
                    Known{Format::hlo, "{devices=[2,2]<=[2,2]T(0,0)}", "", "f32[16,16]", "interop-devices 22"},
                    Known{Format::hlo, "{devices=[65536,2]<=[131072]}", "", "f32[16,16]", "interop-devices 10"},
                    Known{Format::hlo, "{devices=[4]0,1,3,2}", "", "f32[16]", "interop-no-mesh 9"},
                    Known{Format::hlo, "{manual}", "", "f32[16]", "interop-unsupported 1"},
                    Known{Format::hlo, "{maximal device=0}", "", "f32[16]", "interop-unsupported 1"},
                    Known{Format::hlo, "{unknown}", "", "f32[16]", "interop-unsupported 1"},
                    Known{Format::hlo, "{{replicated}, {replicated}}", "", "f32[16]", "interop-unsupported 0"},
                    Known{Format::hlo, "{devices=[2]<=[2] shard_as 1}", "", "f32[16]", "interop-unsupported 18"},
                    Known{Format::hlo, "{devices=[1,2]<=[2] last_tile_dims={manual}}", "", "f32[16]",
                          "interop-unsupported 36"},
                    Known{Format::hlo, "{replicated}", "", "f32[16]", "interop-devices 0"},
                    Known{Format::hlo, "{devices=[3]<=[3]}", "", "f32[16]", "interop-uneven 0"},
                    Known{Format::sdy, R"(#sdy.sharding<mesh<["x"=2], device_ids=[1,0]>, [{"x"}]>)", "", "f32[16]",
                          "interop-unsupported 28"},
                    Known{Format::sdy, R"(#sdy.sharding<@mesh, [{"x":(1)3}]>)", "x:4", "f32[16]", "interop-syntax 23"},
                    Known{Format::dtensor, "[S(0), P(avg)]", "x:4,y:2", "f32[16]", "interop-unsupported 9"},
                    Known{Format::dtensor, "[P(sum), P(max)]", "x:4,y:2", "f32[16]", "interop-unsupported 1"},
                    Known{Format::dtensor, "[_S(0, 3), S(0)]", "x:4,y:2", "f32[16]", "interop-unsupported 1"},
                    Known{Format::dtensor, "[S(0)]", "x:4,y:2", "f32[16]", "interop-syntax 0"},
                    Known{Format::alpa, "S0S0", "x:4,y:2", "f32[16,16]", "interop-syntax 3"},
                    Known{Format::alpa, "Q", "x:4,y:2", "f32[16]", "interop-syntax 0"}));

// ---- Random layouts ----

// A type whose tiles are even: axes, or halves of axes, dealt to dimensions at random.
ArrayType random_type(std::mt19937& draw, bool with_parts) {
  static const std::vector<std::vector<std::int64_t>> kSizes = {{8},          {4, 2}, {2, 3, 2}, {4, 4},
                                                                {2, 2, 2, 2}, {6, 2}, {3, 5}};
  const auto& sizes = kSizes[draw() % kSizes.size()];
  std::vector<synth::MeshAxis> axes;
  for (std::size_t i = 0; i < sizes.size(); ++i) axes.push_back({std::string(1, static_cast<char>('p' + i)), sizes[i]});
  const MeshRef mesh = *Mesh::make(axes);
  AxisList parts;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto axis = static_cast<std::uint8_t>(i);
    if (with_parts && sizes[i] % 2 == 0 && sizes[i] > 2 && draw() % 2 == 0) {
      parts.emplace_back(axis, 1, 2);
      parts.emplace_back(axis, 2, sizes[i] / 2);
    } else {
      parts.emplace_back(axis, 1, sizes[i]);
    }
  }
  std::shuffle(parts.begin(), parts.end(), draw);
  const std::size_t rank = 1 + draw() % 3;
  std::vector<AxisList> splits(rank);
  AxisList pending;
  for (const AxisPart& part : parts) {
    const std::size_t where = draw() % (rank + 2);
    if (where < rank) splits[where].push_back(part);
    if (where == rank) pending.push_back(part);
  }
  synth::Shape shape;
  for (const AxisList& split : splits)
    shape.push_back(synth::shard_count(split) * (1 + static_cast<std::int64_t>(draw() % 3)));
  return *ArrayType::make(synth::ElementType::f32, shape, mesh, *synth::Layout::make(*mesh, splits, pending));
}

// The same tiles on every device, and the same groups of parts.
void expect_same(const ArrayType& a, const ArrayType& b, const std::string& text) {
  ASSERT_EQ(a.devices(), b.devices()) << text;
  for (std::int64_t device = 0; device < a.devices(); ++device) {
    EXPECT_EQ(synth::tile(a, device), synth::tile(b, device)) << text << " on device " << device;
    EXPECT_EQ(synth::position(a.mesh(), a.layout().pending(), device),
              synth::position(b.mesh(), b.layout().pending(), device))
        << text;
  }
  EXPECT_EQ(a.layout().reduce(), b.layout().reduce()) << text;
}

// The list that a formula `<=[..]T(..)` stands for.
std::string with_list(const ArrayType& type) {
  const Described said = described(type);
  Digits digits;
  std::string extents;
  for (const Digits& split : said.splits) {
    std::int64_t extent = 1;
    for (const Digit& digit : split) extent *= digit.size;
    extents += fmt::format("{}{}", extents.empty() ? "" : ",", extent);
    digits.insert(digits.end(), split.begin(), split.end());
  }
  std::string list;
  std::int64_t count = 1;
  for (const Digit& digit : digits) count *= digit.size;
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t device = 0;
    std::int64_t rest = i;
    for (std::size_t d = digits.size(); d-- > 0;) {
      device += rest % digits[d].size * digits[d].stride;
      rest /= digits[d].size;
    }
    list += fmt::format("{}{}", list.empty() ? "" : ",", device);
  }
  return fmt::format("{{devices=[{}]{}}}", extents, list);
}

TEST(Written, ReadsBackToTheSameTiles) {
  std::mt19937 draw(20240607);
  std::vector<int> written(kFormats, 0);
  for (int i = 0; i < 2000; ++i) {
    const ArrayType type = random_type(draw, true);
    for (std::size_t f = 0; f < kFormats; ++f) {
      const auto format = static_cast<Format>(f);
      const auto text = write(type, format);
      if (!text.ok()) {
        EXPECT_EQ(text.errors().front().kind, Kind::interop_unwritable);
        continue;
      }
      ++written[f];
      const std::string mesh = format == Format::hlo ? "" : synth::print(type.mesh());
      const auto said = describe(format, text->text, text->mesh.empty() ? mesh : text->mesh, type.devices());
      ASSERT_TRUE(said.ok()) << text->text << ": " << said.errors().front().message;
      const auto back = type_of(*said, ShapeText{type.element(), type.shape()});
      ASSERT_TRUE(back.ok()) << text->text << ": " << back.errors().front().message;
      expect_same(type, *back, text->text);
    }
  }
  for (std::size_t f = 0; f < kFormats; ++f) EXPECT_GT(written[f], 100) << name(static_cast<Format>(f));
  EXPECT_EQ(written[0], 2000);  // HLO has words for everything that is even
  EXPECT_EQ(written[1], 2000);
}

TEST(Lists, MeanWhatTheirFormulasMean) {
  std::mt19937 draw(1);
  for (int i = 0; i < 2000; ++i) {
    const ArrayType type = random_type(draw, true);
    if (!type.layout().pending().empty()) continue;
    std::int64_t devices = 1;
    for (std::size_t d = 0; d < type.rank(); ++d) devices *= synth::shard_count(type.layout().split(d));
    if (devices != type.devices()) continue;
    const std::string text = with_list(type);
    const auto said = describe(Format::hlo, text);
    ASSERT_TRUE(said.ok()) << text << said.errors().front().message;
    const auto back = type_of(*said, ShapeText{type.element(), type.shape()});
    ASSERT_TRUE(back.ok()) << text;
    expect_same(type, *back, text);
  }
}

TEST(OneMesh, HoldsBothEnds) {
  std::mt19937 draw(7);
  for (int i = 0; i < 2000; ++i) {
    const ArrayType from = random_type(draw, true);
    ArrayType to = random_type(draw, true);
    if (from.mesh() != to.mesh() || from.rank() != to.rank()) continue;
    synth::Shape shape;
    for (std::size_t d = 0; d < from.rank(); ++d)
      shape.push_back(synth::shard_count(from.layout().split(d)) * synth::shard_count(to.layout().split(d)));
    const auto source = describe(Format::hlo, write(from, Format::hlo)->text, "", from.devices());
    const auto target = describe(Format::hlo, write(to, Format::hlo)->text, "", to.devices());
    const auto both = on_one_mesh(*source, *target, ShapeText{synth::ElementType::f32, shape});
    ASSERT_TRUE(both.ok()) << synth::print(from) << " -> " << synth::print(to) << both.errors().front().message;
    expect_same(*ArrayType::make(synth::ElementType::f32, shape, from.mesh_ref(), from.layout()), both->first, "from");
    expect_same(*ArrayType::make(synth::ElementType::f32, shape, to.mesh_ref(), to.layout()), both->second, "to");
  }
}

TEST(ExampleOf, OneMesh) {
  const auto from = describe(Format::hlo, "{devices=[4,1,2]<=[8] last_tile_dim_replicate}");
  const auto to = describe(Format::hlo, "{devices=[1,2,4]<=[8] last_tile_dim_replicate}");
  const auto both = on_one_mesh(*from, *to, shape_of("f32[8,8]"));
  ASSERT_TRUE(both.ok());
  EXPECT_EQ(synth::print(both->first.mesh()), "a:2,b:2,c:2");
  EXPECT_EQ(synth::print(both->first), "f32[8@(a,b), 8]");
  EXPECT_EQ(synth::print(both->second), "f32[8, 8@a]");
}

TEST(OneMesh, KeepsTheMeshThatIsNamed) {
  const auto named = describe(Format::jax, "P('x')", "x:4,y:2");
  const auto plain = describe(Format::hlo, "{devices=[2,1,4]<=[8] last_tile_dim_replicate}");
  const auto both = on_one_mesh(*named, *plain, shape_of("f32[8,8]"));
  ASSERT_TRUE(both.ok());
  EXPECT_EQ(synth::print(both->second), "f32[8@x:(1)2, 8]");
}

TEST(OneMesh, SaysWhereThereIsNone) {
  const auto twos = describe(Format::hlo, "{devices=[2,1,3]<=[6] last_tile_dim_replicate}");
  const auto threes = describe(Format::hlo, "{devices=[3,1,2]<=[6] last_tile_dim_replicate}");
  const auto both = on_one_mesh(*twos, *threes, shape_of("f32[6,6]"));
  ASSERT_FALSE(both.ok());
  EXPECT_EQ(both.errors().front().kind, Kind::interop_no_mesh);
}

TEST(Names, ThatWeLackAreReplaced) {
  auto said = describe(Format::jax, "P('data-parallel', 'let')", "<[\"data-parallel\"=2, \"let\"=2]>");
  ASSERT_TRUE(said.ok());
  use_our_names(*said, {"let"});
  const auto type = type_of(*said, shape_of("f32[4,4]"));
  EXPECT_EQ(synth::print(*type), "f32[4@data_parallel, 4@let_]");
  EXPECT_EQ(said->notes.size(), 2U);
}

// ---- Bad texts ----

TEST(LargeTexts, TakeLessThanASecond) {
  std::string list = "{devices=[65536]0";
  for (int i = 1; i < 65536; ++i) list += fmt::format(",{}", i);
  const std::size_t kBytes = std::size_t{16} << 20U;
  std::vector<std::string> texts = {list + "}",
                                    list,
                                    std::string(100'000, '{'),
                                    std::string(kBytes, '{'),
                                    std::string(kBytes, ' '),
                                    "P(" + std::string(kBytes, '('),
                                    "[" + std::string(kBytes, '['),
                                    std::string(kBytes, '\''),
                                    "{metadata={" + std::string(kBytes, '{'),
                                    std::string(kBytes, 'S'),
                                    std::string(kBytes, 'x'),
                                    "{devices=[1" + std::string(kBytes, '0')};
  std::string names = "P('x'";
  while (names.size() < kBytes) names += ",None";
  texts.push_back(names);
  std::string axes = "{mesh['x'=1";
  while (axes.size() < kBytes) axes += ",'x'=1";
  texts.push_back(axes);
  for (std::size_t f = 0; f < kFormats; ++f) {
    for (const std::string& text : texts) {
      const auto begin = std::chrono::steady_clock::now();
      (void)describe(static_cast<Format>(f), text, "x:4,y:2").ok();
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      EXPECT_LT(seconds, 1.0) << text.substr(0, 40) << " as " << name(static_cast<Format>(f));
    }
  }
}

TEST(LargeTexts, AListOfAllDevicesIsRead) {
  std::string list = "{devices=[65536]0";
  for (int i = 1; i < 65536; ++i) list += fmt::format(",{}", i);
  EXPECT_EQ(type_text(Format::hlo, list + "}", "", "f32[65536]"), "a:65536 f32[65536@a]");
}

}  // namespace
}  // namespace tessera::interop
