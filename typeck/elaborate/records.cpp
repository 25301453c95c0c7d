#include "typeck/elaborate/records.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/nearest.hpp"
#include "frontend/foreign.hpp"
#include "typeck/elaborate/operation_names.hpp"
#include "typeck/kinds.hpp"

namespace tessera::typeck {

namespace {

constexpr std::size_t kFieldsShown = 6;

// `w` of `w.b`: a record in the record goes by its own name.
std::string_view head_of(std::string_view field) { return field.substr(0, field.find('.')); }

// `w`, `b` and more, each once.
std::vector<std::string> heads_of(const Fields& fields) {
  std::vector<std::string> heads;
  for (const std::string& field : fields) {
    if (heads.empty() || heads.back() != head_of(field)) heads.emplace_back(head_of(field));
  }
  return heads;
}

// Where each field stands.
std::unordered_map<std::string_view, std::size_t> places_of(const Fields& fields) {
  std::unordered_map<std::string_view, std::size_t> places;
  for (std::size_t k = 0; k < fields.size(); ++k) places.emplace(fields[k], k);
  return places;
}

std::string list_of(const std::vector<std::string>& names) {
  std::vector<std::string> shown;
  for (std::size_t k = 0; k < std::min(names.size(), kFieldsShown); ++k) shown.push_back("`" + names[k] + "`");
  if (names.size() > kFieldsShown) shown.emplace_back("...");
  return fmt::format("{}", fmt::join(shown, ", "));
}

std::string help_for_field(const std::string& field, const Fields& fields) {
  const std::vector<std::string> heads = heads_of(fields);
  if (const auto near = base::nearest(field, heads)) return fmt::format("did you mean `{}`?", *near);
  return fmt::format("its fields are {}", list_of(heads));
}

// What a message calls an expression: its text, if that is short.
std::string called(Elaborator& elaborator, Span span) {
  constexpr std::size_t kLettersMax = 40;
  std::string text = elaborator.text(span);
  const bool is_short = text.size() <= kLettersMax && text.find('\n') == std::string::npos;
  return is_short ? "`" + text + "`" : "this record";
}

// The fields of a record in the making.
class Making {
 public:
  Making() { made_.items.emplace_back(); }

  void add(const std::string& name, const Checked& value) {
    const std::vector<Checked> arrays = arrays_of(value);
    const Fields own = items_of(value).front();
    for (std::size_t k = 0; k < arrays.size(); ++k) add_array(own.empty() ? name : name + "." + own[k], arrays[k]);
  }
  // All of a record; a field for which `others` has a value, with that one.
  void add_all(const Checked& record, const std::map<std::string, Checked, std::less<>>& others) {
    const std::vector<Checked> arrays = arrays_of(record);
    std::string_view put;
    for (std::size_t k = 0; k < arrays.size(); ++k) {
      const std::string& field = record.items.front()[k];
      const std::string_view head = head_of(field);
      const auto other = others.find(head);
      if (other == others.end()) {
        add_array(field, arrays[k]);
      } else if (std::exchange(put, head) != head) {
        add(other->first, other->second);
      }
    }
  }
  Checked take() { return std::move(made_); }

 private:
  void add_array(const std::string& name, const Checked& array) {
    made_.nodes.push_back(array.node());
    made_.items.front().push_back(name);
    made_.known_fields.push_back(array.known);
  }

