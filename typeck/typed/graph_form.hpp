// How the graph of a typed program reads as text: one description, which a Writer prints and a Reader reads. Private to
// typeck/typed.
//
// A plan is what `tessera plan --json` prints of it.
//
// Example: of the program in typeck/open/form.hpp the last statement is
//
//   statement {
//     %1: f32[8@x] = reduce (%0) sum [1] @50..63
//     %2: f32[8] = redistribute %1 p0 all_gather asked annotation who "`as`" @50..63 (50..70, 67..70)
//   } results () let ("b" %2 slot 1) @42..70 (46..47)
//   plan p0 {"mesh": "x:4", "from": "f32[8@x]", "to": "f32[8]", ...
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "synth/planner/plan.hpp"
#include "typeck/text/node_table.hpp"
#include "typeck/text/reader.hpp"
#include "typeck/text/writer.hpp"
#include "typeck/typed/reason_form.hpp"
#include "typeck/typed/typed.hpp"

namespace tessera::typeck {

// The graph's tables while it is printed or read: its nodes that were read, those that were written, and its plans. A
// plan is read last; until then its place is there, with nothing in it.
struct GraphTables {
  std::vector<std::optional<Node>> nodes;
  std::vector<bool> written;
  std::vector<std::shared_ptr<const synth::Plan>> plans;
  std::vector<std::shared_ptr<synth::Plan>> plans_read;
};

template <class Io>
class GraphForm {
 public:
  GraphForm(Io& io, text::In<Io, Typed> typed, GraphTables& tables) : io_(io), typed_(typed), tables_(tables) {}

  void instance(text::In<Io, Instance> one) {
    io_.quoted(one.name);
    declarations(one.parameters);
    io_.places();
    region(one.body);
  }

  void statement(text::In<Io, TypedStatement> one) {
    region(one.region);
    if (io_.said(!one.bound.empty(), "let")) {
      io_.list(one.bound, [&](auto& bound) {
        io_.quoted(bound.name);
        use(bound.node);
        io_.word("slot");
        io_.number(bound.slot);
      });
      for (auto& bound : one.bound) io_.place(bound.span);
    }
    if (io_.said(one.shown.has_value(), "show")) {
      if constexpr (Io::kReads) one.shown.emplace();
      use(*one.shown);
    }
    io_.places(one.span);
  }

  void line(text::In<Io, NodeId> id) {
    use(id);
    if constexpr (Io::kReads) {
      Node made;
      node(made);
      text::put_node(io_, tables_.nodes, id, std::move(made));
    } else {
      text::note_written(tables_.written, id);
      node(typed_.nodes[id]);
    }
  }
  bool wrote(NodeId id) const { return text::was_written(tables_.written, id); }

 private:
  template <class T>
  using In = text::In<Io, T>;

  void use(In<NodeId> value) { io_.id("%", value); }
  void uses(In<std::vector<NodeId>> all) {
    io_.list(all, [&](auto& one) { use(one); });
  }
  // Values that are given from outside, and their places.
  void declarations(In<std::vector<NodeId>> all) {
    io_.list(all, [&](auto& id) { declaration(id); });
    for (auto& id : all) place_of(id);
  }
  void declaration(In<NodeId> id) {
    use(id);
    io_.word(":");
    if constexpr (Io::kReads) {
      Node made;
      io_.type(made.types.emplace_back());
      pass(made);
      text::put_node(io_, tables_.nodes, id, std::move(made));
    } else {
      text::note_written(tables_.written, id);
      io_.type(typed_.nodes[id].types.at(0));
      pass(typed_.nodes[id]);
    }
  }
  void place_of(In<NodeId> id) {
    if constexpr (Io::kReads) {
      if (Node* const made = io_.good() ? text::read_node(tables_.nodes, id) : nullptr) io_.place(made->span);
    } else {
      io_.place(typed_.nodes[id].span);
    }
  }
  void region(In<Region> one) {
    io_.lines(one.order, [&](auto& id) { line(id); });
    io_.word("results");
    uses(one.results);
  }

  void node(In<Node> one) {
    if (io_.said(!one.types.empty(), ":")) types(one.types);
    io_.word("=");
    body(one);
    pass(one);
    io_.places(one.span);
  }
  void types(In<std::vector<ArrayType>> all) {
    if constexpr (Io::kReads) {
      if (!io_.accept("several")) return io_.type(all.emplace_back());
    } else {
      if (all.size() == 1) return io_.type(all[0]);
      io_.word("several");
    }
    io_.list(all, [&](auto& type) { io_.type(type); });
  }
  void pass(In<Node> one) {
    bool forward = one.pass == synth::Pass::forward;
    bool backward = one.pass == synth::Pass::backward;
    io_.flag(forward, "forward");
    io_.flag(backward, "backward");
    if constexpr (Io::kReads) {
      if (forward) one.pass = synth::Pass::forward;
      if (backward) one.pass = synth::Pass::backward;
    }
  }

  void body(In<Node> one) {
    if constexpr (Io::kReads) {
      read_body(io_.name(), one);
    } else {
      std::visit(
          [&](const auto& own) {
            using T = std::decay_t<decltype(own)>;
            if constexpr (!std::is_same_v<T, Compute>) io_.word(word_of(T{}));
            this->own(own, std::string_view());
          },
          one.body);
    }
  }
  static constexpr std::string_view word_of(const Parameter&) { return "parameter"; }
  static constexpr std::string_view word_of(const Input&) { return "input"; }
  static constexpr std::string_view word_of(const Redistribute&) { return "redistribute"; }
  static constexpr std::string_view word_of(const Call&) { return "call"; }
  static constexpr std::string_view word_of(const Loop&) { return "loop"; }
  static constexpr std::string_view word_of(const If&) { return "if"; }
  static constexpr std::string_view word_of(const Again&) { return "again"; }
  static constexpr std::string_view word_of(const Element&) { return "element"; }

