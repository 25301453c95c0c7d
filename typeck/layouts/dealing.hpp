// Dimensions that an operation needs whole. Their axes go to other dimensions, whichever way is the cheapest; an array
// of few bytes, or one without room for them, is gathered.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "typeck/layouts/greedy.hpp"

namespace tessera::typeck {

// A gather of so few bytes in all is one launch like any other step, so it may be chosen if it is the fastest.
inline constexpr std::int64_t kGatheredBytesMax = std::int64_t{64} << 10U;

// The seconds and bytes of bringing a value to a layout and its like to the wanted one.
std::optional<Alternative> price_of_change(Plans& plans, const synth::ArrayType& from, const synth::ArrayType& to,
                                           base::Span span, const Want& want);

// The cheapest way to make dimensions whole, among all that were compared.
struct BestDeal {
  synth::ArrayType target;
  std::size_t number = 0;
  std::vector<Alternative> compared;
};

// What may be gathered where dimensions are to be whole: if there is another way, arrays of few bytes alone.
enum class Gathers : std::uint8_t { anything, little };

class Dealing {
 public:
  Dealing(Plans& plans, Reports& reports, const std::string& who, base::Span span)
      : plans_(plans), reports_(reports), who_(who), span_(span) {}

  // Where little may be gathered and there is no way, nothing was compared.
  std::optional<BestDeal> best(const synth::ArrayType& from, const std::vector<std::size_t>& dimensions,
                               const Want& want, Gathers gathers = Gathers::anything) const;
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
