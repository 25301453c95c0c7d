#include "synth/program/choice/choice.hpp"

namespace tessera::synth {

std::string_view name(ChoiceProof proof) {
  switch (proof) {
#define CASE(identifier, text) \
  case ChoiceProof::identifier: return text;
    TESSERA_CHOICE_PROOFS(CASE)
#undef CASE
  }
  return "";
}

}  // namespace tessera::synth
