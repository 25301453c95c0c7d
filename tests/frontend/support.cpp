#include "tests/frontend/support.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "frontend/parse.hpp"
#include "frontend/print.hpp"
#include "frontend/verify.hpp"

namespace tessera::frontend::testing {

Parsed parse_text(std::string text) {
  base::SourceMap sources;
  const auto id = sources.add("test", std::move(text));
  auto result = parse(sources, id);
  return {std::move(sources), std::move(result)};
}

std::vector<std::string> brief(const base::Diagnostics& diagnostics, const base::SourceMap& sources) {
  std::vector<std::string> lines;
  for (const auto& diagnostic : diagnostics) {
    const auto is_primary = [](const base::Label& label) { return label.primary; };
    const auto primary = std::find_if(diagnostic.labels.begin(), diagnostic.labels.end(), is_primary);
    EXPECT_NE(primary, diagnostic.labels.end()) << diagnostic.message;
    if (primary == diagnostic.labels.end()) continue;
    for (const auto& label : diagnostic.labels) {
      EXPECT_LE(label.span.begin, label.span.end);
      EXPECT_LE(label.span.end, sources[label.span.source].text().size());
    }
    const auto position = sources[primary->span.source].position(primary->span.begin);
    lines.push_back(fmt::format("{}:{} {}", position.line, position.column, diagnostic.kind.slug));
  }
  return lines;
}

std::vector<std::string> brief(const Parsed& parsed) {
  return parsed.result.ok() ? std::vector<std::string>{} : brief(parsed.result.errors(), parsed.sources);
}

std::string printed(const std::string& text) {
  const Parsed parsed = parse_text(text);
  EXPECT_TRUE(parsed.result.ok()) << text << "\n" << ::testing::PrintToString(brief(parsed));
  return parsed.result.ok() ? print(*parsed.result, &parsed.sources) : "";
}

void expect_fixed_point(const std::string& text) {
  const Parsed first = parse_text(text);
  ASSERT_TRUE(first.result.ok()) << text << "\n" << ::testing::PrintToString(brief(first));
  EXPECT_TRUE(verify(*first.result).ok()) << text;
  const std::string out = print(*first.result, &first.sources);
  const Parsed second = parse_text(out);
  ASSERT_TRUE(second.result.ok()) << text << "\nwas printed as\n"
                                  << out << "\n"
                                  << ::testing::PrintToString(brief(second));
  EXPECT_TRUE(equal(*first.result, *second.result)) << text << "\nwas printed as\n" << out;
  EXPECT_EQ(print(*second.result, &second.sources), out) << text;
  const auto words = [](const Ast& ast) {
    std::vector<std::string> all;
    for (const Comment& comment : ast.comments) all.push_back(comment.text);
    std::sort(all.begin(), all.end());
    return all;
  };
  EXPECT_EQ(words(*first.result), words(*second.result)) << text << "\nwas printed as\n" << out;
}

std::string repeat(std::string_view text, std::size_t count) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) all += text;
  return all;
}

}  // namespace tessera::frontend::testing
