// The open program as text; form.hpp says how it looks. read.cpp reads what is written here.
#include <fmt/format.h>

#include "typeck/open/form.hpp"

namespace tessera::typeck::open {

namespace {

class Printer {
 public:
  explicit Printer(const Program& program) : program_(program), form_(io_, program, none_) {}

  std::string run() {
    std::string body;
    for (std::size_t k = 0; k < program_.instances.size(); ++k) {
      io_.word(fmt::format("function f{}", k));
      form_.instance(program_.instances.items()[k]);
      body += io_.take() + "\n";
    }
    for (const Statement& statement : program_.statements) {
      io_.word("statement");
      form_.statement(statement);
      body += io_.take() + "\n";
    }
    form_.lets(program_.lets);
    body += io_.take();
    const std::string beside = others();
    return fmt::format("open {} values\n{}{}others {{\n{}}}\n{}\n", program_.nodes.size(), io_.mesh_table(),
                       text::Writer::tables(program_.strings, program_.literals), beside, body);
  }

 private:
  // Values that nothing lists. One that holds regions comes behind what they list.
  std::string others() {
    std::vector<std::string> lines;
    for (auto k = static_cast<std::uint32_t>(program_.nodes.size()); k-- > 0;) {
      if (form_.wrote(ValueId{k})) continue;
      form_.line(ValueId{k});
      lines.push_back("  " + io_.take() + "\n");
    }
    std::string all;
    for (auto line = lines.rbegin(); line != lines.rend(); ++line) all += *line;
    return all;
  }

  const Program& program_;
  text::Writer io_;
  NodesRead none_;
  Form<text::Writer> form_;
};

}  // namespace

std::string print(const Program& program) { return Printer(program).run(); }

}  // namespace tessera::typeck::open
