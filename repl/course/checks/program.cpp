// Checks of types, of programs that must be refused, and of programs by what they communicate.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>

#include "repl/course/checks/checks.hpp"
#include "repl/course/values.hpp"
#include "repl/render/units.hpp"
#include "tessera/estimate.hpp"

namespace tessera::repl {

namespace {

// The first device whose box or part of a sum is another before a plan than after it, in words.
std::string first_other_device(const Plan& plan) {
  const auto before = plan.moment(0);
  const auto after = plan.moment(plan.steps().size());
  if (!before || !after) return "";
  if (before->contributions != after->contributions) {
    const auto parts = [](std::int64_t n) {
      return n == 1 ? std::string("the elements themselves") : fmt::format("one of {} parts of every element", n);
    };
    return fmt::format("A device should hold {}, but it holds {}.\n", parts(after->contributions),
                       parts(before->contributions));
  }
  for (const Plan::Holding& wanted : after->devices) {
    const Plan::Holding* held = held_by(*before, wanted.device);
    if (held != nullptr && held->box == wanted.box) continue;
    return fmt::format("{} should hold {}, but it holds {}.\n", device_text(*after, wanted), box_text(wanted.box),
                       held == nullptr ? "nothing" : box_text(held->box));
  }
  return "";
}

// The mesh that types without `on` mean in a session; nothing if it has none.
std::string default_mesh(const Session& session) {
  for (const NamedMesh& mesh : session.meshes()) {
    if (mesh.is_default) return mesh.name;
  }
  return "";
}

// A type with the mesh that it means without `on`.
std::string on_mesh(const std::string& type, const std::string& mesh) {
  const bool is_named = type.find(" on ") != std::string::npos;
  return is_named || mesh.empty() ? type : fmt::format("{} on {}", type, mesh);
}

// The position of element number n of an array of this shape.
std::vector<std::int64_t> coordinates_of(const std::vector<std::int64_t>& shape, std::size_t n) {
  std::vector<std::int64_t> at(shape.size());
  auto rest = static_cast<std::int64_t>(n);
  for (std::size_t d = shape.size(); d-- > 0;) {
    at[d] = rest % shape[d];
    rest /= shape[d];
  }
  return at;
}

std::string position_text(const std::vector<std::int64_t>& shape, std::size_t n) {
  return fmt::format("[{}]", fmt::join(coordinates_of(shape, n), ", "));
}

// The first device that holds an element.
std::string holder_of(const Array& array, std::size_t element) {
  const std::vector<std::int64_t> at = coordinates_of(array.shape(), element);
  for (std::int64_t device = 0; device < array.devices(); ++device) {
    const auto tile = array.tile(device);
    if (!tile) continue;
    bool inside = true;
    for (std::size_t d = 0; d < at.size(); ++d) {
      inside = inside && at[d] >= tile->box[d].first && at[d] < tile->box[d].second;
    }
    if (inside) return device_text(array.mesh(), device);
  }
  return "nobody";
}

std::string drawn(const Trial& trial, const std::string& name) {
  const auto array = trial.shown.get(name);
  return array ? array->picture() : "";
}

// `all_reduce 1, all_gather 2` by name; nothing if it is no such list.
std::optional<std::map<std::string, int>> read_counts(const std::string& text) {
  std::map<std::string, int> counts;
  if (trimmed(text) == "none") return counts;
  for (const std::string& part : parts_of(text, ',')) {
    const std::vector<std::string> words = parts_of(part, ' ');
    int count = 0;
    if (words.size() != 2) return std::nullopt;
    const auto [end, error] = std::from_chars(words[1].data(), words[1].data() + words[1].size(), count);
    if (error != std::errc{} || end != words[1].data() + words[1].size()) return std::nullopt;
    counts[words[0]] = count;
  }
  return counts;
}

std::map<std::string, int> launches_of(const Costs& costs) {
  std::map<std::string, int> counts;
  for (const Redistribution& change : costs.changes) {
    for (const Plan::Step& step : change.plan.steps()) counts[step.op] += step.launches ? 1 : 0;
  }
  std::erase_if(counts, [](const auto& entry) { return entry.second == 0; });
  return counts;
}

std::string counts_text(const std::map<std::string, int>& counts) {
  std::string text;
  for (const auto& [name, count] : counts) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, name);
  return text.empty() ? "nothing" : text;
}

// Says who asked for what, and what it does to the first device.
std::string who_communicates(const Costs& costs) {
  std::string text;
  for (const Redistribution& change : costs.changes) {
    if (change.plan.received_bytes_total() == 0) continue;
    const auto before = change.plan.moment(0);
    const auto after = change.plan.moment(change.plan.steps().size());
    if (!before || !after) continue;
    text += fmt::format("  {} asks for {} -> {}: {} holds {}, then {}\n", change.who, change.plan.from(),
                        change.plan.to(), device_text(change.plan.mesh(), 0), box_text(before->devices[0].box),
                        box_text(after->devices[0].box));
  }
  return text;
}

}  // namespace

