// Pictures and tables as standard output takes them.
#pragma once

#include <string>
#include <string_view>

namespace tessera::repl {

// Folded, with boxes and colours on a terminal; as they are elsewhere.
std::string picture_for_output(std::string_view text);
// A page of prose and pictures: its lines broken at words as well, and on a pipe, too.
std::string page_for_output(std::string_view text);
// A command's answer: made to fit a terminal, as it is elsewhere.
std::string answer_for_output(std::string_view text);

}  // namespace tessera::repl
