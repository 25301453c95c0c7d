// Stages of a check as text: what writes it. Reader has the same functions, so that one description of a node, a
// template over the two, both prints and reads it; In<Io, T> is what such a description is given.
//
// A line is words, then `@` and where it was written: `%2: f32[8] = map (%0, %1) add @17..22 (17..18 #3, 21..22 #4)`.
// The places that a description names come in parentheses behind that of the whole, in the order in which it names
// them: bytes of the text of number 0, or `2:17..22` of another, and `#` before the number of an expression of the
// tree.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/ids.hpp"
#include "base/quoted.hpp"
#include "base/source.hpp"
#include "frontend/ast.hpp"
#include "synth/layout/axis_part.hpp"
#include "synth/program/text_reader.hpp"

namespace tessera::typeck::text {

template <class Io, class T>
using In = std::conditional_t<Io::kReads, T&, const T&>;

class Writer {
 public:
  static constexpr bool kReads = false;

  bool good() const { return true; }
  // A word or a mark, with a blank before it where one belongs.
  void word(std::string_view text);
  // Is something there that begins with this word? Then the word is written.
  bool said(bool is_there, std::string_view text) {
    if (is_there) word(text);
    return is_there;
  }
  void flag(bool value, std::string_view text) { said(value, text); }
  template <class T>
    requires std::integral<T> || std::floating_point<T>
  void number(T value) {
    word(fmt::format("{}", value));
  }
  void quoted(std::string_view text) { word(base::hex_quoted(text)); }
  template <class Tag>
  void id(std::string_view prefix, base::Id<Tag> value) {
    word(fmt::format("{}{}", prefix, value.value));
  }
  template <class T, class F>
  void list(const std::vector<T>& all, F&& item) {
    word("(");
    for (std::size_t k = 0; k < all.size(); ++k) {
      if (k > 0) word(",");
      item(all[k]);
    }
    word(")");
  }
  // The items in braces, each on a line of its own.
  template <class T, class F>
  void lines(const std::vector<T>& all, F&& item) {
    word("{");
    ++depth_;
    for (const T& one : all) {
      next_line();
      item(one);
    }
    --depth_;
    next_line();
    word("}");
  }
  void next_line();

  // ---- Places
  void place(base::Span span) { places_.push_back(place_text(span)); }
  void place(base::Span span, frontend::ExprId expr);
  // The place of the line, and those that were named since the last.
  void places(base::Span span);
  // Those alone, of a line that has no place of its own: `at (64..65, 80..85)`.
  void places();

  // ---- What lies on meshes
  void mesh(const synth::MeshRef& mesh);
  void layout(const std::vector<synth::AxisList>& splits, const synth::AxisList& pending, synth::ReduceOp reduce,
              const synth::Mesh& mesh);
  void axes(const synth::AxisList& axes, const synth::Mesh& mesh);
  // `f32[8, 4]`, and ` on m1` unless it lies on the first mesh.
  void type(const synth::ArrayType& type);
  // Of an array whose layout is not known: as if it lay whole on each device.
  void type(synth::ElementType element, const synth::Shape& shape, const synth::MeshRef& mesh);

  void operation(std::string_view, const synth::Operation& operation) { word(synth::print_details(operation)); }

  // All that was written since the last time; the meshes are kept for their table.
  std::string take() { return std::exchange(out_, {}); }
  std::string mesh_table() const;
  static std::string tables(const base::Store<std::string, synth::StringId>& strings,
                            const base::Store<synth::Literal, synth::LiteralId>& literals);

 private:
  static std::string place_text(base::Span span);
  void named_places();

  std::string out_;
  std::size_t depth_ = 0;
  std::vector<std::string> places_;
  std::vector<std::string> meshes_;  // as text: two may be equal and written differently
};

}  // namespace tessera::typeck::text
