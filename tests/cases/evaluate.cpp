#include "tests/cases/evaluate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "synth/moves/collective/collective.hpp"
#include "tests/cases/stages.hpp"
#include "tests/cases/transcript.hpp"
#include "tests/cases/variants.hpp"

namespace tessera::cases {

namespace {

std::string_view severity_name(Severity severity) {
  switch (severity) {
    case Severity::note: return "note";
    case Severity::warning: return "warning";
    case Severity::error: return "error";
  }
  return "";
}

// `2:20`, with the text's name before it where it is not the case's own.
std::string position(const Place& place, std::string_view case_name) {
  const std::string at = fmt::format("{}:{}", place.line, place.column);
  return place.file == case_name ? at : place.file + ":" + at;
}

ReportedDiagnostic reported(const Diagnostic& diagnostic, std::string_view case_name) {
  ReportedDiagnostic result;
  std::string at = "-";
  for (const Label& label : diagnostic.labels) {
    if (label.primary)
      at = position(label.place, case_name);
    else
      result.also.push_back(position(label.place, case_name) + (label.text.empty() ? "" : " " + label.text));
  }
  result.header =
      fmt::format("{} {}[{}] {}", at, severity_name(diagnostic.severity), diagnostic.slug, diagnostic.message);
  std::istringstream help(diagnostic.help);
  for (std::string line; std::getline(help, line);) result.help.push_back(line);
  return result;
}

std::string types_text(const Program& program) {
  std::string text;
  for (const Binding& binding : program.bindings()) text += fmt::format("{} : {}\n", binding.name, binding.type);
  return text;
}

// A line for each step: where, who asked, and what is done.
std::string plan_text(const Program& program) {
  std::string text;
  for (const Redistribution& change : program.redistributions()) {
    const std::string asked = fmt::format("{}:{} {} {}:", change.place.line, change.place.column,
                                          change.inserted ? "inserted" : "explicit", change.who);
    const auto steps = change.plan.steps();
    if (steps.empty()) text += asked + " nothing to do\n";
    for (const Plan::Step& step : steps) {
      const std::string blank = step.detail.empty() ? "" : " ";
      text += fmt::format("{} {}{}{} gives {}\n", asked, step.op, blank, step.detail, step.type);
    }
  }
  return text;
}

// Every collective by name; all bytes that arrive; the redistributions that the checker inserted and those that were
// written, where they receive anything; the largest peak; and apart from these the bytes of operations that fetch
// parts.
std::map<std::string, std::int64_t> counts_of(const Program& program) {
  std::map<std::string, std::int64_t> counts = {
      {"bytes", 0}, {"inserted", 0}, {"explicit", 0}, {"peak", 0}, {"parts", 0}};
  for (std::size_t kind = 0; kind < synth::kCollectiveKinds; ++kind)
    counts[std::string(synth::name(static_cast<synth::CollectiveKind>(kind)))] = 0;
  for (const Redistribution& change : program.redistributions()) {
    const Plan& plan = change.plan;
    if (plan.received_bytes_total() > 0) ++counts[change.inserted ? "inserted" : "explicit"];
    counts["bytes"] += plan.received_bytes_total();
    counts["peak"] = std::max(counts["peak"], plan.peak_bytes());
    for (const Plan::Step& step : plan.steps()) ++counts[step.op];
  }
  for (const PartsMoved& part : program.parts_moved()) counts["parts"] += part.received_bytes;
  return counts;
}

// One case on its way: what is known of it so far.
class Evaluator {
 public:
  Evaluator(const CaseFile& file, const Settings& settings, std::string_view name)
      : file_(file), settings_(settings), name_(name) {
    if (const Section* source = file.find(SectionKind::source)) text_ = content(*source);
  }

  Evaluation evaluate() && {
    if (const Section* session = file_.find(SectionKind::repl))
      evaluation_.outcome.texts[SectionKind::repl] = replay(content(*session), settings_);
    if (file_.find(SectionKind::source) == nullptr) return std::move(evaluation_);
    if (wanted(Check::parse_print)) fail("parse-print", check_parse_print(text_));
    if (check_program() && wanted(Check::run)) run_program();
    expect_no_unexpected_errors();
    return std::move(evaluation_);
  }

 private:
  bool wanted(Check check) const { return !file_.skipped(check).has_value(); }