  void read_body(std::string_view word, Node& one) {
    const auto try_one = [&]<class T>(T made) {
      if (word != word_of(made)) return false;
      own(one.body.template emplace<T>(std::move(made)), word);
      return true;
    };
    const bool is_other = try_one(Parameter{}) || try_one(Input{}) || try_one(Redistribute{}) || try_one(Call{}) ||
                          try_one(Loop{}) || try_one(If{}) || try_one(Again{}) || try_one(Element{});
    if (is_other) return;
    own(one.body.template emplace<Compute>(), word);
  }

  void own(In<Parameter>, std::string_view) {}
  void own(In<Input> input, std::string_view) {
    io_.word("slot");
    io_.number(input.slot);
  }
  void own(In<Compute> compute, std::string_view word) {
    if constexpr (!Io::kReads) {
      word = synth::name(compute.operation);
      io_.word(word);
    }
    uses(compute.operands);
    io_.operation(word, compute.operation);
    if (io_.said(compute.received_bytes != 0, "receives")) io_.number(compute.received_bytes);
    if (io_.said(!compute.who.empty(), "who")) io_.quoted(compute.who);
    compared_words(io_, compute.compared);
  }
  void own(In<Redistribute> move, std::string_view) {
    use(move.operand);
    plan(move.plan);
    reason(move.why);
  }
  void own(In<Call> call, std::string_view) {
    io_.id("f", call.instance);
    uses(call.arguments);
  }
  void own(In<Loop> loop, std::string_view) {
    io_.word("count");
    use(loop.count);
    if (io_.said(loop.known_count.has_value(), "known")) {
      if constexpr (Io::kReads) loop.known_count.emplace();
      io_.number(*loop.known_count);
    }
    io_.word("index");
    declaration(loop.index);
    place_of(loop.index);
    if (io_.said(!loop.indices_elsewhere.empty(), "elsewhere")) declarations(loop.indices_elsewhere);
    io_.word("initial");
    uses(loop.initial);
    io_.word("parameters");
    declarations(loop.parameters);
    if (io_.said(loop.condition.has_value(), "while")) {
      if constexpr (Io::kReads) loop.condition.emplace();
      io_.number(*loop.condition);
    }
    io_.flag(loop.is_limited, "limited");
    if (io_.said(loop.pipeline != nullptr, "pipeline")) pipeline(loop.pipeline);
    io_.places();
    region(loop.body);
  }
  void own(In<If> both, std::string_view) {
    use(both.condition);
    region(both.then_region);
    io_.word("else");
    region(both.else_region);
  }
  void own(In<Again> again, std::string_view) { region(again.body); }
  void own(In<Element> element, std::string_view) {
    io_.number(element.index);
    io_.word("of");
    use(element.tuple);
  }

  // ---- Redistributions

  // The number of the plan, and the names of its steps for people.
  void plan(In<std::shared_ptr<const synth::Plan>> plan) {
    if constexpr (Io::kReads) {
      const std::uint32_t number = io_.index("p", io_.size());
      while (tables_.plans_read.size() <= number) tables_.plans_read.push_back(std::make_shared<synth::Plan>());
      plan = tables_.plans_read[number];
      while (synth::collective_by_name(io_.peek_name()).has_value()) io_.name();
    } else {
      std::size_t number = 0;
      while (number < tables_.plans.size() && tables_.plans[number] != plan) ++number;
      if (number == tables_.plans.size()) tables_.plans.push_back(plan);
      io_.word(fmt::format("p{}", number));
      for (const synth::PlanStep& step : plan->steps) io_.word(synth::name(step.collective));
    }
  }
  void reason(In<Reason> why) {
    reason_words(io_, why);
    reason_places(io_, why);
  }

  // ---- Pipelines

  void pipeline(In<std::shared_ptr<const synth::PipelinePlan>> pipeline) {
    if constexpr (Io::kReads) {
      synth::PipelinePlan made;
      std::string word;
      io_.quoted(word);
      const auto schedule = synth::schedule_by_name(word);
      if (!schedule.has_value()) return io_.fail("an unknown schedule");
      made.schedule = *schedule;
      pipeline_figures(made);
      pipeline = std::make_shared<const synth::PipelinePlan>(std::move(made));
    } else {
      io_.quoted(synth::name(pipeline->schedule));
      pipeline_figures(*pipeline);
    }
  }
  void pipeline_figures(In<synth::PipelinePlan> one) {
    io_.word("microbatches");
    io_.number(one.microbatches);
    io_.list(one.meshes, [&](auto& mesh) { io_.mesh(mesh); });
    io_.word("makespan");
    io_.number(one.makespan);
    io_.word("bubble");
    io_.number(one.bubble);
    io_.word("warm_ups");
    numbers(one.warm_ups);
    io_.word("stages");
    io_.number(one.shape.stages);
    io_.list(one.shape.visits, [&](auto& visit) {
      io_.number(visit.stage);
      io_.number(visit.main_seconds);
      io_.number(visit.rest_seconds);
    });
    io_.word("borders");
    io_.list(one.shape.borders, [&](auto& border) {
      io_.number(border.from);
      io_.number(border.to);
      io_.number(border.seconds);
    });
    io_.word("sharing");
    io_.list(one.shape.sharing, [&](auto& others) { numbers(others); });
    io_.word("order");
    numbers(one.order);
  }
  template <class Numbers>
  void numbers(Numbers& all) {
    io_.list(all, [&](auto& number) { io_.number(number); });
  }

  Io& io_;
  In<Typed> typed_;
  GraphTables& tables_;
};

}  // namespace tessera::typeck
