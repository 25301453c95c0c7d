// The texts of a session, and the way from a span to a public Place.
#pragma once

#include <cstdint>
#include <string>

#include "base/persistent_map.hpp"
#include "base/source.hpp"
#include "tessera/tessera.hpp"

namespace tessera::embed {

struct Texts {
  base::SourceMap sources;
  base::PersistentMap<base::SourceId, std::uint32_t> first_lines;  // what it lacks is 1

  // `first_line` is the number that the first line of the text has for whoever reads a place in it.
  base::SourceId add(std::string name, std::string text, std::uint32_t first_line = 1);
  std::uint32_t first_line(base::SourceId source) const;
};

// The place of a known span.
Place place(const Texts& texts, base::Span span);

}  // namespace tessera::embed
