// Does a program's outcome agree with a section, and how would the section have to be written so that it does? A
// section may say less than everything: `count` only the figures it names, `errors` without the help and the other
// places.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/cases/case_file.hpp"

namespace tessera::cases {

// A diagnostic as the `errors` section writes it.
struct ReportedDiagnostic {
  std::string header;             // `2:20 error[axis-used-twice] message`; `-` for the position if there is none
  std::vector<std::string> also;  // `2:15 dimension 0 uses it here`: the other places
  std::vector<std::string> help;  // line by line
};

// The outcome of a program: a text for each section that has an answer, and the parts of which only some may be asked
// for.
struct Outcome {
  std::map<SectionKind, std::string> texts;  // types, plan, typed, program, run
  std::map<std::string, std::int64_t> counts;
  std::vector<ReportedDiagnostic> diagnostics;
};

// The section rewritten so that it agrees, at its present level of detail. Nothing if the outcome has no answer to this
// section, because the program failed before, or if `count` names a figure that does not exist.
std::optional<std::string> expected_text(const Section& section, const Outcome& outcome);

// The file with every expectation that has an answer rewritten to it. Sections are never added.
CaseFile blessed(CaseFile file, const Outcome& outcome);

}  // namespace tessera::cases
