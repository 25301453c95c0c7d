#include "typeck/placement/requests.hpp"

#include <map>
#include <string>
#include <utility>

namespace tessera::typeck {

class MovedSoFar::Counter {
 public:
  explicit Counter(const Typed& typed) : typed_(typed) {}

  std::vector<Moved> region(const Region& nodes) {
    std::vector<Moved> all;
    for (const NodeId id : nodes.order) add_node(typed_.nodes[id], all);
    return all;
  }

  // As many times each, merged with those of the same plan.
  static void add(const std::vector<Moved>& more, double times, bool known, std::vector<Moved>& all) {
    for (const Moved& one : more) {
      Moved scaled = one;
      scaled.times *= times;
      scaled.times_are_known = scaled.times_are_known && known;
      merge(std::move(scaled), all);
    }
  }

 private:
  static void merge(Moved one, std::vector<Moved>& all) {
    for (Moved& other : all) {
      if (other.plan != one.plan) continue;
      other.times += one.times;
      other.times_are_known = other.times_are_known && one.times_are_known;
      return;
    }
    all.push_back(std::move(one));
  }

  void add_node(const Node& node, std::vector<Moved>& all) {
    if (const auto* change = std::get_if<Redistribute>(&node.body)) {
      if (!change->plan->steps.empty()) merge(Moved{change->plan, 1, true, change->why.asked_at}, all);
    } else if (const auto* call = std::get_if<Call>(&node.body)) {
      add(instance(call->instance), 1, true, all);
    } else if (const auto* loop = std::get_if<Loop>(&node.body)) {
      const auto times = static_cast<double>(loop->known_count.value_or(1));
      add(region(loop->body), times, loop->known_count.has_value(), all);
    } else if (const auto* branch = std::get_if<If>(&node.body)) {
      add(region(branch->then_region), 1, true, all);
      add(region(branch->else_region), 1, true, all);
    } else if (const auto* again = std::get_if<Again>(&node.body)) {
      add(region(again->body), 1, true, all);
    }
  }

  // The moves of one call are counted once, however often it is called.
  const std::vector<Moved>& instance(InstanceId id) {
    const auto known = instances_.find(id);
    if (known != instances_.end()) return known->second;
    std::vector<Moved> once = region(typed_.instances[id].body);
    return instances_.emplace(id, std::move(once)).first->second;
  }

  const Typed& typed_;
  std::map<InstanceId, std::vector<Moved>> instances_;
};

MovedSoFar::MovedSoFar(const Typed& typed) : counter_(std::make_unique<Counter>(typed)) {}
MovedSoFar::~MovedSoFar() = default;

void MovedSoFar::add(const TypedStatement& statement) {
  Counter::add(counter_->region(statement.region), 1, true, all_);
}

std::vector<Moved> moved(const Typed& typed) {
  MovedSoFar counted(typed);
  for (const TypedStatement& statement : typed.statements) counted.add(statement);
  return counted.all();
}

double seconds_of(const std::vector<Moved>& all) {
  double sum = 0;
  for (const Moved& one : all) sum += one.times * one.plan->seconds;
  return sum;
}

}  // namespace tessera::typeck
