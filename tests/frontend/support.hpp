// Steps that every test of the frontend takes with a text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/source.hpp"
#include "frontend/ast.hpp"

namespace tessera::frontend::testing {

// A text that was parsed, with the sources its spans speak of.
struct Parsed {
  base::SourceMap sources;
  base::Result<Ast> result;
};
Parsed parse_text(std::string text);

// `LINE:COLUMN slug` of each diagnostic, by its primary label; a failure of the test if one has no primary label, or a
// label outside of its text.
std::vector<std::string> brief(const base::Diagnostics& diagnostics, const base::SourceMap& sources);
std::vector<std::string> brief(const Parsed& parsed);

// The text as the printer lays it out; a failure of the test if it does not parse.
std::string printed(const std::string& text);

// Printing and parsing again gives the same tree, and printing that the same text; every comment is still there.
void expect_fixed_point(const std::string& text);

std::string repeat(std::string_view text, std::size_t count);

}  // namespace tessera::frontend::testing
