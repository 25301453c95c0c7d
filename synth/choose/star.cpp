#include "synth/choose/star.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace tessera::synth {

namespace {

using ReaderGroup = std::uint32_t;  // a set of readers

// Sums over groups of readers that do not depend on the layout that the value is made in.
class ReaderGroups {
 public:
  ReaderGroups(const Star& star, const StarQuery& query)
      : star_(star), query_(query), readers_(query.wants.size()), all_((ReaderGroup{1} << readers_) - 1) {
    count_executions();
    add_up();
  }

  ReaderGroup all() const { return all_; }
  // What a copy costs that is made from this layout for a group.
  double copy(ReaderGroup group, std::size_t made, std::size_t copy) const {
    const double kept = star_.kept.empty() ? 0 : star_.kept[in_star_[group] * star_.wanted.size() + copy];
    return star_.price(made, copy) * executions_[group] + kept;
  }
  // The least costs of the wants of a group, all served by a copy.
  double wants(ReaderGroup group, std::size_t copy) const { return wants_[group * star_.wanted.size() + copy]; }
  // The least cost of a reader's want that the layout as made serves.
  double direct(std::size_t reader, std::size_t made) const {
    double least = kEndless;
    for (std::size_t l = 0; l < star_.wanted.size(); ++l) {
      if (star_.is_free(made, l)) least = std::min(least, (*query_.wants[reader])[l]);
    }
    return least;
  }

 private:
  void count_executions() {
    executions_.assign(std::size_t{all_} + 1, 0);
    in_star_.assign(std::size_t{all_} + 1, 0);
    for (ReaderGroup group = 1; group <= all_; ++group) {
      double sum = 0;
      for (std::size_t k = 0; k < readers_; ++k) sum += (group >> k & 1U) != 0 ? query_.executions[k] : 0;
      executions_[group] = std::min(star_.executions, sum);
      for (std::size_t k = 0; k < readers_; ++k)
        in_star_[group] |= (group >> k & 1U) != 0 ? std::size_t{1} << query_.readers[k] : 0;
    }
  }
  void add_up() {
    const std::size_t copies = star_.wanted.size();
    wants_.assign((std::size_t{all_} + 1) * copies, 0);
    for (std::size_t k = 0; k < readers_; ++k) {
      const std::vector<double>& own = *query_.wants[k];
      for (std::size_t m = 0; m < copies; ++m) {
        double least = kEndless;
        for (const std::uint32_t l : star_.served[m]) least = std::min(least, own[l]);
        wants_[(std::size_t{1} << k) * copies + m] = least;
      }
    }
    for (ReaderGroup group = 1; group <= all_; ++group) {
      const ReaderGroup first = group & (~group + 1);
      if (group == first) continue;
      for (std::size_t m = 0; m < copies; ++m) {
        wants_[group * copies + m] = wants_[first * copies + m] + wants_[(group ^ first) * copies + m];
      }
    }
  }

  const Star& star_;
  const StarQuery& query_;
  std::size_t readers_;
  ReaderGroup all_;
  std::vector<double> executions_;
  std::vector<std::size_t> in_star_;  // of each group the same readers of the star
  std::vector<double> wants_;
};

// The readers served from one layout.
class Served {
 public:
  Served(const Star& star, const ReaderGroups& groups, std::size_t made, std::size_t readers)
      : star_(star), groups_(groups), made_(made), by_one_(std::size_t{groups.all()} + 1, kEndless), least_(by_one_) {
    for (std::size_t k = 0; k < readers; ++k) direct_.push_back(groups.direct(k, made));
    for (ReaderGroup group = 1; group <= groups.all(); ++group) find_copy(group);
  }

  // Serves groups that lack the readers of `without`; all the others, too, if it is 0.
  void serve(ReaderGroup without) {
    least_[0] = 0;
    for (ReaderGroup group = 1; group <= groups_.all(); ++group) {
      if ((group & without) == 0) least_[group] = serve_group(group);
    }
  }
  double least(ReaderGroup group) const { return least_[group]; }
  double direct(std::size_t reader) const { return direct_[reader]; }
  double with_copy(ReaderGroup group, std::size_t copy) const {
    return groups_.copy(group, made_, copy) + groups_.wants(group, copy);
  }
  std::size_t best_copy(ReaderGroup group) const {
    std::size_t best = 0;
    for (std::size_t m = 1; m < star_.wanted.size(); ++m) {
      if (with_copy(group, m) < with_copy(group, best)) best = m;
    }
    return best;
  }
  // The groups of the best way, copy by copy; those that take the value as it is have none.
  std::vector<StarCopy> groups_of_best() const {
    std::vector<StarCopy> found;
    ReaderGroup rest = groups_.all();
    while (rest != 0) {
      const ReaderGroup first = rest & (~rest + 1);
      if (direct_[static_cast<std::size_t>(std::countr_zero(first))] + least_[rest ^ first] <= least_[rest]) {
        rest ^= first;
        continue;
      }
      const ReaderGroup taken = group_of_first(rest, first);
      found.push_back({taken, best_copy(taken)});
      rest ^= taken;
    }
    return found;
  }

