#include "typeck/typed/reason_form.hpp"

namespace tessera::typeck {

void asker_word(text::Writer& io, const Reason::Asker& asker) {
  switch (asker) {
#define ROW(identifier) \
  case Reason::Asker::identifier: return io.word(#identifier);
    TESSERA_ASKERS(ROW)
#undef ROW
  }
}

void asker_word(text::Reader& io, Reason::Asker& asker) {
  const std::string_view word = io.name();
#define ROW(identifier) \
  if (word == #identifier) return void(asker = Reason::Asker::identifier);
  TESSERA_ASKERS(ROW)
#undef ROW
  io.fail("nobody asks under this name");
}

}  // namespace tessera::typeck
