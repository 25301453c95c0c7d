// Reads what print.cpp writes.
#include "typeck/open/form.hpp"

namespace tessera::typeck::open {

namespace {

class ProgramOfText {
 public:
  explicit ProgramOfText(std::string_view text) : io_(text, "an open program"), form_(io_, program_, nodes_) {}

  base::Result<Program> run() {
    io_.word("open");
    nodes_.nodes.resize(io_.index("", io_.size()));
    io_.word("values");
    io_.mesh_table();
    io_.tables(program_.strings, program_.literals);
    io_.word("others");
    std::vector<ValueId> others;
    io_.lines(others, [&](ValueId& id) { form_.line(id); });
    while (io_.accept("function")) instance();
    while (io_.accept("statement")) form_.statement(program_.statements.emplace_back());
    form_.lets(program_.lets);
    if (io_.good() && !io_.at_end()) io_.fail("nothing may follow");
    keep_nodes();
    if (!io_.good()) return *io_.fault();
    return std::move(program_);
  }

 private:
  void instance() {
    if (io_.index("f", program_.instances.size() + 1) != program_.instances.size())
      return io_.fail("the functions are out of order");
    Instance one;
    form_.instance(one);
    program_.instances.add(std::move(one));
  }
  void keep_nodes() {
    for (std::optional<Node>& node : nodes_.nodes) {
      if (!node.has_value()) return io_.fail("a value is missing");
      program_.nodes.add(std::move(*node));
    }
  }

  text::Reader io_;
  Program program_;
  NodesRead nodes_;
  Form<text::Reader> form_;
};

}  // namespace

base::Result<Program> read(std::string_view text) {
  return base::guarded([&]() -> base::Result<Program> { return ProgramOfText(text).run(); });
}

}  // namespace tessera::typeck::open
