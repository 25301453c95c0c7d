// Sections of the error index.
#include "embed/manual/error_index.hpp"

#include <gtest/gtest.h>

namespace tessera::embed {
namespace {

constexpr std::string_view kIndex =
    "# Error index\n\nAbout.\n\n## a-b\n\nText.\n### Inner\n\n## a-b-c\nMore ## a-x\n\n\n## z\nEnd";

TEST(ErrorIndexSection, GoesToTheNextHeading) {
  EXPECT_EQ(error_index_section(kIndex, "a-b"), "## a-b\n\nText.\n### Inner\n");
  EXPECT_EQ(error_index_section(kIndex, "a-b-c"), "## a-b-c\nMore ## a-x\n");
  EXPECT_EQ(error_index_section(kIndex, "z"), "## z\nEnd\n");
}

TEST(ErrorIndexSection, OnlyWholeSlugsCount) {
  for (const char* slug : {"a", "a-x", "", "Error index", "z\nEnd", "a-b\n\nText."}) {
    EXPECT_FALSE(error_index_section(kIndex, slug).has_value()) << slug;
  }
}

TEST(ErrorIndexText, IsTheDocument) { EXPECT_TRUE(error_index_text().starts_with("# Error index\n")); }

}  // namespace
}  // namespace tessera::embed