 private:
  void find_copy(ReaderGroup group) {
    for (std::size_t m = 0; m < star_.wanted.size(); ++m)
      by_one_[group] = std::min(by_one_[group], with_copy(group, m));
  }
  double serve_group(ReaderGroup group) const {
    const ReaderGroup first = group & (~group + 1);
    const ReaderGroup others = group ^ first;
    double least = direct_[static_cast<std::size_t>(std::countr_zero(first))] + least_[others];
    for (ReaderGroup some = others;; some = (some - 1) & others) {
      least = std::min(least, by_one_[some | first] + least_[others ^ some]);
      if (some == 0) return least;
    }
  }
  ReaderGroup group_of_first(ReaderGroup group, ReaderGroup first) const {
    const ReaderGroup others = group ^ first;
    for (ReaderGroup some = others;; some = (some - 1) & others) {
      if (by_one_[some | first] + least_[others ^ some] <= least_[group]) return some | first;
      if (some == 0) return first;
    }
  }

  const Star& star_;
  const ReaderGroups& groups_;
  std::size_t made_;
  std::vector<double> by_one_;  // of each group the cost with one copy
  std::vector<double> least_;   // of each group the least cost
  std::vector<double> direct_;  // of each reader as the value is made
};

std::vector<double> least_by_made(const Star& star, const StarQuery& query, const ReaderGroups& groups) {
  std::vector<double> least(star.made.size(), kEndless);
  for (std::size_t s = 0; s < star.made.size(); ++s) {
    if ((*query.made)[s] == kEndless) continue;
    Served served(star, groups, s, query.wants.size());
    served.serve(0);
    least[s] = (*query.made)[s] + served.least(groups.all());
  }
  return least;
}

std::vector<double> least_by_want(const Star& star, const StarQuery& query, const ReaderGroups& groups,
                                  std::size_t reader) {
  const std::size_t count = star.wanted.size();
  const std::vector<double>& own = *query.wants[reader];
  const ReaderGroup self = ReaderGroup{1} << reader;
  const ReaderGroup others = groups.all() ^ self;
  std::vector<double> by_copy(count, kEndless);
  std::vector<double> least(count, kEndless);
  for (std::size_t s = 0; s < star.made.size(); ++s) {
    const double made = (*query.made)[s];
    if (made == kEndless) continue;
    Served served(star, groups, s, query.wants.size());
    served.serve(self);
    for (std::size_t m = 0; m < count; ++m) {
      for (ReaderGroup some = others;; some = (some - 1) & others) {
        const double cost = groups.copy(some | self, s, m) + groups.wants(some, m) + served.least(others ^ some);
        by_copy[m] = std::min(by_copy[m], made + cost);
        if (some == 0) break;
      }
      if (star.is_free(s, m)) least[m] = std::min(least[m], made + served.least(others));
    }
  }
  for (std::size_t m = 0; m < count; ++m) {
    for (const std::uint32_t l : star.served[m]) least[l] = std::min(least[l], by_copy[m]);
  }
  for (std::size_t l = 0; l < count; ++l) least[l] = own[l] == kEndless ? kEndless : least[l] + own[l];
  return least;
}

// Costs that allow one label of a place.
std::vector<double> only(std::size_t label, std::size_t labels) {
  std::vector<double> costs(labels, kEndless);
  costs[label] = 0;
  return costs;
}

std::vector<std::size_t> first_numbers(std::size_t count) {
  std::vector<std::size_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  return numbers;
}

struct FixedQuery {
  std::vector<double> made;
  StarCosts wants;
  StarQuery query;

  FixedQuery(const Star& star, std::size_t from, const std::vector<std::size_t>& labels)
      : made(only(from, star.made.size())) {
    for (const std::size_t label : labels) wants.push_back(only(label, star.wanted.size()));
    query.made = &made;
    for (const std::vector<double>& own : wants) query.wants.push_back(&own);
    query.executions = star.of_readers;
    query.readers = first_numbers(labels.size());
  }
};

}  // namespace

bool Star::has_equal_readers() const {
  return kept.empty() && std::ranges::all_of(of_readers, [&](double own) { return own >= executions; });
}

StarQuery query_of(const Star& star, const StarCosts& costs) {
  StarQuery query{&costs[0], {}, star.of_readers, first_numbers(star.readers())};
  for (std::size_t k = 1; k < costs.size(); ++k) query.wants.push_back(&costs[k]);
  return query;
}

double least_of(const Star& star, const StarQuery& query) {
  const std::vector<double> least = least_by_made(star, query, ReaderGroups(star, query));
  return *std::ranges::min_element(least);
}

std::vector<double> least_by_label(const Star& star, const StarQuery& query, std::size_t place) {
  const ReaderGroups groups(star, query);
  return place == 0 ? least_by_made(star, query, groups) : least_by_want(star, query, groups, place - 1);
}

std::vector<StarCopy> copies_of(const Star& star, std::size_t made, const std::vector<std::size_t>& wants) {
  const FixedQuery fixed(star, made, wants);
  const ReaderGroups groups(star, fixed.query);
  Served served(star, groups, made, wants.size());
  served.serve(0);
  return served.groups_of_best();
}

double cost_of(const Star& star, std::size_t made, const std::vector<std::size_t>& wants) {
  return least_of(star, FixedQuery(star, made, wants).query);
}

}  // namespace tessera::synth
