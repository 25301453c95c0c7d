// The outcome of a call: a value, or the diagnostics that say why there is none. tessera.hpp includes this.
//
//     tessera::Session session;
//     tessera::Result<tessera::Array> a = session.get("a");
//     if (a) std::cout << a->text();
//     for (const tessera::Diagnostic& mistake : a.diagnostics()) std::cerr << mistake.message;
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tessera {

class Function;    // tessera/function.hpp
struct ArrayType;  // tessera/array_type.hpp
struct Choice;     // tessera/choice.hpp

enum class Severity : std::uint8_t { note, warning, error };

// Who has to act; the number is the exit status of the command line.
enum class Blame : std::uint8_t { program = 1, command = 2, world = 3, us = 4 };

// A place in a text. Lines and columns count from 1; columns count code points. `length` is the number of code points
// on the first line that are meant, at least 1.
struct Place {
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint32_t length = 0;
  std::string line_text;               // the line; of a line of many thousand characters the part around the place
  std::uint32_t line_text_column = 1;  // of line_text's first code point
};

struct Label {
  Place place;
  std::string text;  // may be empty
  bool primary = false;
};

struct Diagnostic {
  std::string slug;  // `axis-used-twice`; explain() has a section about it
  Severity severity = Severity::error;
  Blame blame = Blame::program;
  std::string message;
  std::vector<Label> labels;  // the primary one first; none where no text is to blame
  std::string help;           // what to type instead; may be empty, may hold several lines
};
using Diagnostics = std::vector<Diagnostic>;  // of one call at most 1,000: more help nobody

// A value, or the diagnostics that say why there is none (errors first to last in the order of the text).
template <class T>
class [[nodiscard]] Result {
  static_assert(
      requires { sizeof(T); }, "include the header that has the result's type: tessera/function.hpp has Function");

 public:
  Result(T value) : content_(std::in_place_index<0>, std::move(value)) {}
  Result(Diagnostics why) : content_(std::in_place_index<1>, std::move(why)) {}

  bool ok() const { return content_.index() == 0; }
  explicit operator bool() const { return ok(); }
  T& value() & { return checked(); }
  const T& value() const& { return const_cast<Result*>(this)->checked(); }
  T&& value() && { return std::move(checked()); }
  T* operator->() { return &checked(); }
  const T* operator->() const { return &const_cast<Result*>(this)->checked(); }
  T& operator*() & { return checked(); }
  const T& operator*() const& { return const_cast<Result*>(this)->checked(); }
  // Empty for a success.
  const Diagnostics& diagnostics() const {
    static const Diagnostics none;
    return ok() ? none : std::get<1>(content_);
  }

 private:
  T& checked() {
    if (!ok()) throw std::logic_error("tessera::Result: value() of a failure: " + first_message());
    return std::get<0>(content_);
  }
  std::string first_message() const { return diagnostics().empty() ? "" : diagnostics().front().message; }
  std::variant<T, Diagnostics> content_;
};

struct Done {};
using Status = Result<Done>;

}  // namespace tessera
