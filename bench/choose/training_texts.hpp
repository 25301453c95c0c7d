// Training steps in the language, with places for how their arrays lie.
#pragma once

#include <string>
#include <vector>

namespace tessera::bench {

// One way to lay a step out: how the mesh's axis `d` of eight devices is cut, and the type of each argument.
struct HandLayout {
  std::string name;
  std::string cut;                 // `work(speed)`, say
  bool is_chosen = false;          // the types are only of arguments whose layouts are not chosen
  std::vector<std::string> types;  // of the arguments, in their order
};

struct TrainingText {
  std::string name;
  std::string functions;               // with `loss`
  std::vector<std::string> arguments;  // their names: data first, then weights
  std::size_t data = 1;                // how many of them are data
  std::vector<std::string> types;      // whole
  std::vector<std::string> values;     // expressions
  std::vector<HandLayout> layouts;

  // The functions, and `step` laid out so: a loss, and the next weights.
  std::string declarations(const HandLayout& layout) const;
  // `let (l, w2, ..) = step(x, ..)`
  std::string call() const;
};

// Of every kind some sizes: the classifier of VGG19 at a part of its width, perceptrons, a block of a transformer.
std::vector<TrainingText> training_texts();

}  // namespace tessera::bench
