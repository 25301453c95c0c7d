// The checks, one function for each kind (lesson.hpp). A check that finds nothing wrong may still have something to
// say.
#pragma once

#include "repl/course/trial.hpp"

namespace tessera::repl {

Verdict check_numbers(const Trial& trial, const Check& check);
Verdict check_holds(const Trial& trial, const Check& check);
Verdict check_cuts(const Trial& trial, const Check& check);
Verdict check_type(const Trial& trial, const Check& check);
Verdict check_plan(const Trial& trial, const Check& check);
Verdict check_golf(const Trial& trial, const Check& check);
Verdict check_error(const Trial& trial, const Check& check);
Verdict check_program(const Trial& trial, const Check& check);

// For several kinds
// -----------------------------------------------------------------------------------------------------

// Does the value bound to a name have this type? If not: the device that shows it best, and the whole drawn.
Verdict has_type(const Trial& trial, const std::string& name, const std::string& type);
// Does the value bound to a name hold the elements of an expression? If not: the first that differs, and who holds it.
Verdict has_elements(const Trial& trial, const std::string& name, const std::string& expected);

}  // namespace tessera::repl
