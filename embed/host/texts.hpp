// The texts of a session, and the way from a span to a public Place.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "base/persistent_map.hpp"
#include "base/source.hpp"
#include "tessera/tessera.hpp"

namespace tessera::embed {

// Texts that nothing points into are to be forgotten: sessions live long.
struct Texts {
  base::SourceMap sources;
  base::PersistentMap<base::SourceId, std::uint32_t> first_lines;  // what it lacks is 1

  // `first_line` is the number that the first line of the text has for whoever reads a place in it.
  base::SourceId add(std::string name, std::string text, std::uint32_t first_line = 1);
  std::uint32_t first_line(base::SourceId source) const;
  // Adds to what the text counts for, besides itself: its tree, if that is kept.
  void weigh(base::SourceId source, std::int64_t bytes);
  // Keeps no other texts than these.
  void keep_only(const std::set<base::SourceId>& used);
  // What all texts count for.
  std::int64_t bytes() const { return bytes_; }

 private:
  base::PersistentMap<base::SourceId, std::int64_t> weights_;
  std::int64_t bytes_ = 0;
};

// The place of a known span.
Place place(const Texts& texts, base::Span span);

}  // namespace tessera::embed
