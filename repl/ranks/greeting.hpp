// What a front end says of its screen before anything else, and a screen that can do as much.
#pragma once

#include "repl/interactive/screen.hpp"
#include "repl/ranks/frame.hpp"

namespace tessera::repl {

// `name` is what diagnostics call what is typed.
Frame greeting(const Screen& screen, const std::string& name);
struct Greeting {
  Screen screen;  // without functions, but that `ask` and `teach` are there if somebody is
  std::string name;
};
Greeting read_greeting(const Frame& frame);

}  // namespace tessera::repl
