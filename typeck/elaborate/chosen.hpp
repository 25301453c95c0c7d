// What an `auto fn` says of the layouts that are chosen for it: over which axes, and which results lie as parameters.
// Private to typeck/elaborate/.
#pragma once

#include <optional>
#include <vector>

#include "typeck/elaborate/values.hpp"

namespace tessera::typeck {

class Elaborator;

// Layouts are chosen over this many axes at most.
inline constexpr std::size_t kChosenAxesMax = 3;

// Reports words of an `auto fn` where they have no meaning, and parameters that it names wrongly; true if there are
// none.
bool says_choice_rightly(Elaborator& elaborator, const frontend::Ast& ast, const frontend::Fn& fn);
// The axes of the mesh that are chosen over; nothing where they are wrong, which is reported.
std::optional<std::vector<std::size_t>> chosen_axes(Elaborator& elaborator, const frontend::Fn& fn,
                                                    const synth::Mesh& mesh);
// What is chosen on the mesh in force, for arrays of these types as parameters and of those as results; `items` are the
// fields of each result.
std::optional<open::ChosenLayouts> chosen_layouts(Elaborator& elaborator, const frontend::Fn& fn,
                                                  const std::vector<WrittenType>& parameters,
                                                  const std::vector<open::Type>& results,
                                                  const std::vector<Fields>& items);

}  // namespace tessera::typeck
