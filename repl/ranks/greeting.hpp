// The front end's first message, which describes its screen; and a screen made from it.
#pragma once

#include "repl/ranks/frame.hpp"
#include "repl/session/screen.hpp"

namespace tessera::repl {

// `name` is what diagnostics call what is typed.
Frame greeting(const Screen& screen, const std::string& name);
struct Greeting {
  Screen screen;  // without functions, but that `ask` and `open_lesson` are there if somebody is
  std::string name;
};
Greeting read_greeting(const Frame& frame);

}  // namespace tessera::repl
