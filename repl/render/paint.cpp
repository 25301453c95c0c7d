#include "repl/render/paint.hpp"

namespace tessera::repl {

namespace {

// Select Graphic Rendition parameters. What stands in the colour of a device has to be read on light and dark grounds
// alike: these are of the 256 colours, with a contrast of 3 or more to black and to white.
std::string_view code(Ink ink) {
  switch (ink) {
    case Ink::plain: return "";
    case Ink::bold: return "1";
    case Ink::error: return "1;31";
    case Ink::warning: return "1;33";
    case Ink::note: return "1;36";
    case Ink::secondary: return "1;34";
    case Ink::gutter: return "34";
    case Ink::help: return "1;32";
    case Ink::keyword: return "35";
    case Ink::axis: return "36";
    case Ink::string: return "32";
    case Ink::comment: return "90";
    case Ink::device_0: return "38;5;30";
    case Ink::device_1: return "38;5;166";
    case Ink::device_2: return "38;5;133";
    case Ink::device_3: return "38;5;64";
    case Ink::device_4: return "38;5;33";
    case Ink::device_5: return "38;5;167";
    case Ink::device_6: return "38;5;100";
    case Ink::device_7: return "38;5;99";
    case Ink::device_8: return "38;5;28";
    case Ink::device_9: return "38;5;162";
    case Ink::device_10: return "38;5;66";
    case Ink::device_11: return "38;5;130";
  }
  return "";
}

}  // namespace

std::string painted(std::string_view text, Ink ink, Colour colour) {
  if (colour == Colour::no || ink == Ink::plain || text.empty()) return std::string(text);
  std::string result = "\x1B[";
  result += code(ink);
  result += 'm';
  result += text;
  result += "\x1B[0m";
  return result;
}

Ink ink_of_device(std::size_t device) {
  constexpr std::size_t kInks = static_cast<std::size_t>(Ink::device_11) - static_cast<std::size_t>(Ink::device_0) + 1;
  return static_cast<Ink>(static_cast<std::size_t>(Ink::device_0) + device % kInks);
}

Ink ink_of(Severity severity) {
  switch (severity) {
    case Severity::note: return Ink::note;
    case Severity::warning: return Ink::warning;
    case Severity::error: return Ink::error;
  }
  return Ink::error;
}

}  // namespace tessera::repl
