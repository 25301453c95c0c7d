// Types, meshes and sizes by themselves, as a command line gives them.
#include <gtest/gtest.h>

#include "frontend/parse.hpp"
#include "frontend/print.hpp"
#include "frontend/verify.hpp"
#include "tests/frontend/support.hpp"

namespace tessera::frontend::testing {
namespace {

using Reader = base::Result<Ast> (*)(const base::SourceMap&, base::SourceId);

struct Alone {
  base::SourceMap sources;
  base::SourceId id;
  explicit Alone(std::string text) : id(sources.add("argument", std::move(text))) {}
};

std::vector<std::string> errors(Reader reader, const std::string& text) {
  const Alone alone(text);
  const auto result = reader(alone.sources, alone.id);
  return result.ok() ? std::vector<std::string>{} : brief(result.errors(), alone.sources);
}

std::string type(const std::string& text) {
  const Alone alone(text);
  const auto result = parse_type(alone.sources, alone.id);
  return result.ok() ? print_type(*result, TypeId{0}) : "";
}

TEST(TypeAlone, IsTheFirstTypeOfItsTree) {
  EXPECT_EQ(type("f32[16@y,16,16@x]{+z}"), "f32[16@y, 16, 16@x]{+z}");
  EXPECT_EQ(type(" f32 "), "f32");
  EXPECT_EQ(type("bool[]\n"), "bool[]");
  EXPECT_EQ(type("f32[(f(i32[2])), 8@(x,y)] on m"), "f32[(f(i32[2])), 8@(x,y)] on m");
}

TEST(TypeAlone, RefusesWhatIsNoType) {
  const auto at = [](const std::string& text) { return errors(parse_type, text); };
  using Errors = std::vector<std::string>;
  EXPECT_EQ(at(""), Errors{"1:1 syntax-error"});
  EXPECT_EQ(at("[16]"), Errors{"1:1 syntax-error"});
  EXPECT_EQ(at("f32[16] x"), Errors{"1:9 syntax-error"});
  EXPECT_EQ(at("f32[16]\nf32"), Errors{"2:1 syntax-error"});
  EXPECT_EQ(at("f32[16"), Errors{"1:4 unclosed-bracket"});
  EXPECT_EQ(at("f31[16]"), Errors{"1:1 unknown-element-type"});
  EXPECT_EQ(at("f32[16@(x:(2)4)]"), Errors{"1:10 syntax-error"});
  EXPECT_EQ(at("f32[9223372036854775808]"), Errors{"1:5 number-too-large"});
  EXPECT_EQ(at("f32[\xC0]"), Errors{"1:5 invalid-utf8"});
}

TEST(MeshAlone, IsAMeshStatement) {
  for (const char* text : {"x:4,y:2", "[x: 4, y: 2]", " x : 4 , y : 2 "}) {
    const Alone alone(text);
    const auto mesh = parse_mesh(alone.sources, alone.id);
    ASSERT_TRUE(mesh.ok()) << text;
    EXPECT_TRUE(verify(*mesh).ok());
    EXPECT_EQ(print(*mesh), "mesh m = [x: 4, y: 2]\n") << text;
  }
}

TEST(MeshAlone, SaysWhereItLies) {
  for (const char* text : {"x:4,y:2 on 8:16", "[x: 4, y: 2] on 8 : 16", "x:4,y:2 on (8:16)"}) {
    const Alone alone(text);
    const auto mesh = parse_mesh(alone.sources, alone.id);
    ASSERT_TRUE(mesh.ok()) << text;
    EXPECT_TRUE(verify(*mesh).ok());
    EXPECT_EQ(print(*mesh), "mesh m = [x: 4, y: 2] on 8:16\n") << text;
  }
}

TEST(MeshAlone, RefusesWhatIsNoMesh) {
  using Errors = std::vector<std::string>;
  EXPECT_EQ(errors(parse_mesh, ""), Errors{"1:1 syntax-error"});
  EXPECT_EQ(errors(parse_mesh, "x=4"), Errors{"1:2 syntax-error"});
  EXPECT_EQ(errors(parse_mesh, "x:4 y:2"), Errors{"1:5 syntax-error"});
  EXPECT_EQ(errors(parse_mesh, "[x:4"), Errors{"1:1 unclosed-bracket"});
  EXPECT_EQ(errors(parse_mesh, "x:4\ny:2"), Errors{"2:1 syntax-error"});
  EXPECT_EQ(errors(parse_mesh, "x:4 on"), Errors{"1:7 syntax-error"});
  EXPECT_EQ(errors(parse_mesh, "x:4 on 4"), Errors{"1:9 syntax-error"});
}

TEST(SizeAlone, IsANumberOfBytes) {
  const std::vector<std::pair<std::string, std::int64_t>> sizes = {{"1000", 1000},
                                                                   {"2KB", 2000},
                                                                   {"64MiB", 67108864},
                                                                   {" 1GiB ", 1073741824},
                                                                   {"3MB", 3000000},
                                                                   {"1GB", 1000000000},
                                                                   {"5KiB", 5120},
                                                                   {"0", 0},
                                                                   {"1_000", 1000},
                                                                   {"1_0KB", 10000},
                                                                   {"8589934591GiB", 9223372035781033984}};
  for (const auto& [text, bytes] : sizes) {
    const Alone alone(text);
    const auto size = parse_size(alone.sources, alone.id);
    ASSERT_TRUE(size.ok()) << text;
    EXPECT_EQ(*size, bytes) << text;
  }
}

TEST(SizeAlone, RefusesWhatIsNoSize) {
  const std::vector<std::pair<std::string, std::string>> sizes = {{"", "1:1 syntax-error"},
                                                                  {"MiB", "1:1 bad-size"},
                                                                  {"64 MiB", "1:1 bad-size"},
                                                                  {"64mib", "1:1 bad-size"},
                                                                  {"1.5GiB", "1:1 bad-size"},
                                                                  {"1.5", "1:1 bad-size"},
                                                                  {"-1", "1:1 bad-size"},
                                                                  {"64XB", "1:1 bad-size"},
                                                                  {"8589934592GiB", "1:1 number-too-large"},
                                                                  {"99999999999999999999", "1:1 number-too-large"},
                                                                  {"99999999999999999999KB", "1:1 number-too-large"},
                                                                  {"64MiB\n1", "2:1 syntax-error"}};
  for (const auto& [text, error] : sizes) {
    const Alone alone(text);
    const auto size = parse_size(alone.sources, alone.id);
    ASSERT_FALSE(size.ok()) << text;
    EXPECT_EQ(brief(size.errors(), alone.sources), std::vector<std::string>{error}) << text;
  }
}

}  // namespace
}  // namespace tessera::frontend::testing
