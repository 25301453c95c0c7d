#include "frontend/rows.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"

namespace tessera::frontend {

namespace {

// Holds what has been put line by line so far, and how far into the text that reaches.
struct Lines {
  Document& doc;
  const CommentShelf& comments;
  std::uint32_t done;
  std::vector<DocId> docs;

  // Something begins that stands at [begin, end) of the text.
  void put(DocId line, std::uint32_t begin, std::uint32_t end) {
    if (!docs.empty()) docs.push_back(doc.hard_line());
    if (!docs.empty() && comments.blank_between(done, begin)) docs.push_back(doc.empty_line());
    docs.push_back(line);
    done = std::max(done, end);
  }
  void put(const Comment& comment) { put(doc.whole_line(comment.text), comment.span.begin, comment.span.end); }
};

}  // namespace

// A single comment from the inside that stood at the end of a line goes to the end of the entry's line.
Rows::Surrounded Rows::surround(const Entry& entry, std::uint32_t begin, std::uint32_t end) {
  Surrounded all;
  all.before = comments_.take(begin, entry.span.begin);
  all.doc = entry.print();
  all.moved = comments_.take(entry.span.begin, entry.span.end);
  all.after = comments_.take_same_line(entry.span.end, end);
  if (all.moved.size() == 1 && !all.moved[0]->own_line && all.after == nullptr) {
    all.after = all.moved[0];
    all.moved.clear();
  }
  return all;
}

std::vector<DocId> Rows::lines(const std::vector<Entry>& entries, std::uint32_t begin, std::uint32_t end) {
  Lines lines{doc_, comments_, begin, {}};
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const base::Span place = entries[i].span;
    const auto next = i + 1 < entries.size() ? entries[i + 1].span.begin : end;
    const Surrounded all = surround(entries[i], std::min(lines.done, place.begin), next);
    for (const Comment* comment : all.before) lines.put(*comment);
    for (const Comment* comment : all.moved) lines.put(doc_.whole_line(comment->text), place.begin, place.begin);
    lines.put(all.doc, place.begin, place.end);
    if (all.after == nullptr) continue;
    lines.docs.push_back(doc_.at_line_end(all.after->text));
    lines.done = std::max(lines.done, all.after->span.end);
  }
  for (const Comment* comment : comments_.take(lines.done, end)) lines.put(*comment);
  return std::move(lines.docs);
}

DocId Rows::bracketed(std::string open, const std::vector<Entry>& entries, std::string close, base::Span inside,
                      Spread spread) {
  if (spread == Spread::together && comments_.any(inside.begin, inside.end)) spread = Spread::one_a_line;
  std::vector<DocId> docs{end_of(spread)};
  std::uint32_t done = inside.begin;
  bool line_is_full = false;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const bool last = i + 1 == entries.size();
    Surrounded all = surround(entries[i], done, last ? inside.end : entries[i + 1].span.begin);
    all.before.insert(all.before.end(), all.moved.begin(), all.moved.end());
    if (i > 0) docs.push_back(line_is_full || !all.before.empty() ? doc_.hard_line() : between(spread));
    line_is_full = all.after != nullptr;
    for (const Comment* comment : all.before) {
      docs.push_back(doc_.whole_line(comment->text));
      docs.push_back(doc_.hard_line());
    }
    docs.push_back(all.doc);
    if (!last) docs.push_back(doc_.text(","));
    if (all.after != nullptr) docs.push_back(doc_.at_line_end(all.after->text));
    done = std::max(done, entries[i].span.end);
  }
  for (const Comment* comment : comments_.take(done, inside.end)) {
    if (docs.size() > 1) docs.push_back(doc_.hard_line());
    docs.push_back(doc_.whole_line(comment->text));
  }
  const DocId body = doc_.nest(doc_.concat(std::move(docs)));
  return doc_.group(doc_.concat({doc_.text(std::move(open)), body, end_of(spread), doc_.text(std::move(close))}));
}

DocId Rows::end_of(Spread spread) { return spread == Spread::together ? doc_.text("") : doc_.soft_line(); }

DocId Rows::between(Spread spread) {
  switch (spread) {
    case Spread::one_a_line: return doc_.line();
    case Spread::filled: return doc_.fill_line();
    case Spread::together: return doc_.text(" ");
  }
  base::fail_check("a spread", __FILE__, __LINE__, "a value outside of its enumeration");
}

DocId Rows::comma_separated(const std::vector<DocId>& items) {
  std::vector<DocId> docs;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) docs.push_back(doc_.text(","));
    if (i > 0) docs.push_back(doc_.line());
    docs.push_back(items[i]);
  }
  return doc_.group(doc_.nest(doc_.concat(std::move(docs))));
}

}  // namespace tessera::frontend
