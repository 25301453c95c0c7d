// How the open program reads as text: one description, which a Writer prints and a Reader reads. Private to
// typeck/open.
//
// A value is written where it is computed; `others` are those that nothing lists, values of the session first of all.
//
// Example: of `mesh m = [x: 4]`, `let a = iota(f32[8@x, 8])`, `let b = sum(a, dim=1) as [8]` the statements behind the
// first are
//
//   statement 2 {
//     %3: f32[8, 8] = make () iota [@x, _] who "`iota`" @24..41 (29..40)
//   } results () let ("a" %3 slot 0) @16..41 (20..21)
//   statement 3 {
//     %6: f32[8] = reduce (%3) sum [1] who "`sum`" takes_wish wish on m0 lies [_] @50..63 (54..55 #4, 67..70)
//     %7: f32[8] = as %6 [_] is_as begins %5 who "`as`" @50..63 (50..63 #6, 50..70, 67..70)
//   } results () let ("b" %7 slot 1) @42..70 (46..47)
//   lets (%3 statement 1 moment 3, %7 statement 2 moment 4)
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "typeck/open/operation_form.hpp"
#include "typeck/open/words.hpp"
#include "typeck/text/node_table.hpp"
#include "typeck/text/reader.hpp"
#include "typeck/text/writer.hpp"

namespace tessera::typeck::open {

// The nodes of a program that is being read; each is read once.
struct NodesRead {
  std::vector<std::optional<Node>> nodes;
};

template <class Io>
class Form {
 public:
  // `nodes` are those that are read; a printer has them in the program.
  Form(Io& io, text::In<Io, Program> program, NodesRead& read) : io_(io), program_(program), read_(read) {}

  // ---- The program's parts

  void instance(text::In<Io, Instance> one) {
    io_.quoted(one.name);
    io_.list(one.parameters, [&](auto& parameter) { own_parameter(parameter); });
    for (auto& parameter : one.parameters) {
      io_.place(parameter.written);
      place_of(parameter.value);
    }
    io_.places(one.name_span);
    region(one.body);
    lets(one.lets);
    bool incomplete = !one.is_complete;
    io_.flag(incomplete, "incomplete");
    if constexpr (Io::kReads) one.is_complete = !incomplete;
    optional(one.chosen, "chosen", [&](auto& own) { chosen(own); });
    if (io_.said(!one.named.empty(), "named")) {
      io_.list(one.named, [&](auto& own) {
        io_.quoted(own.name);
        use(own.value);
      });
      for (auto& own : one.named) io_.place(own.span);
    }
    io_.places(one.defined_at);
  }

  void statement(text::In<Io, Statement> one) {
    io_.number(one.moment);
    region(one.region);
    if (io_.said(!one.bound.empty(), "let")) {
      io_.list(one.bound, [&](auto& bound) { this->bound(bound); });
      for (auto& bound : one.bound) io_.place(bound.span);
    }
    optional(one.shown, "show", [&](auto& value) { use(value); });
    io_.places(one.span);
  }

  void lets(text::In<Io, std::vector<Let>> all) {
    if (!io_.said(!all.empty(), "lets")) return;
    io_.list(all, [&](auto& let) {
      use(let.value);
      io_.word("statement");
      io_.id("", let.statement);
      io_.word("moment");
      io_.number(let.moment);
    });
  }

  // ---- Nodes

  void line(text::In<Io, ValueId> id) {
    io_.id("%", id);
    if constexpr (Io::kReads) {
      Node made;
      node(made);
      text::put_node(io_, read_.nodes, id, std::move(made));
    } else {
      text::note_written(written_, id);
      node(program_.nodes[id]);
    }
  }

  // Has a printer written the node?
  bool wrote(ValueId id) const { return text::was_written(written_, id); }

 private:
  template <class T>
  using In = text::In<Io, T>;

  template <class T, class F>
  void optional(T& value, std::string_view word, F&& f) {
    if (!io_.said(value.has_value(), word)) return;
    if constexpr (Io::kReads) value.emplace();
    f(*value);
  }

