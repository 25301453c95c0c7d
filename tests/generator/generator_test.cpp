#include "tests/generator/generator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "tests/generator/productions.hpp"
#include "typeck/elaborate/table.hpp"

namespace tessera::generator {
namespace {

TEST(Random, IsTheSameEverywhere) {
  Random random(42);
  EXPECT_EQ(random.next(), 0xBDD732262FEB6E95U);
  EXPECT_EQ(random.next(), 0x28EFE333B266F103U);
}

TEST(Generator, ASeedGivesOneProgram) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Program first = generate(seed);
    const Program second = generate(seed);
    EXPECT_EQ(tessera_text(first, first.mesh), tessera_text(second, second.mesh));
    EXPECT_EQ(numpy_text(first), numpy_text(second));
  }
}

TEST(Generator, OnlyTheMeshLineDependsOnTheMesh) {
  const Program program = generate(3);
  const auto rest = [](const std::string& text) { return text.substr(text.find('\n', text.find("mesh m")) + 1); };
  EXPECT_EQ(rest(tessera_text(program, {2, 3, 1})), rest(tessera_text(program, {1, 1, 7})));
}

TEST(Generator, ReachesEveryOperationOfTheLanguage) {
  std::string all;
  for (std::uint64_t seed = 1; seed <= 1200; ++seed) all += tessera_text(generate(seed), kOneDevice);
  for (const typeck::OperationInfo& operation : typeck::operations()) {
    const bool elsewhere = operation.name == "load" || operation.name == "size";
    if (elsewhere) continue;
    EXPECT_NE(all.find(std::string(operation.name) + "("), std::string::npos) << operation.name;
  }
  for (const char* word : {"fn ",   "grad(",   "again {", "loop ",   "if ",        "local ", "assert ", "show ",
                           "plan ", "within ", " with [", " while ", "for const ", " on m",  "?",       "{+",
                           "{max ", "{min ",   "let r",   "{..r",    ".inner.",    "each(",  "wrt=p"}) {
    EXPECT_NE(all.find(word), std::string::npos) << word;
  }
}

TEST(Generator, MeshesHaveOneToTwelveDevices) {
  std::set<std::int64_t> devices;
  for (const MeshSizes& mesh : meshes()) devices.insert(mesh[0] * mesh[1] * mesh[2]);
  EXPECT_EQ(devices.size(), 12U);
  EXPECT_EQ(*devices.begin(), 1);
  EXPECT_EQ(*devices.rbegin(), 12);
  const Program program = generate(5);
  const auto others = other_meshes(program, 3);
  EXPECT_EQ(others.size(), 3U);
  EXPECT_EQ(std::count(others.begin(), others.end(), program.mesh), 0);
}

TEST(MayClash, OnlyLettersThatNoOperandCarriesTogether) {
  EXPECT_FALSE(may_clash({"ab", "ab"}));
  EXPECT_FALSE(may_clash({"ab", "b"}));
  EXPECT_TRUE(may_clash({"ik", "kj"}));
  EXPECT_FALSE(may_clash({"k", "k"}));
}

}  // namespace
}  // namespace tessera::generator
