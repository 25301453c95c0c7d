#include "synth/choose/eliminate.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <set>

#include "base/stop_scope.hpp"

namespace tessera::synth {

namespace {

using ClassKey = std::array<std::uint64_t, 2>;

struct ClassRow {
  ClassKey key{};
  double cost = 0;
  ClassKey gone{};  // the classes that were minimised away
};

// Where the labels of some variables stand in a key. None straddles two words.
class KeyShape {
 public:
  KeyShape() = default;
  // Nothing where they do not fit.
  static std::optional<KeyShape> make(const std::vector<std::size_t>& variables, const std::vector<int>& widths) {
    KeyShape shape;
    std::array<int, 2> used{};
    for (const std::size_t variable : variables) {
      const std::size_t word = used[0] + widths[variable] <= 64 ? 0 : 1;
      if (used[word] + widths[variable] > 64) return std::nullopt;
      shape.fields_.push_back({variable, word, used[word], (std::uint64_t{1} << widths[variable]) - 1});
      used[word] += widths[variable];
    }
    return shape;
  }
  std::vector<std::size_t> variables() const {
    std::vector<std::size_t> all;
    for (const Field& field : fields_) all.push_back(field.variable);
    return all;
  }
  bool has(std::size_t variable) const {
    return std::ranges::any_of(fields_, [&](const Field& field) { return field.variable == variable; });
  }
  void put(ClassKey& key, std::size_t variable, std::uint32_t label) const {
    const Field& own = field(variable);
    key[own.word] |= std::uint64_t{label} << own.shift;
  }
  std::uint32_t label(const ClassKey& key, std::size_t variable) const {
    const Field& own = field(variable);
    return static_cast<std::uint32_t>(key[own.word] >> own.shift & own.mask);
  }

  struct Field {
    std::size_t variable;
    std::size_t word;
    int shift;
    std::uint64_t mask;
  };
  const Field& field(std::size_t variable) const {
    return *std::ranges::find_if(fields_, [&](const Field& own) { return own.variable == variable; });
  }

 private:
  std::vector<Field> fields_;
};

// Moves labels from keys of one shape to keys of another.
class KeyMove {
 public:
  KeyMove(const KeyShape& from, const KeyShape& to) {
    for (const std::size_t variable : to.variables()) {
      if (from.has(variable)) moves_.push_back({from.field(variable), to.field(variable)});
    }
  }
  void apply(const ClassKey& from, ClassKey& to) const {
    for (const auto& [source, target] : moves_)
      to[target.word] |= (from[source.word] >> source.shift & source.mask) << target.shift;
  }

 private:
  std::vector<std::pair<KeyShape::Field, KeyShape::Field>> moves_;
};

struct ClassTable {
  KeyShape shape;
  KeyShape gone;
  std::vector<ClassRow> rows;  // ascending keys
  bool is_joined = false;      // part of another one
};

void keep_cheapest(std::vector<ClassRow>& rows) {
  constexpr std::size_t kLooks = 500'000;
  std::size_t compared = 0;
  std::ranges::stable_sort(rows, [&](const ClassRow& a, const ClassRow& b) {
    if (++compared % kLooks == 0) base::look_for_stop();
    return a.key != b.key ? a.key < b.key : a.cost < b.cost;
  });
  rows.erase(std::unique(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.key == b.key; }),
             rows.end());
}

class Elimination {
 public:
  Elimination(const Model& model, const Ascent& ascent, const EliminationLimits& limits)
      : model_(model), ascent_(ascent), limits_(limits) {
    for (const Star& star : model.stars) {
      first_variable_.push_back(widths_.size());
      for (std::size_t place = 0; place < star.places.size(); ++place)
        widths_.push_back(std::max(1, static_cast<int>(std::bit_width(star.labels(place) - 1))));
    }
  }

  Eliminated run() {
    double least = 0;
    if (!add_tables(least)) return {};
    spare_ = limits_.seconds == kEndless ? kEndless : limits_.seconds - least;
    trim();
    while (true) {
      const auto pair = next_pair();
      if (!pair) break;
      if (!join(pair->first, pair->second)) return {};
    }
    return read_back();
  }

 private:
  std::size_t variable_of(const ModelSlot& slot) const { return first_variable_[slot.star] + slot.place; }

  // The tables of all nodes and stars, each less what is least in it; what that is together.
  bool add_tables(double& least) {
    for (std::size_t v = 0; v < model_.stars.size(); ++v) {
      if (model_.stars[v].readers() != 0)
        least += least_of(model_.stars[v], query_of(model_.stars[v], ascent_.costs(v)));
    }
    for (std::size_t n = 0; n < model_.nodes.size(); ++n) least += ascent_.least_belief(n);
    spare_ = limits_.seconds == kEndless ? kEndless : limits_.seconds - least;
    for (std::size_t n = 0; n < model_.nodes.size(); ++n) {
      if (!add_node(n)) return false;
    }
    for (std::size_t v = 0; v < model_.stars.size(); ++v) {
      if (model_.stars[v].readers() != 0 && !add_star(v)) return false;
    }
    return true;
  }