// A lesson's types mean its own mesh, also after an answer has declared another.
Verdict has_type(const Trial& trial, const std::string& name, const std::string& type) {
  const auto value = trial.shown.get(name);
  if (!value) return unfit(fmt::format("`{}`", name), message_of(value.diagnostics()));
  const std::string mesh = default_mesh(trial.given);
  const std::string own_mesh = default_mesh(trial.shown);
  const auto meant = [&](const std::string& text) { return mesh == own_mesh ? text : on_mesh(text, mesh); };
  const std::string has = mesh == own_mesh ? value->type() : on_mesh(value->type(), own_mesh);
  const std::string known = known_mistake(trial.lesson, name, [&](const std::string& mistaken) {
    return without_blanks(meant(mistaken)) == without_blanks(has);
  });
  const std::string head = fmt::format("`{}` is {}, not {}.\n{}", name, has, meant(type), known);
  const auto change = changes_of(trial.shown, fmt::format("{} as {}", name, meant(type)));
  // Another shape or element type cannot be had by a redistribution.
  if (!change.value) return wrong(fmt::format("{}{}", head, drawn(trial, name)));
  for (const Plan& plan : *change.value) {
    if (!plan.steps().empty()) return wrong(head + first_other_device(plan) + drawn(trial, name));
  }
  return {};
}

// With other elements in the arrays and with those that the learner sees: neither can then be typed into an answer.
Verdict has_elements(const Trial& trial, const std::string& name, const std::string& expected) {
  for (const Session* session : {&trial.judged, &trial.shown}) {
    const auto value = session->get(name);
    if (!value) return unfit(fmt::format("`{}`", name), message_of(value.diagnostics()));
    const auto wanted = value_of(*session, expected);
    if (!wanted.value) return unfit(fmt::format("`{}`", expected), wanted.why);
    if (value->shape() != wanted.value->shape()) {
      return wrong(fmt::format("`{}` has another shape than `{}`.\n{}", name, expected, drawn(trial, name)));
    }
    const Numbers has = numbers_of(*value);
    const Numbers wants = numbers_of(*wanted.value);
    const auto other = first_difference(has, wants);
    if (!other) continue;
    const bool is_seen = session == &trial.shown;
    return wrong(fmt::format(
        "`{}` does not hold the elements of `{}`. {}, its element {} on {} is {}, but should be "
        "{}.\n{}",
        name, expected, is_seen ? "With the elements that you see" : "With other elements in the arrays than you see",
        position_text(value->shape(), *other), holder_of(*value, *other), text_of({has[*other]}),
        text_of({wants[*other]}), drawn(trial, name)));
  }
  return {};
}

Verdict check_type(const Trial& trial, const Check& check) {
  for (const Setting& setting : check.settings) {
    if (Verdict one = has_type(trial, setting.key, setting.value); one.outcome != Outcome::right) return one;
  }
  return {};
}

Verdict check_error(const Trial& trial, const Check& check) {
  const std::string name = check.value("name");
  const Diagnostics* why = trial.attempt.refusal(name);
  if (why == nullptr) {
    const auto value = trial.attempt.session().get(name);
    return wrong(fmt::format("This is accepted: `{}` is {}.\n{}", name, value ? value->type() : "there",
                             value ? value->picture() : ""));
  }
  const std::string slug = why->empty() ? "" : why->front().slug;
  if (slug == check.value("slug"))
    return {Outcome::right, fmt::format("It is refused: {}.\n", why->front().message), {}};
  const std::string known =
      known_mistake(trial.lesson, "error", [&](const std::string& mistaken) { return mistaken == slug; });
  return wrong(fmt::format("It is refused, but for another reason: {} ({}).\n{}", message_of(*why), slug, known));
}

