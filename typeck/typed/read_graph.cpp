// Reads what print_graph.cpp writes.
#include "synth/layout/tiling.hpp"
#include "synth/planner/text/read_json.hpp"
#include "synth/verify/verify.hpp"
#include "typeck/typed/graph_form.hpp"
#include "typeck/typed/graph_text.hpp"

namespace tessera::typeck {

namespace {

class GraphOfText {
 public:
  GraphOfText(std::string_view text, const synth::Machine& machine)
      : io_(text, "a typed program"), machine_(machine), form_(io_, typed_, tables_) {}

  base::Result<Typed> run() {
    io_.word("typed");
    tables_.nodes.resize(io_.index("", io_.size()));
    io_.word("values");
    io_.mesh_table();
    io_.tables(typed_.strings, typed_.literals);
    io_.word("others");
    std::vector<NodeId> others;
    io_.lines(others, [&](NodeId& id) { form_.line(id); });
    while (io_.accept("function")) instance();
    while (io_.accept("statement")) form_.statement(typed_.statements.emplace_back());
    for (std::size_t k = 0; k < tables_.plans_read.size(); ++k) plan(k);
    if (io_.good() && !io_.at_end()) io_.fail("nothing may follow");
    keep_nodes();
    if (!io_.good()) return *io_.fault();
    return std::move(typed_);
  }

 private:
  void instance() {
    if (io_.index("f", typed_.instances.size() + 1) != typed_.instances.size())
      return io_.fail("the functions are out of order");
    Instance one;
    form_.instance(one);
    typed_.instances.add(std::move(one));
  }
  void plan(std::size_t number) {
    io_.word("plan");
    if (io_.index("p", number + 1) != number) return io_.fail("the plans are out of order");
    auto one = io_.got(verified(io_.rest_of_line()));
    if (!one.has_value()) return;
    if (!one->verified) return io_.fail("the plan does not verify");
    *tables_.plans_read[number] = std::move(*one);
  }
  base::Result<synth::Plan> verified(std::string_view json) const {
    TESSERA_TRY(plan, synth::read_json(json));
    TESSERA_TRY(machine, synth::machine_for(machine_, synth::run_devices(plan.from, plan.to)));
    plan.verified = synth::verify(plan, machine).ok();
    return plan;
  }
  void keep_nodes() {
    for (std::optional<Node>& node : tables_.nodes) {
      if (!node.has_value()) return io_.fail("a value is missing");
      typed_.nodes.add(std::move(*node));
    }
  }

  text::Reader io_;
  const synth::Machine& machine_;
  Typed typed_;
  GraphTables tables_;
  GraphForm<text::Reader> form_;
};

}  // namespace

base::Result<Typed> read_graph(std::string_view text, const synth::Machine& machine) {
  return base::guarded([&]() -> base::Result<Typed> { return GraphOfText(text, machine).run(); });
}

}  // namespace tessera::typeck
