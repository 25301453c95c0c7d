// `tessera convert`: a layout of another system as a type of ours, and back.
#include <fmt/format.h>

#include <optional>
#include <string>

#include "repl/commands/answer_lines.hpp"
#include "repl/commands/commands.hpp"
#include "tessera/interop.hpp"

namespace tessera::repl {

namespace {

struct Converted {
  ReadLayout layout;
  std::optional<WrittenLayout> written;
};

Result<Converted> convert(const ForeignLayout& request, const std::optional<std::string>& to_format) {
  auto layout = read_layout(request);
  if (!layout) return layout.diagnostics();
  Converted result{std::move(*layout), std::nullopt};
  if (!to_format) return result;
  auto written = write_layout(result.layout.mesh, result.layout.type, *to_format);
  if (!written) return written.diagnostics();
  result.written = std::move(*written);
  return result;
}

std::string text_of(const Converted& done) {
  std::string text = fmt::format("mesh {}\ntype {}\n", done.layout.mesh, done.layout.type);
  for (const std::string& note : done.layout.notes) text += fmt::format("note: {}\n", note);
  if (done.written && !done.written->mesh.empty()) text += done.written->mesh + '\n';
  if (done.written) text += done.written->text + '\n';
  return text;
}

std::string json_of(const Result<Converted>& done) {
  return (done ? layout_json(done->layout, done->written) : layout_failure_json(done.diagnostics())) + '\n';
}

Result<Converted> convert_line(const std::string& line, const ForeignLayout& defaults,
                               const std::optional<std::string>& to_format) {
  const auto request = parse_layout_request(line, defaults);
  if (!request) return request.diagnostics();
  return convert(*request, to_format);
}

}  // namespace

int perform(const ConvertOptions& options, Console& console) {
  ForeignLayout request;
  if (options.text) request = {options.text->format, options.text->text};
  request.mesh = options.mesh;
  request.shape = options.shape;
  request.devices = options.devices;
  request.bytes = options.bytes;
  request.leaf = options.leaf;
  if (options.batch_file) {
    return answer_lines(*options.batch_file, console, [&](const std::string& line, std::int64_t) {
      const auto done = convert_line(line, request, options.to_format);
      console.out(json_of(done));
      return done.ok();
    });
  }
  const auto done = convert(request, options.to_format);
  if (options.json) console.out(json_of(done));
  if (!done) return failed(done.diagnostics(), console);
  if (!options.json) console.out(text_of(*done));
  return kExitDone;
}

}  // namespace tessera::repl
