#include "base/diagnostic.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "base/registry.hpp"
#include "base/utf8.hpp"

namespace tessera::base {
namespace {

bool is_slug(std::string_view slug) {
  const bool letters = std::all_of(slug.begin(), slug.end(),
                                   [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; });
  return letters && !slug.empty() && slug.front() != '-' && slug.back() != '-' &&
         slug.find("--") == std::string_view::npos;
}

TEST(Registry, SlugsAreLowerCaseWordsAndDashes) {
  for (const KindInfo& kind : all_kinds()) EXPECT_TRUE(is_slug(kind.slug)) << kind.slug;
}

TEST(Registry, NoTwoKindsShareASlug) {
  std::set<std::string_view> slugs;
  for (const KindInfo& kind : all_kinds()) EXPECT_TRUE(slugs.insert(kind.slug).second) << kind.slug;
}

TEST(Registry, AKindIsFoundByItsSlug) {
  for (const KindInfo& kind : all_kinds()) EXPECT_EQ(kind_by_slug(kind.slug), kind) << kind.slug;
  EXPECT_EQ(kind_by_slug("no-such-kind"), std::nullopt);
}

// One sentence without a capital or a full stop: it is read after `error[slug]: `.
TEST(Registry, MessagesReadAsThePartOfALine) {
  for (const KindInfo& kind : all_kinds()) {
    ASSERT_FALSE(kind.message.empty()) << kind.slug;
    EXPECT_EQ(kind.message.find('\n'), std::string_view::npos) << kind.slug;
    EXPECT_NE(kind.message.back(), '.') << kind.slug;
  }
}

// Whatever the bytes of a word are: code points of one to four bytes stay whole, and what is no UTF-8 ends all the
// same.
TEST(Diagnostic, LongWordsAreCutBetweenCodePoints) {
  for (const std::string_view unit :
       {"a", "\u00e9", "\u20ac", "\U0001F600", "\xa3", "\xf0\x80", "a\x80\x80\x80\x80\x80"}) {
    std::string word;
    while (word.size() < 300) word += unit;
    for (const std::string_view before : {"", "a", "ab", "abc", "one two "}) {
      const Diagnostic diagnostic = make(Kind::out_of_memory, std::string(before) + word).at({}, word);
      for (const std::string& text : {diagnostic.message, diagnostic.labels[0].text}) {
        EXPECT_LE(text.size(), 150U) << text;
        EXPECT_NE(text.find("..."), std::string::npos) << text;
        EXPECT_TRUE(first_invalid_byte(word) || !first_invalid_byte(text)) << text;
      }
    }
  }
}

TEST(Diagnostic, MakeFillsTheMessageIn) {
  const Diagnostic diagnostic = make(Kind::out_of_memory, "a sum");
  EXPECT_EQ(diagnostic.kind, Kind::out_of_memory);
  EXPECT_EQ(diagnostic.message, "out of memory while doing a sum");
  EXPECT_TRUE(diagnostic.labels.empty());
  EXPECT_FALSE(diagnostic.origin.has_value());
}

TEST(Diagnostic, ThePrimaryLabelComesFirstWhereverItIsAdded) {
  const Span here{SourceId{0}, 1, 2};
  const Span there{SourceId{0}, 3, 4};
  const Diagnostic diagnostic =
      make(Kind::out_of_memory, "a sum").also(there, "asked for here").at(here, "this one").suggest("use less");
  ASSERT_EQ(diagnostic.labels.size(), 2U);
  EXPECT_TRUE(diagnostic.labels[0].primary);
  EXPECT_EQ(diagnostic.labels[0].span, here);
  EXPECT_FALSE(diagnostic.labels[1].primary);
  EXPECT_EQ(diagnostic.labels[1].text, "asked for here");
  EXPECT_EQ(diagnostic.help, "use less");
}

TEST(Diagnostic, AStepThatFailedIsNamedByItsOrigin) {
  EXPECT_EQ(make(Kind::out_of_memory, "a sum").from_step(7).origin, 7U);
}

TEST(Diagnostic, OnlyErrorsAreErrors) {
  EXPECT_FALSE(has_error({}));
  EXPECT_TRUE(has_error({make(Kind::out_of_memory, "a sum")}));
  for (const KindInfo& kind : all_kinds()) {
    const Diagnostics alone = {Diagnostic{kind, "", {}, {}, {}}};
    EXPECT_EQ(has_error(alone), kind.severity == Severity::error) << kind.slug;
  }
}

}  // namespace
}  // namespace tessera::base