  bool add_node(std::size_t n) {
    const ModelNode& node = model_.nodes[n];
    std::vector<std::size_t> variables;
    for (const ModelSlot& slot : node.slots) {
      if (model_.stars[slot.star].readers() != 0) variables.push_back(variable_of(slot));
    }
    const auto shape = KeyShape::make(variables, widths_);
    if (!shape) return false;
    ClassTable table{*shape, {}, {}};
    const std::vector<double> beliefs = ascent_.beliefs(n);
    const double least = *std::ranges::min_element(beliefs);
    for (std::size_t x = 0; x < beliefs.size(); ++x) {
      ClassRow row;
      row.cost = beliefs[x] - least;
      for (std::size_t s = 0; s < node.slots.size(); ++s) {
        if (model_.stars[node.slots[s].star].readers() != 0)
          shape->put(row.key, variable_of(node.slots[s]), node.strategies[x].labels[s]);
      }
      table.rows.push_back(row);
    }
    keep_cheapest(table.rows);
    tables_.push_back(std::move(table));
    return true;
  }

  bool add_star(std::size_t v) {
    const Star& star = model_.stars[v];
    std::vector<std::size_t> variables;
    for (std::size_t place = 0; place < star.places.size(); ++place) variables.push_back(first_variable_[v] + place);
    const auto shape = KeyShape::make(variables, widths_);
    if (!shape) return false;
    ClassTable table{*shape, {}, {}};
    StarCosts costs = ascent_.costs(v);
    const double least = least_of(star, query_of(star, costs));
    if (!fill(star, first_variable_[v], 0, least, costs, ClassRow{}, table)) return false;
    keep_cheapest(table.rows);
    tables_.push_back(std::move(table));
    return true;
  }

  // All labels of the places from `place` on, where those before are given.
  bool fill(const Star& star, std::size_t first, std::size_t place, double least, StarCosts& costs, const ClassRow& row,
            ClassTable& table) {
    if (place == star.places.size()) {
      table.rows.push_back(row);
      return table.rows.size() <= limits_.entries;
    }
    const std::vector<double> own = costs[place];
    const std::vector<double> with = least_by_label(star, query_of(star, costs), place);
    for (std::uint32_t label = 0; label < own.size(); ++label) {
      if (own[label] == kEndless || with[label] == kEndless || with[label] - least > spare_) continue;
      ClassRow next = row;
      next.cost = with[label] - least;
      table.shape.put(next.key, first + place, label);
      costs[place].assign(own.size(), kEndless);
      costs[place][label] = own[label];
      if (!fill(star, first, place + 1, least, costs, next, table)) return false;
    }
    costs[place] = own;
    base::look_for_stop();
    return true;
  }

  void trim() {
    for (ClassTable& table : tables_) std::erase_if(table.rows, [&](const ClassRow& row) { return row.cost > spare_; });
  }

  std::vector<std::size_t> shared(const ClassTable& a, const ClassTable& b) const {
    std::vector<std::size_t> both;
    for (const std::size_t variable : a.shape.variables()) {
      if (b.shape.has(variable)) both.push_back(variable);
    }
    return both;
  }

  double size_of_join(const ClassTable& a, const ClassTable& b) const {
    double size = static_cast<double>(a.rows.size()) * static_cast<double>(b.rows.size());
    for (const std::size_t variable : shared(a, b)) {
      std::set<std::uint32_t> labels;
      for (const ClassRow& row : a.rows) {
        labels.insert(a.shape.label(row.key, variable));
        if (labels.size() > 32) break;
      }
      size /= static_cast<double>(std::max<std::size_t>(1, labels.size()));
    }
    return size;
  }

  // The two tables whose join is smallest.
  std::optional<std::pair<std::size_t, std::size_t>> next_pair() {
    std::optional<std::pair<std::size_t, std::size_t>> best;
    double least = kEndless;
    std::vector<std::vector<std::size_t>> with(widths_.size());
    for (std::size_t t = 0; t < tables_.size(); ++t) {
      if (tables_[t].is_joined) continue;
      for (const std::size_t variable : tables_[t].shape.variables()) with[variable].push_back(t);
    }
    for (const std::vector<std::size_t>& both : with) {
      if (both.size() < 2) continue;
      const double size = size_of_join(tables_[both[0]], tables_[both[1]]);
      if (size >= least) continue;
      least = size;
      best = std::pair(both[0], both[1]);
    }
    return best;
  }

  bool is_elsewhere(std::size_t variable, std::size_t a, std::size_t b) const {
    for (std::size_t t = 0; t < tables_.size(); ++t) {
      if (t != a && t != b && !tables_[t].is_joined && tables_[t].shape.has(variable)) return true;
    }
    return false;
  }

