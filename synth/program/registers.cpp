#include "synth/program/registers.hpp"

namespace tessera::synth {

namespace {

using Visit = std::function<void(RegisterId)>;

void all(const std::vector<RegisterId>& ids, const Visit& visit) {
  for (const RegisterId id : ids) visit(id);
}

void read(const Apply& apply, const Visit& visit) { all(apply.operands, visit); }
void read(const Repeat& repeat, const Visit& visit) {
  visit(repeat.count);
  all(repeat.initial, visit);
  for_each_read(repeat.body, visit);
  all(repeat.next, visit);
}
void read(const Choose& choose, const Visit& visit) {
  visit(choose.condition);
  for_each_read(choose.then_body, visit);
  all(choose.then_results, visit);
  for_each_read(choose.else_body, visit);
  all(choose.else_results, visit);
}
void read(const Pipeline& pipeline, const Visit& visit) {
  all(pipeline.initial, visit);
  for (const Body& body : pipeline.visits) for_each_read(body, visit);
  all(pipeline.next, visit);
}

void written(const Apply& apply, const Visit& visit) { all(apply.results, visit); }
void written(const Repeat& repeat, const Visit& visit) {
  visit(repeat.index);
  all(repeat.indices_elsewhere, visit);
  all(repeat.parameters, visit);
  for_each_written(repeat.body, visit);
  all(repeat.results, visit);
}
void written(const Choose& choose, const Visit& visit) {
  for_each_written(choose.then_body, visit);
  for_each_written(choose.else_body, visit);
  all(choose.results, visit);
}
void written(const Pipeline& pipeline, const Visit& visit) {
  all(pipeline.indices, visit);
  all(pipeline.parameters, visit);
  for (const Body& body : pipeline.visits) for_each_written(body, visit);
  all(pipeline.results, visit);
}

}  // namespace

void for_each_read(const Step& step, const Visit& visit) {
  std::visit([&](const auto& node) { read(node, visit); }, step.node);
}
void for_each_read(const Body& body, const Visit& visit) {
  for (const Step& step : body) for_each_read(step, visit);
}
void for_each_written(const Step& step, const Visit& visit) {
  std::visit([&](const auto& node) { written(node, visit); }, step.node);
}
void for_each_written(const Body& body, const Visit& visit) {
  for (const Step& step : body) for_each_written(step, visit);
}

void for_each_apply(const Body& body, const std::function<void(const Apply&)>& visit) {
  for (const Step& step : body) {
    if (const auto* apply = std::get_if<Apply>(&step.node)) {
      visit(*apply);
    } else if (const auto* repeat = std::get_if<Repeat>(&step.node)) {
      for_each_apply(repeat->body, visit);
    } else if (const auto* choose = std::get_if<Choose>(&step.node)) {
      for_each_apply(choose->then_body, visit);
      for_each_apply(choose->else_body, visit);
    } else if (const auto* pipeline = std::get_if<Pipeline>(&step.node)) {
      for (const Body& own : pipeline->visits) for_each_apply(own, visit);
    }
  }
}

}  // namespace tessera::synth
