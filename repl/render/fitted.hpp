// Answers with tables, made to fit a terminal.
#pragma once

#include <string>
#include <string_view>

namespace tessera::repl {

// Tables that are wider than the terminal are continued below themselves, each part with the first column again:
//
//   step        axes               local shape       peak          step        axes               local shape
//   all_to_all  x: dim 0 -> dim 1  [2, 4] -> [3, 2]  56 B    ->    all_to_all  x: dim 0 -> dim 1  [2, 4] -> [3, 2]
//                                                                  step        peak
//                                                                  all_to_all  56 B
//
// Where the first column leaves the others no room, it stands on lines of its own, and they below it.
// Before that the column of MPI's names is left out. Timelines of pipelines, `  0 |0011..|`, get fewer columns. Other
// lines are broken at blanks; lines in colour stay as they are.
std::string fitted(std::string_view text, int width);

// Fits only the plans that a program's `plan` statements write; the rest of its output stays as the program wrote it.
std::string with_fitted_plans(std::string_view text, int width);

}  // namespace tessera::repl