  void use(In<ValueId> value) { io_.id("%", value); }
  void values(In<std::vector<ValueId>> all) {
    io_.list(all, [&](auto& one) { use(one); });
  }
  // One without a value stands for zeros.
  void use(In<Use> one) {
    if (io_.said(!one.value.valid(), "zeros")) return;
    use(one.value);
    known_scalar(io_, one.known);
  }
  void place(In<Use> one) { io_.place(one.span, one.expr); }
  void uses(In<std::vector<Use>> all) {
    io_.list(all, [&](auto& one) { use(one); });
    for (auto& one : all) place(one);
  }

  // A value that is given from outside: its node is written where it is declared.
  void declaration(In<ValueId> id) {
    use(id);
    io_.word(":");
    if constexpr (Io::kReads) {
      Node made;
      made.types.push_back(text::Fresh<Type>::make());
      array_type(io_, made.types[0]);
      text::put_node(io_, read_.nodes, id, std::move(made));
    } else {
      text::note_written(written_, id);
      array_type(io_, program_.nodes[id].types.at(0));
    }
  }
  void place_of(In<ValueId> id) {
    if constexpr (Io::kReads) {
      if (Node* const made = io_.good() ? text::read_node(read_.nodes, id) : nullptr) io_.place(made->span);
    } else {
      io_.place(program_.nodes[id].span);
    }
  }
  void declarations(In<std::vector<ValueId>> all) {
    io_.list(all, [&](auto& id) { declaration(id); });
    for (auto& id : all) place_of(id);
  }
  const synth::Mesh& mesh_of(ValueId id) const {
    if constexpr (Io::kReads) {
      const bool is_there = id.value < read_.nodes.size() && read_.nodes[id.value].has_value();
      return is_there ? read_.nodes[id.value]->types.at(0).mesh() : *synth::Mesh::single_device();
    } else {
      return program_.nodes[id].types.at(0).mesh();
    }
  }

  // Of a value that was read.
  std::optional<Type> type_of(ValueId id) const {
    if (id.value >= read_.nodes.size() || !read_.nodes[id.value].has_value()) return std::nullopt;
    const std::vector<Type>& types = read_.nodes[id.value]->types;
    return types.empty() ? std::nullopt : std::optional(types.front());
  }

  void own_parameter(In<Instance::Parameter> one) {
    io_.quoted(one.name);
    declaration(one.value);
    optional(one.layout, "lies", [&](auto& layout) { written_layout(io_, layout, mesh_of(one.value)); });
    io_.flag(one.is_chosen, "auto");
  }
  // `chosen m0 over (0, 1) as (0, 2)`: a result lies as the parameter before that number, or as it is chosen. Behind it
  // `fields ("", "2.w")`, where results are records.
  void chosen(In<ChosenLayouts> own) {
    io_.mesh(own.mesh);
    io_.word("over");
    io_.list(own.axes, [&](auto& axis) { io_.number(axis); });
    io_.word("as");
    io_.list(own.results_as, [&](auto& as) {
      std::size_t number = as.has_value() ? *as + 1 : 0;
      io_.number(number);
      if constexpr (Io::kReads) as = number > 0 ? std::optional(number - 1) : std::nullopt;
    });
    if (io_.said(!own.result_names.empty(), "fields"))
      io_.list(own.result_names, [&](auto& name) { io_.quoted(name); });
  }
  void bound(In<Bound> one) {
    io_.quoted(one.name);
    use(one.value);
    io_.word("slot");
    io_.number(one.slot);
    // Its type is to be found, and is taken for whole.
    if constexpr (Io::kReads) {
      const std::optional<Type> own = type_of(one.value);
      if (own.has_value()) one.type = Variable::of_shape(one.name, own->element(), own->shape(), own->mesh_ref()).type;
    }
  }

  void region(In<Region> one) {
    io_.lines(one.order, [&](auto& id) { line(id); });
    io_.word("results");
    uses(one.results);
  }

