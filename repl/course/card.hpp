// The card of a round of golf: an answer's scores beside par. The best of a learner's cards is kept.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "repl/course/trial.hpp"

namespace tessera::repl {

class Card {
 public:
  Card() = default;  // nothing has been played
  explicit Card(std::vector<ScoreLine> scores) : scores_(std::move(scores)) {}

  // The product of the scores, each against par, is less: layouts and meshes differ from round to round.
  bool beats(const Card& other) const;
  // `bytes 96 of 192, peak 128 of 128, launches 1 of 1`
  std::string text() const;
  // How many scores are under par.
  int under_par() const;

  // In a file, `bytes 96 192, peak 128 128`; nothing if the text is no card.
  std::string written() const;
  static std::optional<Card> read(const std::string& written);

 private:
  std::vector<ScoreLine> scores_;
};

}  // namespace tessera::repl
