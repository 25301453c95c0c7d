// Layouts as text: one description, which a Writer prints and a Reader reads.
//
//   layouts
//   mesh m0 x:2
//   program {
//     %18: f32[4@x]
//     %20: f32[4] uses ((f32[4] asked annotation who "b")) at (194..205, 185..191)
//   }
//   function f0 (f32[4@x, 2], i64) {
//     %12: f32[4@x]
//   }
//
// A value stands there with the layout in which it is made, and then its uses: for each operand, in parentheses, the
// types that it is changed to and who asks for that. Without changes no uses are written.
#include <fmt/format.h>

#include <algorithm>

#include "typeck/layouts/assignment.hpp"
#include "typeck/typed/reason_form.hpp"

namespace tessera::typeck {

namespace {

struct Line {
  open::ValueId value;
  NodeLayouts layouts;
};

template <class Io>
class LayoutsForm {
 public:
  explicit LayoutsForm(Io& io) : io_(io) {}

  void function(text::In<Io, BodyLayouts> one) {
    io_.list(one.arguments, [&](auto& type) { io_.type(type); });
  }
  void lines(text::In<Io, std::vector<Line>> all) {
    io_.lines(all, [&](auto& one) { line(one); });
  }

 private:
  void line(text::In<Io, Line> one) {
    io_.id("%", one.value);
    io_.word(":");
    io_.list(one.layouts.types, [&](auto& type) { io_.type(type); });
    const bool changes = std::ranges::any_of(one.layouts.uses, [](const Changes& way) { return !way.empty(); });
    if (io_.said(changes, "uses")) uses(one.layouts.uses);
    compared_words(io_, one.layouts.compared);
    io_.places();
  }
  void uses(text::In<Io, std::vector<Changes>> all) {
    io_.list(all, [&](auto& way) {
      io_.list(way, [&](auto& change) {
        io_.type(change.to);
        reason_words(io_, change.why);
      });
    });
    for (auto& way : all) {
      for (auto& change : way) reason_places(io_, change.why);
    }
  }

  Io& io_;
};

}  // namespace

std::string print(const Assignment& assignment) {
  text::Writer io;
  LayoutsForm<text::Writer> form(io);
  std::string all;
  for (const BodyLayouts& body : assignment.bodies()) {
    io.word(body.function.has_value() ? fmt::format("function f{}", body.function->value) : "program");
    if (body.function.has_value()) form.function(body);
    std::vector<Line> lines;
    for (const auto& [value, layouts] : body.nodes) lines.push_back({value, layouts});
    form.lines(lines);
    all += io.take() + "\n";
  }
  return fmt::format("layouts\n{}{}", io.mesh_table(), all);
}

namespace {

class LayoutsOfText {
 public:
  explicit LayoutsOfText(std::string_view text) : io_(text, "a table of layouts"), form_(io_) {}

  base::Result<Assignment> run() {
    io_.word("layouts");
    io_.mesh_table();
    io_.word("program");
    nodes(bodies_.emplace_back());
    while (io_.accept("function")) {
      BodyLayouts& body = bodies_.emplace_back();
      body.function = open::InstanceId{io_.index("f", io_.size())};
      form_.function(body);
      nodes(body);
    }
    if (io_.good() && !io_.at_end()) io_.fail("nothing may follow");
    if (!io_.good()) return *io_.fault();
    return Assignment(std::move(bodies_));
  }

 private:
  void nodes(BodyLayouts& body) {
    std::vector<Line> lines;
    form_.lines(lines);
    for (Line& line : lines) body.nodes[line.value] = std::move(line.layouts);
  }

  text::Reader io_;
  LayoutsForm<text::Reader> form_;
  std::deque<BodyLayouts> bodies_;
};

}  // namespace

base::Result<Assignment> read_assignment(std::string_view text) {
  return base::guarded([&]() -> base::Result<Assignment> { return LayoutsOfText(text).run(); });
}

}  // namespace tessera::typeck