  // `%2: f32[8] = ...`; no type, or several in parentheses, where there are none or several results.
  void node(In<Node> one) {
    types(one.types);
    io_.word("=");
    body(one);
    ending(one);
    io_.places(one.span);
  }
  void types(In<std::vector<Type>> all) {
    if (!io_.said(!all.empty(), ":")) return;
    if constexpr (Io::kReads) {
      if (!io_.accept("several")) {
        all.push_back(text::Fresh<Type>::make());
        return array_type(io_, all[0]);
      }
    } else {
      if (all.size() == 1) return array_type(io_, all[0]);
      io_.word("several");
    }
    io_.list(all, [&](auto& type) { array_type(io_, type); });
  }
  void ending(In<Node> one) {
    io_.flag(one.is_local, "local");
    bool incomplete = !one.is_complete;
    io_.flag(incomplete, "incomplete");
    if constexpr (Io::kReads) one.is_complete = !incomplete;
    io_.flag(one.takes_wish, "takes_wish");
    if (io_.said(one.shares_wish.valid(), "shares_wish")) use(one.shares_wish);
    optional(one.wish, "wish", [&](auto& own) { wish(own); });
    if (io_.said(one.pass != synth::Pass::none, "pass")) pass(one.pass);
    if (io_.said(one.again != 0, "again")) {
      io_.number(one.again);
      if (io_.said(one.pass_there != synth::Pass::none, "there")) pass(one.pass_there);
    }
    // A copy is made for what it copies.
    const bool is_copy = io_.said(one.copy_of.valid(), "of");
    if (is_copy) use(one.copy_of);
    if constexpr (Io::kReads) one.made_for = one.copy_of;
    const bool is_made_for = !is_copy && io_.said(one.made_for.valid(), "for");
    if (is_made_for) use(one.made_for);
    if (!is_copy && !is_made_for) return;
    io_.word("in");
    use(one.entered);
  }
  void pass(In<synth::Pass> pass) {
    if constexpr (Io::kReads) {
      pass = io_.accept("forward") ? synth::Pass::forward : synth::Pass::backward;
      if (pass == synth::Pass::backward) io_.word("backward");
    } else {
      io_.word(pass == synth::Pass::forward ? "forward" : "backward");
    }
  }
  void wish(In<Wish> own) {
    if (io_.said(own.mesh != nullptr, "on")) io_.mesh(own.mesh);
    if (own.mesh != nullptr)
      optional(own.layout, "lies", [&](auto& layout) { written_layout(io_, layout, *own.mesh); });
    if (io_.said(own.as_that.valid(), "as_that")) use(own.as_that);
    if (io_.said(!own.written_pending.empty(), "written_pending"))
      io_.list(own.written_pending, [&](auto& axis) { io_.quoted(axis); });
    io_.flag(own.is_summed, "summed");
    io_.place(own.because);
  }

  // ---- Bodies: the word of the kind, then what it holds

  void body(In<Node> one) {
    if constexpr (Io::kReads) {
      read_body(one);
    } else {
      std::visit(
          [&](const auto& own) {
            using T = std::decay_t<decltype(own)>;
            if constexpr (!std::is_same_v<T, Compute>) io_.word(kWord<T>);
            this->own(own, one);
          },
          one.body);
    }
  }
  void read_body(Node& one) {
    if constexpr (Io::kReads) {
      const std::string_view word = io_.name();
      if (read_kind(word, one)) return;
      Compute& compute = one.body.template emplace<Compute>();
      compute.operation = operation_named(word);
      uses(compute.operands);
      operation_form(io_, compute.operation, word, one.types);
      rest(compute);
    }
  }
  // The kinds of node but operations.
  bool read_kind(std::string_view word, Node& one) {
    const auto try_one = [&]<class T>(T made) {
      if (word != kWord<T>) return false;
      own(one.body.template emplace<T>(std::move(made)), one);
      return true;
    };
    return try_one(Parameter{}) || try_one(Input{}) || try_one(As{}) || try_one(Call{}) || try_one(Loop{}) ||
           try_one(If{}) || try_one(Again{}) || try_one(Element{}) || try_one(Enter{}) || try_one(Gradient{}) ||
           try_one(PlanText{}) || try_one(Definition{});
  }