  Checked made_;
};

// `np.pi`, whose `np` is nothing here, and `a.shape` of an array.
bool is_foreign(Elaborator& elaborator, const frontend::FieldOf& member) {
  const auto* const name = std::get_if<frontend::NameRef>(&elaborator.ast()[member.base].node);
  if (name == nullptr || elaborator.names().is_bound(name->name) || !frontend::is_library(name->name)) return false;
  elaborator.report(base::make(Kind::unknown_name, name->name)
                        .at(elaborator.ast()[member.base].span)
                        .suggest(frontend::help_for_member({name->name, member.field.text, ""}, operation_names)));
  return true;
}

}  // namespace

Checked tuple_of(const std::vector<Checked>& values) {
  Checked all;
  for (const Checked& value : values) {
    all.nodes.insert(all.nodes.end(), value.nodes.begin(), value.nodes.end());
    all.items.push_back(items_of(value).front());
    for (const Checked& array : arrays_of(value)) all.known_fields.push_back(array.known);
  }
  return all;
}

std::vector<Fields> items_of(const Checked& value) {
  return value.items.empty() ? std::vector<Fields>(value.nodes.size()) : value.items;
}

std::vector<Checked> arrays_of(const Checked& value) {
  if (value.is_array()) return {value};
  std::vector<Checked> all;
  for (std::size_t k = 0; k < value.nodes.size(); ++k) {
    all.push_back(Checked{{value.nodes[k]}, value.span, {}, {}, {}});
    if (k < value.known_fields.size()) all.back().known = value.known_fields[k];
  }
  return all;
}

std::string text_of(Elaborator& elaborator, const Checked& value) {
  if (!value.is_record()) return elaborator.text(value);
  std::string text;
  for (std::size_t k = 0; k < std::min(value.nodes.size(), kFieldsShown); ++k)
    text += fmt::format("{}{}: {}", k == 0 ? "" : ", ", value.items.front()[k], elaborator.text(value.nodes[k]));
  return fmt::format("{{{}{}}}", text, value.nodes.size() > kFieldsShown ? ", ..." : "");
}

MaybeValue in_order(Elaborator& elaborator, const Checked& value, const Fields& wanted, const std::string& who,
                    Span declared) {
  const Fields own = items_of(value).front();
  if (own == wanted) return value;
  if (own.empty() || wanted.empty()) {
    auto why =
        own.empty()
            ? base::make(Kind::record_wanted, who, elaborator.text(value))
                  .suggest(fmt::format("write its fields: `{{{}: ...}}`", fmt::join(heads_of(wanted), ": ..., ")))
            : base::make(Kind::array_wanted, who, text_of(elaborator, value))
                  .suggest(fmt::format("take a field of it, such as `.{}`", heads_of(own).front()));
    elaborator.report(std::move(why).at(value.span).also(declared, "declared here"));
    return std::nullopt;
  }
  const auto places = places_of(own);
  const auto wanted_places = places_of(wanted);
  for (const std::string& field : own) {
    if (wanted_places.contains(field)) continue;
    elaborator.report(base::make(Kind::unknown_field, who, field)
                          .at(value.span)
                          .also(declared, "declared here")
                          .suggest(help_for_field(field, wanted)));
    return std::nullopt;
  }
  const std::vector<Checked> arrays = arrays_of(value);
  Checked ordered{{}, value.span, {}, {}, {}, {wanted}};
  for (const std::string& field : wanted) {
    const auto at = places.find(field);
    if (at == places.end()) {
      elaborator.report(base::make(Kind::missing_field, who, field)
                            .at(value.span)
                            .also(declared, "declared here")
                            .suggest(fmt::format("add `{}: ...` to the record", field)));
      return std::nullopt;
    }
    ordered.nodes.push_back(arrays[at->second].node());
    ordered.known_fields.push_back(arrays[at->second].known);
  }
  return ordered;
}

namespace {

// The values of the fields that a record names, where a type may say what they are wanted as; nothing after a report.
std::optional<std::vector<Checked>> field_values(Elaborator& elaborator, const frontend::Record& record,
                                                 const Ast* tree, TypeId as) {
  std::unordered_map<std::string_view, TypeId> wanted;
  if (tree != nullptr) {
    for (const frontend::TypeField& field : (*tree)[as].fields) wanted.emplace(field.name.text, field.type);
  }
  std::vector<Checked> values;
  bool good = true;
  for (const frontend::Field& field : record.fields) {
    const auto type = wanted.find(field.name.text);
    MaybeValue value = type != wanted.end() ? check_value_as(elaborator, field.value, *tree, type->second)
                                            : check_value(elaborator, field.value);
    good = good && value.has_value();
    if (good) values.push_back(std::move(*value));
  }
  return good ? std::optional(std::move(values)) : std::nullopt;
}

// `{..r, w: a}`.
MaybeValue check_changed(Elaborator& elaborator, const frontend::Record& record, const Checked& base,
                         const std::vector<Checked>& values) {
  const Fields& known = base.items.front();
  std::unordered_set<std::string_view> heads;
  for (const std::string& field : known) heads.insert(head_of(field));
  std::map<std::string, Checked, std::less<>> others;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const frontend::Name& name = record.fields[k].name;
    if (!heads.contains(name.text)) {
      elaborator.report(
          base::make(Kind::unknown_field, called(elaborator, elaborator.ast()[record.base].span), name.text)
              .at(name.span)
              .suggest(help_for_field(name.text, known)));
      return std::nullopt;
    }
    others.emplace(name.text, values[k]);
  }
  Making making;
  making.add_all(base, others);
  return making.take();
}

}  // namespace

