#include "synth/moves/transfer/box_send.hpp"

namespace tessera::synth {

std::string_view name(Carried carried) {
  switch (carried) {
    case Carried::own: return "own";
    case Carried::came: return "came";
    case Carried::both: return "both";
  }
  return "";
}

std::optional<Carried> carried_by_name(std::string_view name) {
  for (const Carried carried : {Carried::own, Carried::came, Carried::both}) {
    if (synth::name(carried) == name) return carried;
  }
  return std::nullopt;
}

}  // namespace tessera::synth
