// Gives a target every file named, and a number of mutations of each, the same ones every time.
//
//   NAME_replay SEED MUTATIONS FILE...
//
// An input that ends the process is left in ./crash-input, where libFuzzer's executables and this one can take it up.
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "tests/fuzz/target.hpp"

namespace {

using Random = std::mt19937_64;

// Below `limit`, which is not 0. A standard distribution would differ from one library to the next.
std::size_t below(Random& random, std::size_t limit) { return static_cast<std::size_t>(random() % limit); }

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// One small change: a byte replaced, a piece dropped, doubled, moved, or cut off with all that follows.
void mutate(std::string& text, Random& random) {
  if (text.empty()) text = "a";
  const std::size_t at = below(random, text.size());
  const std::size_t length = 1 + below(random, std::min<std::size_t>(16, text.size() - at));
  const std::string piece = text.substr(at, length);
  switch (below(random, 5)) {
    case 0: text[at] = static_cast<char>(random()); break;
    case 1: text.erase(at, length); break;
    case 2: text.insert(at, piece); break;
    case 3: text.insert(below(random, text.size()), piece); break;
    default: text.resize(at); break;
  }
}

void give(const std::string& text) {
  std::ofstream("crash-input", std::ios::binary | std::ios::trunc) << text;
  tessera::fuzz::one_input(text);
}

void replay(const std::string& original, std::size_t mutations, Random& random) {
  give(original);
  for (std::size_t i = 0; i < mutations; ++i) {
    std::string text = original;
    for (std::size_t changes = 1 + below(random, 4); changes > 0; --changes) mutate(text, random);
    give(text);
  }
}

}  // namespace

int main(int count, char** words) {
  if (count < 4) {
    std::cerr << "usage: replay SEED MUTATIONS FILE...\n";
    return 2;
  }
  Random random(std::stoull(words[1]));
  const std::size_t mutations = std::stoul(words[2]);
  for (int i = 3; i < count; ++i) replay(read_file(words[i]), mutations, random);
  std::remove("crash-input");
  return 0;
}
