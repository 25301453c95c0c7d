// The way into typeck/insert/: an open program becomes a typed one.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "typeck/elaborate/options.hpp"
#include "typeck/open/messages.hpp"
#include "typeck/open/open.hpp"
#include "typeck/typed/typed.hpp"

namespace tessera::synth {
class PlanCache;
}

namespace tessera::typeck {

class Inserter;

// One closes one program, once.
class Insertion {
 public:
  // All outlive it. What is bound on the way is in the environment afterwards.
  Insertion(const open::Program& program, const base::SourceMap& sources, Environment& environment,
            synth::PlanCache& plans, const CheckOptions& options, Messages& messages);
  Insertion(const Insertion&) = delete;
  Insertion& operator=(const Insertion&) = delete;
  ~Insertion();

  Typed run();
  // The same, of which only what it moves is asked for: its plans are not verified.
  Typed priced();
  // The seconds of all that the program moves, if they are no more than that and nothing is wrong with it: for
  // comparing placements.
  std::optional<double> seconds(double most);
  // The type of a value for a message; without a layout where it has none.
  std::string type_text(const Messages::Asked& asked) const;
  // The layouts that were found, as text, where the options ask for them.
  std::string assignment_text() const;

 private:
  std::unique_ptr<Inserter> inserter_;
};

}  // namespace tessera::typeck