MaybeValue check_record(Elaborator& elaborator, ExprId id, const frontend::Record& record, const Ast* tree, TypeId as) {
  const bool are_named_once = names_differ(elaborator, record.fields);
  MaybeValue base;
  if (record.base.valid()) {
    base = check_value(elaborator, record.base);
    if (base.has_value() && !base->is_record()) {
      elaborator.report(base::make(Kind::record_wanted, std::string("what stands behind `..`"), elaborator.text(*base))
                            .at(base->span)
                            .suggest("leave `..` out, and write all fields of the record"));
    }
    if (!base.has_value() || !base->is_record()) return std::nullopt;
  }
  const auto values = field_values(elaborator, record, tree, as);
  if (!values.has_value() || !are_named_once) return std::nullopt;
  MaybeValue made;
  if (base.has_value()) {
    made = check_changed(elaborator, record, *base, *values);
  } else {
    Making making;
    for (std::size_t k = 0; k < values->size(); ++k) making.add(record.fields[k].name.text, (*values)[k]);
    made = making.take();
  }
  if (made.has_value()) made->span = elaborator.ast()[id].span;
  return made;
}

MaybeValue check_field(Elaborator& elaborator, ExprId id, const frontend::FieldOf& member) {
  if (is_foreign(elaborator, member)) return std::nullopt;
  const MaybeValue base = check_value(elaborator, member.base);
  if (!base.has_value()) return std::nullopt;
  const std::string& name = member.field.text;
  if (!base->is_record()) {
    elaborator.report(
        base::make(Kind::no_record, elaborator.text(*base))
            .at(member.field.span)
            .suggest(frontend::help_for_member({elaborator.text(base->span), name, ""}, operation_names)));
    return std::nullopt;
  }
  Checked found{{}, elaborator.ast()[id].span, {}, {}, {}, {{}}};
  const std::vector<Checked> arrays = arrays_of(*base);
  for (std::size_t k = 0; k < arrays.size(); ++k) {
    const std::string& field = base->items.front()[k];
    if (field == name) return elaborator.names().with_affine(arrays[k]);
    if (head_of(field) != name) continue;
    found.nodes.push_back(arrays[k].node());
    found.items.front().push_back(field.substr(name.size() + 1));
    found.known_fields.push_back(arrays[k].known);
  }
  if (!found.nodes.empty()) return found;
  elaborator.report(base::make(Kind::unknown_field, called(elaborator, base->span), name)
                        .at(member.field.span)
                        .suggest(help_for_field(name, base->items.front())));
  return std::nullopt;
}

MaybeValue check_value(Elaborator& elaborator, ExprId id, const Preference& want) {
  const MaybeValue value = elaborator.check_expr(id, want);
  if (!value.has_value() || value->count() == 1) return value;
  report_tuple(elaborator, id, *value);
  return std::nullopt;
}

MaybeValue check_value_as(Elaborator& elaborator, ExprId id, const Ast& tree, TypeId type) {
  if (!is_record(tree, type)) {
    const std::size_t before = elaborator.begun();
    MaybeValue value = check_value(elaborator, id, elaborator.types().want_of(tree, type));
    if (value.has_value() && value->is_array())
      elaborator.wish(value, id, before, elaborator.types().wish_of(tree, type));
    return value;
  }
  const auto* const record = std::get_if<frontend::Record>(&elaborator.ast()[id].node);
  if (record == nullptr) return check_value(elaborator, id);
  return check_record(elaborator, id, *record, &tree, type);
}

void print_fields(Elaborator& elaborator, Span span, const Checked& record) {
  const std::vector<Checked> arrays = arrays_of(record);
  for (std::size_t k = 0; k < arrays.size(); ++k) {
    const synth::StringId name = elaborator.add_string(record.items.front()[k] + ":");
    elaborator.effect(span, synth::Print{{{name, -1}, {{}, 0}}}, {arrays[k]});
  }
}

void report_record(Elaborator& elaborator, const Checked& record, Span span) {
  const std::vector<std::string> heads = heads_of(record.items.front());
  const std::string name = elaborator.text(span);
  constexpr std::size_t kLettersMax = 20;
  const bool is_short = name.size() <= kLettersMax && name.find_first_of("\n {") == std::string::npos;
  elaborator.report(
      base::make(Kind::record_here, text_of(elaborator, record))
          .at(span)
          .suggest(fmt::format("take a field of it, as in `{}.{}`", is_short ? name : "r", heads.front())));
}

}  // namespace tessera::typeck
