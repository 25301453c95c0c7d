// Values, devices and changes of layout as the checks of lessons compare and name them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "repl/process/files.hpp"
#include "tessera/tessera.hpp"

namespace tessera::repl {

using Numbers = std::vector<double>;

// All elements, row-major. Integers beyond 2^53 are rounded.
Numbers numbers_of(const Array& array);
// The elements that one device holds: of a pending array, its contribution.
Numbers numbers_on(const Array& array, std::int64_t device);
// Equal, but for the rounding of f32 sums.
bool same_numbers(const Numbers& a, const Numbers& b);
// The place of the first number that is another; nothing if they are all the same. Both are as long.
std::optional<std::size_t> first_difference(const Numbers& a, const Numbers& b);
// `1536`, `[16, 24]`; of a long list the beginning.
std::string text_of(const Numbers& numbers);

// `device 3 (x=1, y=0)`; where the mesh lies on other devices, by that of the run.
std::string device_text(const MeshAxes& mesh, std::int64_t device, std::optional<std::int64_t> of_run = std::nullopt);
// Describes a device between two steps of a plan; `held` is one of the moment's.
std::string device_text(const Plan::Moment& moment, const Plan::Holding& held);
// The holding of a device of the run at that moment. Nothing if the array's mesh is not on it.
const Plan::Holding* held_by(const Plan::Moment& moment, std::int64_t device_of_run);
// The number of the device at `x=1, y=0`; axes that are not named are at 0. Nothing if the mesh has no such device.
std::optional<std::int64_t> device_at(const MeshAxes& mesh, std::string_view text);
// `[0:16, 2:4]`, or `nothing`
std::string box_text(const Box& box);
// An array's type without the name of its mesh, as plans write it.
std::string type_on_its_mesh(const Array& array);
// `x:4,y:2`
std::string mesh_text(const MeshAxes& mesh);

// Array::picture under another name.
std::string picture_of(const Array& array, std::string_view name, int columns = 100);

// The value of an expression in a session, which stays as it is.
Read<Array> value_of(const Session& session, std::string_view expression);
// The changes of layout that an expression asks for, in order.
Read<std::vector<Plan>> changes_of(const Session& session, std::string_view expression);
// The messages of a failure in one line.
std::string message_of(const Diagnostics& diagnostics);

// The parts of a text between separators, without blanks around them; empty ones are left out.
std::vector<std::string> parts_of(std::string_view text, char separator);
// Everything in a program's text that may be a name.
std::vector<std::string> words_of(std::string_view text);
std::string without_blanks(std::string_view text);
// Without blanks and line ends around it.
std::string_view trimmed(std::string_view text);
// Every line behind four blanks.
std::string indented(std::string_view text);

}  // namespace tessera::repl
