// Dimensions that an operation needs whole. Their axes go to other dimensions, whichever way is the cheapest; an array
// of few bytes, or one without room for them, is gathered.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "typeck/layouts/greedy.hpp"

namespace tessera::typeck {

class Dealing {
 public:
  Dealing(Plans& plans, Reports& reports, const std::string& who, base::Span span)
      : plans_(plans), reports_(reports), who_(who), span_(span) {}

  // The type in which these dimensions are whole, to which the value is changed.
  std::optional<synth::ArrayType> whole(const synth::ArrayType& from, const std::vector<std::size_t>& dimensions,
                                        const Want& want, Changes& way) const;

 private:
  Plans& plans_;
  Reports& reports_;
  const std::string& who_;
  base::Span span_;
};

}  // namespace tessera::typeck