  void fail(std::string_view check, const Faults& faults) {
    for (const std::string& fault : faults) evaluation_.faults.push_back(fmt::format("{}: {}", check, fault));
  }

  void report(const Diagnostics& diagnostics) {
    for (const Diagnostic& diagnostic : diagnostics) {
      has_errors_ = has_errors_ || diagnostic.severity == Severity::error;
      evaluation_.outcome.diagnostics.push_back(reported(diagnostic, name_));
    }
  }

  // Everything that is known without running; false if the program is refused.
  bool check_program() {
    const RunFolder folder(settings_);
    report(folder.problems());
    Session session(configuration(settings_, folder, KeepValues::no, output_));
    const Result<Program> program = session.check(text_, name_);
    if (!program.ok()) {
      report(program.diagnostics());
      return false;
    }
    report(program->notes());
    describe(*program);
    if (wanted(Check::typed_print)) fail("typed-print", check_typed_print(*program, folder));
    if (wanted(Check::verify_plans)) fail("verify-plans", check_plans(text_, settings_, folder));
    return true;
  }

  void describe(const Program& program) {
    auto& texts = evaluation_.outcome.texts;
    texts[SectionKind::types] = types_text(program);
    texts[SectionKind::plan] = plan_text(program);
    evaluation_.outcome.counts = counts_of(program);
    if (const auto elaborated = program.elaborated(); elaborated.ok())
      texts[SectionKind::typed] = *elaborated;
    else
      fail("typed-print", {elaborated.diagnostics()[0].message});
    if (const auto device_program = program.device_program(); device_program.ok())
      describe_steps(*device_program);
    else
      fail("program-print", {device_program.diagnostics()[0].message});
  }

  void describe_steps(const std::string& device_program) {
    evaluation_.outcome.texts[SectionKind::program] = device_program;
    if (wanted(Check::program_print)) fail("program-print", check_program_print(device_program));
    if (settings_.tolerance.has_value() && !reduces_floats(device_program)) {
      fail("tolerance", {"nothing combines floats, so every run must agree to the bit"});
    }
  }

  // The elaborated text, checked again, elaborates to itself.
  Faults check_typed_print(const Program& program, const RunFolder& folder) {
    const auto text = program.elaborated();
    if (!text.ok()) return {};
    Session session(configuration(settings_, folder, KeepValues::no, output_));
    const Result<Program> again = session.check(*text, name_);
    if (!again.ok())
      return {fmt::format("the typed program is refused: {}\n{}", again.diagnostics()[0].message, *text)};
    const auto second = again->elaborated();
    if (second.ok() && *second == *text) return {};
    return {fmt::format("the typed program, checked again, prints differently:\n{}then:\n{}", *text,
                        second.ok() ? *second : second.diagnostics()[0].message)};
  }

  void run_program() {
    const RunRecord record = run_text(text_, name_, settings_, KeepValues::no);
    evaluation_.outcome.texts[SectionKind::run] = record.output;
    report(record.diagnostics);
    if (wanted(Check::one_device)) compare_with("one-device", one_device);
    if (wanted(Check::other_mesh)) compare_with("other-mesh", other_size);
  }

  // The program on other devices against the program on its own, both with what depends on the devices left out.
  void compare_with(std::string_view check, const Resize& resize) {
    const auto here = on_other_devices(text_, same_size);
    const auto there = on_other_devices(text_, resize);
    if (!here.has_value() || !there.has_value()) return;
    const RunRecord expected = run_text(*here, name_, settings_, KeepValues::yes);
    const RunRecord actual = run_text(*there, name_, settings_, KeepValues::yes);
    fail(check, differences(expected, actual, settings_.tolerance));
  }

  void expect_no_unexpected_errors() {
    if (!has_errors_ || file_.find(SectionKind::errors) != nullptr) return;
    for (const ReportedDiagnostic& diagnostic : evaluation_.outcome.diagnostics)
      fail("unexpected", {diagnostic.header});
  }

  const CaseFile& file_;
  const Settings& settings_;
  std::string_view name_;
  std::string text_;
  std::string output_;
  bool has_errors_ = false;
  Evaluation evaluation_;
};

}  // namespace

Evaluation evaluate(const CaseFile& file, const Settings& settings, std::string_view name) {
  return Evaluator(file, settings, name).evaluate();
}

}  // namespace tessera::cases
