// The graph of a typed program as text; graph_form.hpp says how it looks. read_graph.cpp reads what is written here.
#include <fmt/format.h>

#include "synth/planner/text/print_json.hpp"
#include "typeck/typed/graph_form.hpp"
#include "typeck/typed/graph_text.hpp"

namespace tessera::typeck {

namespace {

class GraphPrinter {
 public:
  explicit GraphPrinter(const Typed& typed) : typed_(typed), form_(io_, typed, tables_) {}

  std::string run() {
    std::string body;
    for (std::size_t k = 0; k < typed_.instances.size(); ++k) {
      io_.word(fmt::format("function f{}", k));
      form_.instance(typed_.instances.items()[k]);
      body += io_.take() + "\n";
    }
    for (const TypedStatement& statement : typed_.statements) {
      io_.word("statement");
      form_.statement(statement);
      body += io_.take() + "\n";
    }
    const std::string beside = others();
    return fmt::format("typed {} values\n{}{}others {{\n{}}}\n{}{}", typed_.nodes.size(), io_.mesh_table(),
                       text::Writer::tables(typed_.strings, typed_.literals), beside, body, plans());
  }

 private:
  // Values that nothing lists. One that holds regions comes behind what they list.
  std::string others() {
    std::vector<std::string> lines;
    for (auto k = static_cast<std::uint32_t>(typed_.nodes.size()); k-- > 0;) {
      if (form_.wrote(NodeId{k})) continue;
      form_.line(NodeId{k});
      lines.push_back("  " + io_.take() + "\n");
    }
    std::string all;
    for (auto line = lines.rbegin(); line != lines.rend(); ++line) all += *line;
    return all;
  }
  std::string plans() const {
    std::string all;
    for (std::size_t k = 0; k < tables_.plans.size(); ++k)
      all += fmt::format("plan p{} {}\n", k, synth::print_json(*tables_.plans[k]));
    return all;
  }

  const Typed& typed_;
  text::Writer io_;
  GraphTables tables_;
  GraphForm<text::Writer> form_;
};

}  // namespace

std::string print_graph(const Typed& typed) { return GraphPrinter(typed).run(); }

}  // namespace tessera::typeck
