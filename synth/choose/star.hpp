// Private to synth: a value, the layout that it is made in, and the layouts that its readers want.
//
// A copy is made from the layout that the value is made in, once for all readers that it serves: those that want its
// layout or a part of it. The cost of a star is that of the cheapest copies that serve all wants. It is minimised
// exactly over groups of readers, and its table is never written down.
//
// Example: a weight is made as [8@x, 8]; two products want it whole, a third as [8@x, 8]. One gather serves the first
// two, and the third takes the weight as it is.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "synth/choose/prices.hpp"

namespace tessera::synth {

inline constexpr double kEndless = std::numeric_limits<double>::infinity();
inline constexpr std::size_t kReadersMax = 8;

// The place of a star that a node fills: 0 is the maker's, k > 0 that of reader k - 1.
struct StarPlace {
  std::size_t node = 0;
  std::size_t slot = 0;  // of the node
};

struct Star {
  std::size_t value = 0;
  LayoutPrices* prices = nullptr;
  double executions = 1;           // of the maker
  std::vector<double> of_readers;  // executions of a copy for each reader alone
  std::vector<StarPlace> places;
  std::vector<int> made;                           // numbers of the layouts that the maker has
  std::vector<int> wanted;                         // of those that readers may want, and copies have
  std::vector<double> seconds;                     // made x wanted: from one to the other
  std::vector<char> free;                          // made x wanted: what is made serves what is wanted
  std::vector<std::vector<std::uint32_t>> served;  // of each wanted the others that it serves
  // Groups of readers x wanted: what a copy costs as long as it is kept for all of them; empty: nothing.
  std::vector<double> kept;

  std::size_t readers() const { return of_readers.size(); }
  // The number of labels of a place.
  std::size_t labels(std::size_t place) const { return place == 0 ? made.size() : wanted.size(); }
  double price(std::size_t from, std::size_t to) const { return seconds[from * wanted.size() + to]; }
  bool is_free(std::size_t from, std::size_t to) const { return free[from * wanted.size() + to] != 0; }
  // Do copies cost the same for whichever readers they are?
  bool has_equal_readers() const;
};

// What each place of a star may be, and at which cost: a number for each of its labels, endless for those that it may
// not be.
using StarCosts = std::vector<std::vector<double>>;

// A query: how the maker may make the value and, reader by reader, what it may want. Readers may be fewer or more than
// the star has.
struct StarQuery {
  const std::vector<double>* made = nullptr;
  std::vector<const std::vector<double>*> wants;
  std::vector<double> executions;    // of each of these readers
  std::vector<std::size_t> readers;  // which reader of the star each is
};
StarQuery query_of(const Star& star, const StarCosts& costs);

// The least of the star's cost and those of its labels.
double least_of(const Star& star, const StarQuery& query);
// The same for each label of a place, the others at their best. Endless for labels that cost endlessly.
std::vector<double> least_by_label(const Star& star, const StarQuery& query, std::size_t place);

// One group of the best: readers and the copy that serves them; none where they take the value as it is made.
struct StarCopy {
  std::uint32_t readers = 0;  // bit k: reader k of the query
  std::size_t wanted = 0;     // the copy's label
};
// The copies of the cheapest way to serve these wants from this layout.
std::vector<StarCopy> copies_of(const Star& star, std::size_t made, const std::vector<std::size_t>& wants);
double cost_of(const Star& star, std::size_t made, const std::vector<std::size_t>& wants);

}  // namespace tessera::synth
