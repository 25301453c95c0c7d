#include "runtime/ranks/texts.hpp"

#include <span>
#include <utility>

namespace tessera::runtime {

base::Result<std::vector<std::string>> share_texts(Team& team, std::string mine) {
  TESSERA_TRY(sizes, team.agree(base::Done{}, {static_cast<std::int64_t>(mine.size()), 0}));
  std::vector<std::string> texts(sizes.size());
  texts[static_cast<std::size_t>(team.rank())] = std::move(mine);
  for (int source = 0; source < team.size(); ++source) {
    std::string& text = texts[static_cast<std::size_t>(source)];
    text.resize(static_cast<std::size_t>(sizes[static_cast<std::size_t>(source)][0]));
    if (text.empty()) continue;
    std::vector<int> targets;
    for (int rank = 0; rank < team.size(); ++rank) {
      if (rank != source) targets.push_back(rank);
    }
    TESSERA_TRY_STATUS(team.send(source, targets, std::as_writable_bytes(std::span(text))));
  }
  return texts;
}

}  // namespace tessera::runtime
