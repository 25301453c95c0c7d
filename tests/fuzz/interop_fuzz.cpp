// Any bytes as a layout of each of the other systems: what is read has a type or a reason, and what is written reads
// back.
#include <string>

#include "interop/one_mesh.hpp"
#include "interop/read/read.hpp"
#include "interop/write/layout_text.hpp"
#include "tests/fuzz/target.hpp"

namespace {

using namespace tessera::interop;

void one_text(Format format, std::string_view text, std::string_view mesh) {
  const Text given{text, what_of(format), tessera::base::SourceId{0}};
  const Text mesh_text{mesh, "a mesh", tessera::base::SourceId{1}};
  Reading reading{format, given, mesh_text, 0, std::nullopt};
  const auto said = read(reading);
  tessera::fuzz::expect_no_bug(said);
  if (!said.ok()) return;
  ShapeText shape;
  for (const Digits& split : said->splits) {
    std::int64_t devices = 1;
    for (const Digit& digit : split) devices *= digit.size;
    shape.shape.push_back(devices);
  }
  const auto type = type_of(*said, said->shape ? std::nullopt : std::optional(shape));
  tessera::fuzz::expect_no_bug(type);
  if (!type.ok()) return;
  const auto written = write(*type, Format::hlo);
  tessera::fuzz::expect_no_bug(written);
  if (!written.ok()) return;
  const Text again{written->text, what_of(Format::hlo), tessera::base::SourceId{0}};
  const auto back = read({Format::hlo, again, std::nullopt, std::nullopt, type->devices()});
  tessera::fuzz::expect(back.ok(), "what is written cannot be read");
  const auto same = on_one_mesh(*said, *back, said->shape ? said->shape : std::optional(shape));
  tessera::fuzz::expect(same.ok() && tessera::synth::same_type(same->first, same->second),
                        "what is written reads back differently");
}

}  // namespace

// The first line is the text, the second its mesh.
void tessera::fuzz::one_input(std::string_view text) {
  const std::size_t end = text.find('\n');
  const std::string_view mesh = end == std::string_view::npos ? "x:4,y:2" : text.substr(end + 1);
  const std::string_view line = text.substr(0, end);
  for (std::size_t f = 0; f < kFormats; ++f) one_text(static_cast<Format>(f), line, mesh);
  (void)read_axes({text, "a mesh", base::SourceId{0}}).ok();
  (void)read_shape({text, "a shape", base::SourceId{0}}, std::nullopt).ok();
}
