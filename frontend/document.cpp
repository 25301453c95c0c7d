#include "frontend/document.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/utf8.hpp"

namespace tessera::frontend {

DocId Document::add(Kind kind, std::string text, std::vector<DocId> parts, bool breaks) {
  for (const DocId part : parts) breaks = breaks || nodes_[part.value].breaks;
  nodes_.push_back({kind, std::move(text), std::move(parts), breaks});
  return DocId{static_cast<std::uint32_t>(nodes_.size() - 1)};
}

DocId Document::text(std::string text) { return add(Kind::text, std::move(text), {}, false); }
DocId Document::whole_line(std::string text) { return add(Kind::text, std::move(text), {}, true); }
DocId Document::line() { return add(Kind::line, "", {}, false); }
DocId Document::soft_line() { return add(Kind::soft_line, "", {}, false); }
DocId Document::hard_line() { return add(Kind::hard_line, "", {}, true); }
DocId Document::fill_line() { return add(Kind::fill_line, "", {}, false); }
DocId Document::empty_line() { return add(Kind::empty_line, "", {}, true); }
DocId Document::at_line_end(std::string text) { return add(Kind::at_line_end, std::move(text), {}, true); }
DocId Document::concat(std::vector<DocId> parts) { return add(Kind::concat, "", std::move(parts), false); }
DocId Document::nest(DocId doc) { return add(Kind::nest, "", {doc}, false); }
DocId Document::group(DocId doc) { return add(Kind::group, "", {doc}, false); }
DocId Document::hanging(DocId doc) { return add(Kind::hanging, "", {doc}, false); }

DocId Document::unbroken(DocId doc) {
  constexpr std::size_t kEndless = std::numeric_limits<std::size_t>::max() / 2;
  return breaks(doc) ? doc : text(layout(doc, kEndless));
}

// One run of the layout: a stack of what is still to be written, each with its indentation and whether its lines are
// broken.
class Document::Layout {
 public:
  Layout(const std::vector<Node>& nodes, std::size_t columns_max) : nodes_(nodes), columns_max_(columns_max) {}

  std::string run(DocId doc) {
    todo_.push_back({doc, 0, true});
    while (!todo_.empty()) {
      const Item item = todo_.back();
      todo_.pop_back();
      write(item);
    }
    flush_line_end();
    return std::move(out_);
  }

 private:
  static constexpr std::size_t kIndentation = 2;
  struct Item {
    DocId doc;
    std::size_t indentation;
    bool broken;
  };

  const Node& node(DocId doc) const { return nodes_[doc.value]; }

  void write(const Item& item) {
    const Node& n = node(item.doc);
    switch (n.kind) {
      case Kind::text: return put(n.text);
      case Kind::line: return item.broken ? end_line(item) : put(" ");
      case Kind::soft_line: return item.broken ? end_line(item) : void();
      case Kind::hard_line: return end_line(item);
      case Kind::fill_line: return item.broken && !fits({}, 1) ? end_line(item) : put(" ");
      case Kind::empty_line: out_ += '\n'; return;
      case Kind::at_line_end: line_end_.append("  ").append(n.text); return;
      case Kind::concat: return push_parts(todo_, n, item.indentation, item.broken);
      case Kind::nest: return push_parts(todo_, n, item.indentation + kIndentation, item.broken);
      case Kind::group: {
        const Item flat{n.parts[0], item.indentation, false};
        const bool broken = n.breaks || !fits({flat}, 0);
        todo_.push_back({n.parts[0], item.indentation, broken});
        return;
      }
      case Kind::hanging: return hang(item);
    }
  }

  void hang(const Item& item) {
    const DocId doc = node(item.doc).parts[0];
    const Item below{doc, item.indentation + kIndentation, false};
    if (!fits({below}, 1) && fits_from(below.indentation, {below})) {
      end_line(below);
      return todo_.push_back(below);
    }
    put(" ");
    todo_.push_back({doc, item.indentation, item.broken});
  }

  static void push_parts(std::vector<Item>& stack, const Node& n, std::size_t indentation, bool broken) {
    for (auto part = n.parts.rbegin(); part != n.parts.rend(); ++part) stack.push_back({*part, indentation, broken});
  }

  void put(std::string_view text) {
    if (column_ == 0 && !text.empty()) {
      out_.append(indentation_, ' ');
      column_ = indentation_;
    }
    out_ += text;
    column_ += base::count_code_points(text);
  }

  void end_line(const Item& item) {
    flush_line_end();
    while (!out_.empty() && out_.back() == ' ') out_.pop_back();
    out_ += '\n';
    column_ = 0;
    indentation_ = item.indentation;
  }

  void flush_line_end() {
    out_ += column_ == 0 && !line_end_.empty() ? line_end_.substr(2) : line_end_;
    line_end_.clear();
  }

  // Does what follows fit on this line, up to the first place where it may end? `first` is looked at before the rest;
  // the groups of the rest may be broken.
  bool fits(std::vector<Item> first, std::size_t blanks) const { return fits_from(column_ + blanks, std::move(first)); }

  bool fits_from(std::size_t column, std::vector<Item> first) const {
    std::size_t rest = todo_.size();
    while (column <= columns_max_) {
      if (first.empty()) {
        if (rest == 0) return true;
        first.push_back(todo_[--rest]);
      }
      const Item item = first.back();
      first.pop_back();
      const Node& n = node(item.doc);
      switch (n.kind) {
        case Kind::text:
          if (column == 0) column = indentation_;
          column += base::count_code_points(n.text);
          break;
        case Kind::line:
        case Kind::fill_line:
          if (item.broken) return true;
          ++column;
          break;
        case Kind::soft_line:
          if (item.broken) return true;
          break;
        case Kind::hard_line:
        case Kind::empty_line: return true;
        case Kind::at_line_end: break;
        case Kind::hanging: ++column; [[fallthrough]];
        case Kind::concat:
        case Kind::nest:
        case Kind::group: push_parts(first, n, item.indentation, item.broken); break;
      }
    }
    return false;
  }

  const std::vector<Node>& nodes_;
  std::size_t columns_max_;
  std::vector<Item> todo_;
  std::string out_;
  std::string line_end_;
  std::size_t column_ = 0;
  std::size_t indentation_ = 0;  // of the line at hand, written with its first text
};

std::string Document::layout(DocId doc, std::size_t columns_max) const { return Layout(nodes_, columns_max).run(doc); }

}  // namespace tessera::frontend