  void own(In<Parameter>, In<Node>) {}
  void own(In<Input> input, In<Node>) {
    io_.quoted(input.name);
    io_.word("slot");
    io_.number(input.slot);
    io_.word("moment");
    io_.number(input.moment);
  }
  void own(In<Compute> compute, In<Node> one) {
    if constexpr (!Io::kReads) {
      const std::string_view word = operation_word(compute.operation);
      io_.word(word);
      uses(compute.operands);
      operation_form(io_, compute.operation, word, one.types);
      rest(compute);
    }
  }
  void rest(In<Compute> compute) {
    if (io_.said(!compute.who.empty(), "who")) io_.quoted(compute.who);
    io_.flag(compute.is_flat, "flat");
  }
  void own(In<As> as, In<Node> one) {
    use(as.operand);
    place(as.operand);
    written_layout(io_, as.layout, first_mesh(one.types));
    io_.flag(as.is_as, "is_as");
    io_.flag(as.names_axes, "names_axes");
    io_.flag(as.is_argument, "is_argument");
    optional(as.within_bytes, "within", [&](auto& bytes) { io_.number(bytes); });
    if (io_.said(as.operand_begins.valid(), "begins")) use(as.operand_begins);
    io_.word("who");
    io_.quoted(as.who);
    io_.place(as.asked_at);
    io_.place(as.written);
  }
  void own(In<Call> call, In<Node>) {
    io_.id("f", call.instance);
    uses(call.arguments);
  }
  void own(In<Loop> loop, In<Node>) {
    if (io_.said(loop.pipeline.has_value(), "pipeline")) schedule(loop);
    io_.word("count");
    use(loop.count);
    place(loop.count);
    optional(loop.known_count, "known", [&](auto& count) { io_.number(count); });
    io_.word("index");
    declaration(loop.index);
    place_of(loop.index);
    if (io_.said(!loop.indices_elsewhere.empty(), "elsewhere")) declarations(loop.indices_elsewhere);
    io_.word("initial");
    uses(loop.initial);
    io_.word("parameters");
    declarations(loop.parameters);
    optional(loop.condition, "while", [&](auto& carried) { io_.number(carried); });
    io_.flag(loop.is_limited, "limited");
    if (io_.said(!loop.fresh.empty(), "fresh")) io_.list(loop.fresh, [&](auto& carried) { io_.number(carried); });
    io_.word("names");
    io_.list(loop.names, [&](auto& name) { io_.quoted(name.text); });
    for (auto& name : loop.names) io_.place(name.span);
    io_.places(loop.body_span);
    region(loop.body);
  }
  void schedule(In<Loop> loop) {
    if constexpr (Io::kReads) {
      std::string word;
      io_.quoted(word);
      loop.pipeline = synth::schedule_by_name(word);
      if (!loop.pipeline.has_value()) io_.fail("an unknown schedule");
    } else {
      io_.quoted(synth::name(*loop.pipeline));
    }
  }
  void own(In<If> both, In<Node>) {
    use(both.condition);
    io_.flag(both.is_statement, "statement");
    io_.places(both.then_span);
    region(both.then_region);
    io_.word("else");
    io_.places(both.else_span);
    region(both.else_region);
  }
  void own(In<Again> again, In<Node>) { region(again.body); }
  void own(In<Element> element, In<Node>) {
    io_.number(element.index);
    io_.word("of");
    use(element.tuple);
  }
  void own(In<Enter> entered, In<Node>) {
    io_.id("f", entered.instance);
    uses(entered.arguments);
  }
  void own(In<Gradient> gradient, In<Node>) { uses(gradient.results); }
  void own(In<PlanText> plan, In<Node>) { region(plan.region); }
  void own(In<Definition> definition, In<Node>) {
    io_.id("f", definition.instance);
    io_.place(definition.function);
  }

  Io& io_;
  In<Program> program_;
  NodesRead& read_;
  std::vector<bool> written_;
};

}  // namespace tessera::typeck::open
