// What reads the text that Writer writes, with the functions of the same names. The first fault ends the reading: what
// is read after it is nothing, and `fault` says where it was.
#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "typeck/text/writer.hpp"

namespace tessera::typeck::text {

// What a list's item is before it is read.
template <class T>
struct Fresh {
  static T make() { return T{}; }
};

class Reader {
 public:
  static constexpr bool kReads = true;

  Reader(std::string_view text, std::string_view what) : text_(text, what), size_(text.size()) {}

  bool good() const { return !fault_.has_value(); }
  const std::optional<base::Diagnostics>& fault() const { return fault_; }
  void fail(std::string_view why);
  // The value, where there is one; else its errors are the fault.
  template <class T>
  std::optional<T> got(base::Result<T> result) {
    if (!good()) return std::nullopt;
    if (result.ok()) return std::move(result).value();
    fault_ = std::move(result).errors();
    return std::nullopt;
  }

  void word(std::string_view text);
  bool said(bool, std::string_view text) { return accept(text); }
  bool accept(std::string_view text);
  void flag(bool& value, std::string_view text) { value = accept(text); }
  std::string_view name() { return good() ? text_.name() : std::string_view(); }
  std::string_view peek_name() const { return good() ? synth::TextReader(text_).name() : std::string_view(); }
  std::string_view rest_of_line() { return good() ? text_.rest_of_line() : std::string_view(); }
  bool at_end() { return text_.at_end(); }
  std::string_view numeral() { return good() ? text_.numeral() : std::string_view(); }
  template <class T>
  T value_of(std::string_view digits) {
    T value = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (read.ec != std::errc() || read.ptr != digits.data() + digits.size()) fail("a number is missing or too large");
    return value;
  }
  template <class T>
    requires std::integral<T> || std::floating_point<T>
  void number(T& value) {
    value = value_of<T>(numeral());
  }
  void quoted(std::string& text);
  template <class Tag>
  void id(std::string_view prefix, base::Id<Tag>& value) {
    value.value = index(prefix, size_);
  }
  // A number behind a prefix, below the count.
  std::uint32_t index(std::string_view prefix, std::size_t count);
  template <class T, class F>
  void list(std::vector<T>& all, F&& item) {
    all.clear();
    word("(");
    if (accept(")")) return;
    do {
      T one = Fresh<T>::make();
      item(one);
      all.push_back(std::move(one));
    } while (accept(","));
    word(")");
  }
  template <class T, class F>
  void lines(std::vector<T>& all, F&& item) {
    all.clear();
    if (++depth_ > kDepthMax) fail("blocks are nested too deeply");
    word("{");
    while (good() && !accept("}")) {
      T one = Fresh<T>::make();
      item(one);
      all.push_back(std::move(one));
    }
    --depth_;
  }
  void next_line() {}

  // What was given stays where it is until the line's places are read.
  void place(base::Span& span) { places_.push_back({&span, nullptr}); }
  void place(base::Span& span, frontend::ExprId& expr) { places_.push_back({&span, &expr}); }
  void places(base::Span& span);
  void places();

  void mesh(synth::MeshRef& mesh);
  void layout(std::vector<synth::AxisList>& splits, synth::AxisList& pending, synth::ReduceOp& reduce,
              const synth::Mesh& mesh);
  void axes(synth::AxisList& axes, const synth::Mesh& mesh);
  void type(synth::ArrayType& type);
  void type(synth::ElementType& element, synth::Shape& shape, synth::MeshRef& mesh);
  void operation(std::string_view name, synth::Operation& operation);

  // ---- Tables
  void mesh_table();
  void tables(base::Store<std::string, synth::StringId>& strings,
              base::Store<synth::Literal, synth::LiteralId>& literals);
  std::size_t size() const { return size_; }

 private:
  static constexpr std::size_t kDepthMax = 512;
  struct Place {
    base::Span* span = nullptr;
    frontend::ExprId* expr = nullptr;
  };
  base::Span place_read();
  void named_places();
  synth::AxisPart axis_part(const synth::Mesh& mesh);

  synth::TextReader text_;
  std::size_t size_;  // of the text: nothing in it is as many
  std::optional<base::Diagnostics> fault_;
  std::size_t depth_ = 0;
  std::vector<Place> places_;
  std::vector<synth::MeshRef> meshes_;
  synth::TableSizes sizes_;  // how many literals and strings there are
};

}  // namespace tessera::typeck::text
