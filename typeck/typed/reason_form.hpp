// How the reason of a redistribution reads as text, in a typed graph and in the layouts that were found for one: `asked
// annotation who "b"`, and the places of who asked and of what it was compared with.
#pragma once

#include <string_view>

#include "typeck/text/reader.hpp"
#include "typeck/text/writer.hpp"
#include "typeck/typed/typed.hpp"

namespace tessera::typeck {

// FOREACH(identifier): who asks for a redistribution.
#define TESSERA_ASKERS(FOREACH) \
  FOREACH(operation)            \
  FOREACH(argument) FOREACH(pending_resolution) FOREACH(annotation) FOREACH(collective) FOREACH(output) FOREACH(chosen)

void asker_word(text::Writer& io, const Reason::Asker& asker);
void asker_word(text::Reader& io, Reason::Asker& asker);

template <class Io>
void alternative_words(Io& io, text::In<Io, Alternative> one) {
  io.quoted(one.description);
  io.word("seconds");
  io.number(one.seconds);
  io.word("receives");
  io.number(one.received_bytes);
  io.word("peak");
  io.number(one.peak_bytes);
  io.flag(one.chosen, "chosen");
}

template <class Io, class All>
void compared_words(Io& io, All& all) {
  if (io.said(!all.empty(), "compared")) io.list(all, [&](auto& one) { alternative_words<Io>(io, one); });
}

template <class Io, class Why>
void reason_words(Io& io, Why& why) {
  io.word("asked");
  asker_word(io, why.asker);
  io.word("who");
  io.quoted(why.who);
  compared_words(io, why.compared);
}

// Behind the words of the line.
template <class Io, class Why>
void reason_places(Io& io, Why& why) {
  io.place(why.asked_at);
  io.place(why.because);
}

}  // namespace tessera::typeck