namespace {

Verdict has_counts(const Trial& trial, const Setting& counts, const std::string& result) {
  const auto wanted = read_counts(counts.value);
  if (!wanted) return unfit("check program, counts", "needs `NAME NUMBER, ...` or `none`", counts.line);
  const Costs costs = costs_of(trial, {result});
  const std::map<std::string, int> taken = launches_of(costs);
  if (taken == *wanted) return {Outcome::right, fmt::format("`{}` takes {}.\n", result, counts_text(taken)), {}};
  const std::string type = trial.judged.get(result)->type();
  const auto same_counts = [&](const std::string& mistaken) { return read_counts(mistaken) == taken; };
  const auto same_type = [&](const std::string& mistaken) { return without_blanks(mistaken) == without_blanks(type); };
  return wrong(fmt::format("The values are right, but `{}` takes {}, where {} would do.\n{}{}{}{}", result,
                           counts_text(taken), counts_text(*wanted), known_mistake(trial.lesson, "counts", same_counts),
                           known_mistake(trial.lesson, result, same_type), who_communicates(costs),
                           drawn(trial, result)));
}

// What a program would take in a session (tessera/estimate.hpp).
Result<Estimate> estimate_in(const Session& session, const std::string& text) {
  Session fork = session.fork();
  const auto program = fork.check(text, "answer");
  if (!program) return program.diagnostics();
  return estimate(*program, true);
}

// The steps that take longest, in words.
std::string longest_steps(const Estimate& estimate) {
  std::vector<EstimatedStep> steps = estimate.steps;
  std::ranges::stable_sort(steps, std::greater{}, [](const EstimatedStep& one) { return one.times * one.seconds; });
  constexpr std::size_t kStepsMax = 4;
  steps.resize(std::min(steps.size(), kStepsMax));
  std::string text;
  for (const EstimatedStep& one : steps)
    text += fmt::format("  {} takes {}\n", one.name, seconds_text(one.times * one.seconds));
  return text;
}

Verdict is_within(const Trial& trial, const Setting& seconds, const std::string& result) {
  constexpr double kEqual = 1 + 1e-6;
  const auto par = estimate_in(trial.start, fmt::format("let asked_value_ = {}\n", seconds.value));
  if (!par) return unfit("check program, seconds", message_of(par.diagnostics()), seconds.line);
  auto own = estimate_in(trial.start, trial.attempt.program({result}));
  if (!own) own = estimate_in(trial.start, trial.attempt.program(bound_names(trial.lesson, trial.attempt)));
  if (!own) return unfit("check program, seconds", message_of(own.diagnostics()), seconds.line);
  if (own->seconds <= kEqual * par->seconds)
    return {Outcome::right,
            fmt::format("`{}` takes {} by the machine model, and `{}` {}.\n", result, seconds_text(own->seconds),
                        seconds.value, seconds_text(par->seconds)),
            {}};
  const std::string type = trial.judged.get(result)->type();
  const auto same_type = [&](const std::string& mistaken) { return without_blanks(mistaken) == without_blanks(type); };
  return wrong(fmt::format("The values are right, but `{}` takes {} by the machine model, where `{}` takes {}.\n{}{}{}",
                           result, seconds_text(own->seconds), seconds.value, seconds_text(par->seconds),
                           known_mistake(trial.lesson, result, same_type), longest_steps(*own),
                           who_communicates(costs_of(trial, {result}))));
}

}  // namespace

Verdict check_program(const Trial& trial, const Check& check) {
  const auto expected = value_of(trial.judged, check.value("equals"));
  if (!expected.value) return unfit("check program, equals", expected.why, check.find("equals")->line);
  const Setting* counts = check.find("counts");
  const Setting* seconds = check.find("seconds");
  if (counts == nullptr && seconds == nullptr) return unfit("check program", "needs `counts` or `seconds`");
  const std::string result = check.value("result");
  Verdict all = has_elements(trial, result, check.value("equals"));
  for (const Setting* one : {counts, seconds}) {
    if (one == nullptr || all.outcome != Outcome::right) continue;
    Verdict own = one == counts ? has_counts(trial, *one, result) : is_within(trial, *one, result);
    own.reply = own.outcome == Outcome::right ? all.reply + own.reply : own.reply;
    all = std::move(own);
  }
  return all;
}

}  // namespace tessera::repl
