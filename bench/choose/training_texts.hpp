// Training steps in the language, with places for how their arrays lie.
#pragma once

#include <string>
#include <vector>

namespace tessera::bench {

// One way to lay a step out: how the mesh's axis `d` of eight devices is cut, and the type of each argument; of a
// function without gradients its result's behind them.
struct HandLayout {
  std::string name;
  std::string cut;                 // `work(speed)`, say
  bool is_chosen = false;          // the types are only of arguments whose layouts are not chosen
  std::vector<std::string> types;  // of the arguments, in their order
  bool is_sharded = false;         // fully: a device has its part of every weight, and gathers them for a step
};

struct TrainingText {
  std::string name;
  std::string functions;               // with `loss`
  std::vector<std::string> arguments;  // their names: data first, then weights
  std::size_t data = 1;                // how many of them are data
  std::vector<std::string> types;      // whole
  std::vector<std::string> values;     // expressions
  std::vector<HandLayout> layouts;
  std::string forward = {};  // a function without gradients: what it gives, of its arguments

  // The functions, and `step` laid out so: a loss, and the next weights.
  std::string declarations(const HandLayout& layout) const;
  // `let (l, w2, ..) = step(x, ..)`
  std::string call() const;
};

// Of every kind some sizes: the classifier of VGG19 at a part of its width, perceptrons, a block of a transformer, two
// towers, a chain of products behind a stencil.
std::vector<TrainingText> training_texts();

}  // namespace tessera::bench
