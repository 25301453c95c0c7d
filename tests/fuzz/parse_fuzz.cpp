// Any bytes as a program: they parse, or they do not; what parses prints and parses to the same again.
#include <cstdint>
#include <string>

#include "frontend/parse.hpp"
#include "frontend/print.hpp"
#include "frontend/verify.hpp"
#include "tests/fuzz/target.hpp"

void tessera::fuzz::one_input(std::string_view text) {
  base::SourceMap sources;
  const auto first = frontend::parse(sources, sources.add("fuzz", std::string(text)));
  expect_no_bug(first);
  (void)frontend::is_incomplete(text);
  if (!first.ok()) return;
  expect(frontend::verify(*first).ok(), "a tree that the parser made does not verify");
  const auto second = frontend::parse(sources, sources.add("again", frontend::print(*first, &sources)));
  expect(second.ok(), "what is printed does not parse");
  expect(frontend::equal(*first, *second), "what is printed parses to another tree");
}
