// Everything that is asked of a generated program.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tests/generator/program.hpp"

namespace tessera::differential {

// The stages of one text: what each prints reads back to the same, every plan verifies, and so does the device program.
std::optional<std::string> check_stages(const std::string& text);
// The program on one device, on its own mesh and on the others: equal values, and as their facts say.
std::optional<std::string> check_devices(const generator::Program& program,
                                         const std::vector<generator::MeshSizes>& meshes);
// Both, on the program's mesh and two others.
std::optional<std::string> check_program(const generator::Program& program);

// The kind of failure that a text is about: `differs`, a diagnostic's slug, a check's name.
std::string kind_of(const std::optional<std::string>& failure);
// For people: the seed, what failed, the program, and a smaller one that fails in the same way.
std::string report(const generator::Program& program, const std::string& failure);

}  // namespace tessera::differential
