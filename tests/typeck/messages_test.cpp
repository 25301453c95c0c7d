// Reports of two passes come in the order of the text, with the types that they mention.
#include "typeck/open/messages.hpp"

#include <gtest/gtest.h>

#include "typeck/kinds.hpp"

namespace tessera::typeck {
namespace {

base::Span at(std::uint32_t begin) { return {base::SourceId{0}, begin, begin + 1}; }

base::Diagnostic mistake(std::uint32_t begin) { return base::make(Kind::tuple_here).at(at(begin)); }

TEST(ExampleOf, Messages) {
  Messages messages;
  const open::ValueId a{7};
  const std::string left = messages.type_of(a, 0);
  messages.report(base::make(Kind::shape_mismatch, "`@`", 4, 5).at(at(3)).also(at(1), left), 8);
  const auto all = messages.take([&](const Messages::Asked& asked) {
    EXPECT_EQ(asked.value, a);
    return std::string("f32[8@x, 4]");
  });
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].labels[1].text, "f32[8@x, 4]");
}

TEST(Messages, ComeInTheOrderOfTheirPlaces) {
  Messages messages;
  messages.report(mistake(10), 5);
  messages.report(mistake(20), 2);
  messages.report(mistake(30), 5);
  const auto all = messages.take({});
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].labels[0].span, at(20));
  EXPECT_EQ(all[1].labels[0].span, at(10));
  EXPECT_EQ(all[2].labels[0].span, at(30));
}

TEST(Messages, OneMistakeIsReportedOnce) {
  Messages messages;
  messages.report(mistake(10), 1);
  messages.report(mistake(10), 9);
  EXPECT_EQ(messages.size(), 1U);
  EXPECT_TRUE(messages.failed());
}

TEST(Messages, SeveralTypesStandInOneText) {
  Messages messages;
  const std::string first = messages.type_of(open::ValueId{1}, 0);
  const std::string second = messages.type_of(open::ValueId{2}, 0);
  messages.report(mistake(1), 0);
  base::Diagnostic both = mistake(2);
  both.help = "end with `as " + first + "`, not `" + second + "`";
  messages.report(std::move(both), 1);
  const auto all = messages.take(
      [](const Messages::Asked& asked) { return asked.value == open::ValueId{1} ? "f32[4@x]" : "f32[4]"; });
  EXPECT_EQ(all[1].help, "end with `as f32[4@x]`, not `f32[4]`");
}

}  // namespace
}  // namespace tessera::typeck