  bool join(std::size_t a, std::size_t b) {
    std::vector<std::size_t> kept;
    std::vector<std::size_t> gone;
    for (const std::size_t t : {a, b}) {
      for (const std::size_t variable : tables_[t].shape.variables()) {
        std::vector<std::size_t>& where = is_elsewhere(variable, a, b) ? kept : gone;
        if (std::ranges::find(where, variable) == where.end()) where.push_back(variable);
      }
    }
    const auto shape = KeyShape::make(kept, widths_);
    const auto gone_shape = KeyShape::make(gone, widths_);
    const auto common = KeyShape::make(shared(tables_[a], tables_[b]), widths_);
    if (!shape || !gone_shape || !common) return false;
    ClassTable joined{*shape, *gone_shape, {}};
    if (!join_rows(tables_[a], tables_[b], *common, joined)) return false;
    tables_[a].is_joined = true;
    tables_[b].is_joined = true;
    for (const std::size_t t : {a, b}) {
      if (tables_[t].gone.variables().empty()) tables_[t].rows = {};  // nothing is read back from it
    }
    tables_.push_back(std::move(joined));
    return true;
  }

  bool join_rows(const ClassTable& a, const ClassTable& b, const KeyShape& common, ClassTable& joined) const {
    std::vector<std::pair<ClassKey, std::size_t>> by_common;
    const KeyMove of_b(b.shape, common);
    for (std::size_t i = 0; i < b.rows.size(); ++i) {
      ClassKey key{};
      of_b.apply(b.rows[i].key, key);
      by_common.emplace_back(key, i);
    }
    std::ranges::sort(by_common);
    const KeyMove of_a(a.shape, common);
    const KeyMove kept_a(a.shape, joined.shape);
    const KeyMove kept_b(b.shape, joined.shape);
    const KeyMove gone_a(a.shape, joined.gone);
    const KeyMove gone_b(b.shape, joined.gone);
    std::size_t compact_at = 2 * limits_.entries;
    std::size_t looked = 0;
    for (const ClassRow& own : a.rows) {
      if (++looked % 1024 == 0) base::look_for_stop();
      ClassKey key{};
      of_a.apply(own.key, key);
      for (auto other = std::ranges::lower_bound(by_common, std::pair(key, std::size_t{0}));
           other != by_common.end() && other->first == key; ++other) {
        const ClassRow& second = b.rows[other->second];
        if (own.cost + second.cost > spare_) continue;
        ClassRow row{{}, own.cost + second.cost, {}};
        kept_a.apply(own.key, row.key);
        kept_b.apply(second.key, row.key);
        gone_a.apply(own.key, row.gone);
        gone_b.apply(second.key, row.gone);
        joined.rows.push_back(row);
      }
      if (joined.rows.size() < compact_at) continue;
      base::look_for_stop();
      keep_cheapest(joined.rows);
      if (joined.rows.size() > limits_.entries) return false;
    }
    keep_cheapest(joined.rows);
    return joined.rows.size() <= limits_.entries;
  }

  // The labels of all variables, from the last table back, and the strategies that have them.
  Eliminated read_back() const {
    std::vector<std::uint32_t> labels(widths_.size(), 0);
    for (std::size_t t = tables_.size(); t-- > 0;) {
      const ClassTable& table = tables_[t];
      if (table.gone.variables().empty() && !table.shape.variables().empty()) continue;
      ClassKey key{};
      for (const std::size_t variable : table.shape.variables()) table.shape.put(key, variable, labels[variable]);
      const auto row = std::ranges::lower_bound(table.rows, key, {}, &ClassRow::key);
      if (row == table.rows.end() || row->key != key) return {true, std::nullopt};
      for (const std::size_t variable : table.gone.variables())
        labels[variable] = table.gone.label(row->gone, variable);
    }
    Eliminated found{true, Assignment(model_.nodes.size(), 0)};
    for (std::size_t n = 0; n < model_.nodes.size(); ++n) (*found.best)[n] = cheapest_with(n, labels);
    return found;
  }

  std::size_t cheapest_with(std::size_t n, const std::vector<std::uint32_t>& labels) const {
    const ModelNode& node = model_.nodes[n];
    std::optional<std::size_t> best;
    for (std::size_t x = 0; x < node.strategies.size(); ++x) {
      const ModelStrategy& own = node.strategies[x];
      bool fits = true;
      for (std::size_t s = 0; s < node.slots.size(); ++s) {
        fits = fits &&
               (model_.stars[node.slots[s].star].readers() == 0 || own.labels[s] == labels[variable_of(node.slots[s])]);
      }
      if (fits && (!best || own.seconds < node.strategies[*best].seconds)) best = x;
    }
    TESSERA_CHECK(best.has_value(), "elimination read back labels that no strategy has");
    return *best;
  }

  const Model& model_;
  const Ascent& ascent_;
  const EliminationLimits& limits_;
  std::vector<std::size_t> first_variable_;  // of every star
  std::vector<int> widths_;                  // of every variable, in bits
  std::vector<ClassTable> tables_;
  double spare_ = kEndless;
};

}  // namespace

Eliminated eliminate(const Model& model, const Ascent& ascent, const EliminationLimits& limits) {
  return Elimination(model, ascent, limits).run();
}

}  // namespace tessera::synth
