// Which bindings of an environment nothing can mean any more.
#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "typeck/typed/environment.hpp"
#include "typeck/typed/mentions.hpp"

namespace tessera::typeck {

// A name means its last binding; a function's body means what was bound before the function, and so on.
class Environment::Sweep {
 public:
  explicit Sweep(const Environment& of) : of_(of) {
    for (const std::string& name : of.variable_names(of.now())) reach_value(name, of.now());
    of.texts_.for_each([&](const auto& bound) { reach_value(bound.key.first, of.now()); });
    for (const std::string& name : of.constant_names(of.now())) reach_value(name, of.now());
    for (const std::string& name : of.record_names(of.now())) reach_value(name, of.now());
    for (const std::string& name : of.function_names(of.now())) reach_function(name, of.now());
    while (!open_.empty()) {
      const Body body = open_.back();
      open_.pop_back();
      moments_.insert(body.sees.at);
      for_each_mention(body, [&](const std::string& name) {
        reach_value(name, body.sees);
        reach_function(name, body.sees);
      });
    }
    moments_.insert(of.now());
  }

  void take(Environment& into, Reached& reached) const {
    into.size_ = 0;
    into.variables_ = {};
    into.texts_ = {};
    into.constants_ = {};
    into.records_ = {};
    into.functions_ = {};
    into.mentioned_ = {};
    into.text_ends_ = {};
    const auto keep_reached = [&](const auto& from, auto& to) {
      from.for_each([&](const auto& bound) {
        if (!reached_.contains(bound.key.second)) return;
        into.keep(to, bound.key, bound.value);
        if (bound.value.span.known()) reached.texts.insert(bound.value.span.source);
      });
    };
    keep_reached(of_.variables_, into.variables_);
    keep_reached(of_.texts_, into.texts_);
    keep_reached(of_.constants_, into.constants_);
    keep_reached(of_.records_, into.records_);
    keep_reached(of_.functions_, into.functions_);
    into.variables_.for_each([&](const auto& bound) { reached.slots.insert(bound.value.slot); });
    take_mentions(into);
    take_meshes(into, reached);
  }

 private:
  // What is looked at for the names that it mentions: a function, or a constant.
  struct Body {
    const frontend::Ast* ast;
    frontend::StatementId statement;
    Seen sees;
  };

  // Variables, strings, constants and records share their names; functions have their own.
  void reach_value(const std::string& name, const Seen& from) {
    if (const auto* variable = of_.seen_variable(name, from)) {
      reached_.insert(variable->key.second);
    } else if (const Moment last = of_.last_value(name, from); last != 0) {
      const bool is_new = reached_.insert(last).second;
      const Constant* const constant = of_.constant(name, from);
      const NamedRecord* const record = of_.record(name, from);
      for (std::size_t k = 0; record != nullptr && k < record->fields.size(); ++k)
        reach_value(name + "." + record->fields[k], from);
      if (is_new && constant != nullptr) open_.push_back({constant->ast.get(), constant->statement, constant->sees()});
    }
  }
  void reach_function(const std::string& name, const Seen& from) {
    const Function* const function = of_.function(name, from);
    if (function == nullptr || !reached_.insert(of_.last_function(name, from)).second) return;
    open_.push_back({function->ast.get(), function->statement, function->sees()});
  }

  template <class F>
  void for_each_mention(const Body& body, const F& f) const {
    auto& known = mentions_[body.ast];
    if (known.empty()) known = mentions(*body.ast);
    const base::Span span = (*body.ast)[body.statement].span;
    auto at = std::lower_bound(known.begin(), known.end(), span.begin,
                               [](const Mention& one, std::uint32_t begin) { return one.at < begin; });
    for (; at != known.end() && at->at < span.end; ++at) f(at->name);
  }

  // In the order of the functions, so that the last text that mentions a name is the one that counts.
  void take_mentions(Environment& into) const {
    std::map<Moment, const Function*> functions;
    into.functions_.for_each([&](const auto& bound) {
      if (!bound.value.file.valid()) functions[bound.key.second] = &bound.value;
    });
    for (const auto& [moment, function] : functions) {
      for_each_mention({function->ast.get(), function->statement, function->sees()},
                       [&, text = function->span.source](const std::string& name) { into.mentioned_.set(name, text); });
      into.text_ends_.set(function->span.source, moment);
    }
  }

  // Whatever mesh a function may mean stays, by its name or as the one in force.
  void take_meshes(Environment& into, Reached& reached) const {
    into.meshes_ = {};
    into.defaults_ = {};
    const decltype(meshes_)::Entry* last = nullptr;
    const auto end_at = [&](const decltype(meshes_)::Entry* next) {
      if (last == nullptr) return;
      const bool goes_on = next != nullptr && next->key.first == last->key.first;
      if (!is_seen(last->key.second, goes_on ? next->key.second : std::numeric_limits<Moment>::max())) return;
      into.keep(into.meshes_, last->key, last->value);
      if (last->value.span.known()) reached.texts.insert(last->value.span.source);
    };
    of_.meshes_.for_each([&](const auto& bound) {
      end_at(&bound);
      last = &bound;
    });
    end_at(nullptr);
    for (const Moment moment : moments_) {
      if (const auto* in_force = of_.defaults_.last_before(moment)) into.defaults_.set(in_force->key, in_force->value);
    }
  }
  // Is what was bound at a moment, and bound anew at the next, seen from any of the moments?
  bool is_seen(Moment bound, Moment next) const {
    const auto from = moments_.upper_bound(bound);
    return from != moments_.end() && *from <= next;
  }

  const Environment& of_;
  std::set<Moment> reached_;  // of variables, strings and functions
  std::set<Moment> moments_;  // from which something is looked up
  std::vector<Body> open_;
  mutable std::map<const frontend::Ast*, std::vector<Mention>> mentions_;
};

Environment::Reached Environment::forget_unreachable() {
  Reached reached;
  const Environment before = *this;
  Sweep(before).take(*this, reached);
  return reached;
}

}  // namespace tessera::typeck
