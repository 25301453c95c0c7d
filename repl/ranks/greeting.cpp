#include "repl/ranks/greeting.hpp"

#include <array>

namespace tessera::repl {

namespace {

// Each is a letter of the greeting if it holds.
struct Feature {
  char letter;
  bool (*holds)(const Screen& screen);
  void (*give)(Screen& screen);
};
constexpr std::array kTraits = {
    Feature{'c', [](const Screen& s) { return s.out_colour == Colour::yes; },
            [](Screen& s) { s.out_colour = Colour::yes; }},
    Feature{'e', [](const Screen& s) { return s.err_colour == Colour::yes; },
            [](Screen& s) { s.err_colour = Colour::yes; }},
    Feature{'b', [](const Screen& s) { return s.boxes; }, [](Screen& s) { s.boxes = true; }},
    Feature{'f', [](const Screen& s) { return s.fits; }, [](Screen& s) { s.fits = true; }},
    Feature{'d', [](const Screen& s) { return s.detailed; }, [](Screen& s) { s.detailed = true; }},
    Feature{'p', [](const Screen& s) { return s.progress; }, [](Screen& s) { s.progress = true; }},
    Feature{'a', [](const Screen& s) { return s.ask != nullptr; },
            [](Screen& s) { s.ask = [](std::string_view) { return false; }; }},
    Feature{'t', [](const Screen& s) { return s.open_lesson != nullptr; },
            [](Screen& s) { s.open_lesson = [](const std::string&) {}; }},
};

}  // namespace

Frame greeting(const Screen& screen, const std::string& name) {
  std::string letters;
  for (const Feature& trait : kTraits) {
    if (trait.holds(screen)) letters += trait.letter;
  }
  return {FrameKind::greet, {name, letters}};
}

Greeting read_greeting(const Frame& frame) {
  Greeting greeting;
  greeting.screen.out = greeting.screen.err = [](std::string_view) {};
  greeting.name = frame.texts.at(0);
  for (const Feature& trait : kTraits) {
    if (frame.texts.at(1).find(trait.letter) != std::string::npos) trait.give(greeting.screen);
  }
  return greeting;
}

}  // namespace tessera::repl
