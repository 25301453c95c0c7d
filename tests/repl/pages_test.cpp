// The manual's pages in the command: all are there, fit a terminal, and are what lessons and messages refer to.
#include <gtest/gtest.h>

#include <regex>
#include <sstream>
#include <string>

#include "repl/course/lessons.hpp"
#include "repl/render/manual.hpp"
#include "repl/render/page_prose.hpp"
#include "repl/render/text_cells.hpp"
#include "repl/session/help.hpp"
#include "repl/session/pages.hpp"

namespace tessera::repl {
namespace {

TEST(ManualPages, HaveNamesOfFiles) {
  ASSERT_GE(pages().size(), 15U);
  for (const std::string name : {"meshes", "meshes.md", "docs/meshes.md"}) {
    ASSERT_NE(find_page(name), nullptr) << name;
    EXPECT_EQ(find_page(name)->name, "meshes");
  }
  EXPECT_EQ(find_page("mesh"), nullptr);
  EXPECT_TRUE(doc_text("tile").starts_with("tile: ")) << "a word goes before a page";
}

// Outside of programs nothing is wider than the screen but a word that is, and no mark of a table or a link is left.
TEST(ManualPages, FitATerminal) {
  for (const Page& page : pages()) {
    std::istringstream text(manual_text(page_prose(page.text), 80, Colour::no));
    std::string line;
    ASSERT_TRUE(std::getline(text, line)) << page.name;
    EXPECT_EQ(line.find('#'), std::string::npos) << page.name << ": " << line;
    while (std::getline(text, line)) {
      if (line.starts_with("    ")) continue;  // programs, and cells of tables, which are wrapped alike
      EXPECT_FALSE(line.starts_with("|---") || line.starts_with("## ")) << page.name << ": " << line;
      const bool is_one_word = line.find_last_of(' ') == std::string::npos;
      EXPECT_TRUE(is_one_word || columns(line) <= 80) << page.name << ": " << line;
    }
  }
}

TEST(ManualPages, ThatLessonsReferToAreThere) {
  const std::regex reference("docs/([a-z]+\\.md)");
  for (const LessonText& found : lesson_texts()) {
    const std::string lesson(found.text);
    for (std::sregex_iterator at(lesson.begin(), lesson.end(), reference), end; at != end; ++at) {
      EXPECT_NE(find_page((*at)[1].str()), nullptr) << at->str();
    }
  }
}

TEST(PageProse, MakesEntriesOfTables) {
  EXPECT_EQ(
      page_prose(
          "# Title\n\n| form | means | example |\n|---|---|---|\n| `a \\| b` | either | - |\n| c | | d |\n\nEnd.\n"),
      "## Title\n\n  `a | b`\n      means: either\n      example: -\n  c\n      example: d\n\nEnd.\n");
  EXPECT_EQ(page_prose("| word | sense |\n|---|---|\n| tile | a part |\n"), "  tile\n      a part\n");
}

TEST(PageProse, JoinsItemsAndLeavesPrograms) {
  EXPECT_EQ(page_prose("- one\n  and more, [a page](x.md)\n- two\n\n```text\n- [x](y)\n| a |\n```\n"),
            "  - one and more, a page\n  - two\n\n```text\n- [x](y)\n| a |\n```\n");
  EXPECT_EQ(page_prose("`a[0](x)` is code"), "`a[0](x)` is code\n");
  EXPECT_EQ(page_prose(""), "");
}

}  // namespace
}  // namespace tessera::repl
