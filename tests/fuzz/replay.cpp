// Gives a target every file named, and a number of mutations of each, the same ones every time: as many of bytes as of
// what stands in brackets, strings and numbers.
//
//   NAME_replay SEED MUTATIONS FILE...
//
// An input that ends the process is left in ./crash-input, where libFuzzer's executables and this one can take it up.
#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fuzz/structure.hpp"
#include "tests/fuzz/target.hpp"

namespace {

using Random = std::mt19937_64;

// Below `limit`, which is not 0. A standard distribution would differ from one library to the next.
std::size_t below(Random& random, std::size_t limit) { return static_cast<std::size_t>(random() % limit); }

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// Another number in place of one, of any size.
void change_number(std::string& text, Random& random) {
  constexpr std::string_view kDigits = "0123456789";
  const std::size_t begin = text.find_first_of(kDigits, below(random, text.size()));
  if (begin == std::string::npos) return;
  const std::size_t end = std::min(text.find_first_not_of(kDigits, begin), text.size());
  std::string number(1 + below(random, 14), '0');
  number[0] = kDigits[1 + below(random, 9)];
  text.replace(begin, end - begin, number);
}

// One small change: a byte replaced, a piece dropped, doubled, moved, or cut off with all that follows; or a number.
void mutate(std::string& text, Random& random) {
  if (text.empty()) text = "a";
  const std::size_t at = below(random, text.size());
  const std::size_t length = 1 + below(random, std::min<std::size_t>(16, text.size() - at));
  const std::string piece = text.substr(at, length);
  switch (below(random, 6)) {
    case 0: text[at] = static_cast<char>(random()); break;
    case 1: text.erase(at, length); break;
    case 2: text.insert(at, piece); break;
    case 3: text.insert(below(random, text.size()), piece); break;
    case 4: change_number(text, random); break;
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
    text = original;
    for (std::size_t changes = 1 + below(random, 2); changes > 0; --changes)
      tessera::fuzz::change_structure(text, [&](std::size_t limit) { return below(random, limit); });
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
