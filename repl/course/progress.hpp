// How far a learner is: which lessons are done, where to go on, and the best card of golf. A small text file:
//
//     at rows-become-columns
//     done where-an-element-lives
//     card bytes 14336 20480, peak 1536 1024, launches 1 2
#pragma once

#include <optional>
#include <set>
#include <string>

#include "repl/course/card.hpp"

namespace tessera::repl {

class CourseProgress {
 public:
  // Reads $XDG_DATA_HOME/tessera/lessons, else ~/.local/share/tessera/lessons; with neither variable nothing is kept. A
  // course in a folder has a name, and the file `lessons-NAME`. A file that cannot be read counts as no progress.
  static CourseProgress load(const std::string& course);

  const std::string& at() const { return at_; }
  bool is_done(const std::string& lesson) const { return done_.count(lesson) > 0; }
  bool is_kept() const { return !path_.empty(); }
  const std::string& path() const { return path_; }

  void go_to(const std::string& lesson) { at_ = lesson; }
  void finish(const std::string& lesson) { done_.insert(lesson); }
  const Card& best_card() const { return best_card_; }
  void keep_card(Card card) { best_card_ = std::move(card); }
  // Writes the file in one step: readers see the old state or the new one. Returns the reason if that fails.
  std::optional<std::string> save() const;
  // Forgets everything, the file too.
  std::optional<std::string> reset();

 private:
  std::string path_;  // none: nothing is kept
  std::string at_;
  std::set<std::string> done_;
  Card best_card_;
};

}  // namespace tessera::repl
