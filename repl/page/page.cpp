#include "repl/page/page.hpp"

#include "repl/page/page_data.hpp"

namespace tessera::repl {

namespace {

// The text with one mark in it replaced.
std::string filled(std::string_view text, std::string_view mark, std::string_view with) {
  const std::size_t at = text.find(mark);
  if (at == std::string_view::npos) return std::string(text);
  std::string result(text.substr(0, at));
  result += with;
  result += text.substr(at + mark.size());
  return result;
}

}  // namespace

std::string page_with(std::string_view data) {
  // From the last mark to the first, so that no mark is looked for in what was put in.
  std::string page = filled(page_template(), "@SCRIPT@", page_script());
  page = filled(page, "@ESTIMATE@", page_estimate());
  page = filled(page, "@LOADS@", page_loads());
  page = filled(page, "@TIMELINE@", page_timeline());
  page = filled(page, "@STAGE@", page_stage());
  page = filled(page, "@DATA@", data);
  return filled(page, "@STYLE@", page_style());
}

std::string drawn_page(std::string_view name, std::string_view text, std::string_view machine, const Program& program) {
  return page_with(page_data(name, text, machine, program, {}));
}

std::string estimate_page(std::string_view name, std::string_view text, std::string_view machine,
                          const Program& program, const std::vector<SweptEstimate>& sweep) {
  return page_with(page_data(name, text, machine, program, sweep));
}

}  // namespace tessera::repl
