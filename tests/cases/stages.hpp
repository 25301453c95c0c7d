// The checks made of every program's stages, on the rooms' own interfaces: each stage reads back the text that it
// prints, and the verifier replays every plan.
#pragma once

#include <string>
#include <string_view>

#include "tests/cases/case_file.hpp"
#include "tests/cases/scenario.hpp"

namespace tessera::cases {

// parse(print(parse(text))) equals parse(text), and prints the same. A text that does not parse passes.
Faults check_parse_print(std::string_view text);
// The typed program verifies; its plans and its device program too. A text that does not check passes.
Faults check_plans(std::string_view text, const Settings& settings, const RunFolder& folder);
// Reading a device program and printing it again gives the same text.
Faults check_program_print(std::string_view device_program);
// Does the device program combine floats in an order that depends on the devices?
bool reduces_floats(std::string_view device_program);

}  // namespace tessera::cases
