// A choice of layouts as JSON.
#include <nlohmann/json.hpp>

#include "tessera/choice.hpp"

namespace tessera {

namespace {

using nlohmann::ordered_json;

ordered_json conversions_json(const std::vector<Choice::Conversion>& conversions) {
  ordered_json all = ordered_json::array();
  for (const Choice::Conversion& one : conversions) {
    all.push_back({{"value", one.value},
                   {"from", one.from},
                   {"to", one.to},
                   {"seconds", one.seconds},
                   {"executions", one.executions},
                   {"received_bytes_total", one.received_bytes_total},
                   {"because", one.because},
                   {"line", one.place.line},
                   {"column", one.place.column}});
  }
  return all;
}

ordered_json values_json(const Choice& choice) {
  ordered_json all = ordered_json::array();
  for (const Choice::Value& value : choice.values) {
    all.push_back({{"name", value.name.empty() ? ordered_json(nullptr) : ordered_json(value.name)},
                   {"type", value.type},
                   {"line", value.place.line},
                   {"column", value.place.column}});
  }
  return all;
}

ordered_json weights_json(const Choice& choice) {
  if (!choice.weights) return nullptr;
  return {{"axis", choice.weights->axis}, {"cut", choice.weights->weights}, {"proof", choice.weights->proof}};
}

ordered_json rivals_json(const Choice& choice) {
  ordered_json all = ordered_json::array();
  for (const Choice::Rival& rival : choice.rivals) {
    all.push_back({{"name", rival.name},
                   {"seconds", rival.seconds ? ordered_json(*rival.seconds) : ordered_json()},
                   {"peak_bytes", rival.peak_bytes},
                   {"fits", rival.fits}});
  }
  return all;
}

}  // namespace

std::string choice_json(const Choice& choice) {
  const ordered_json line = {{"function", choice.function},
                             {"mesh", choice.mesh},
                             {"over", choice.over},
                             {"line", choice.place.line},
                             {"column", choice.place.column},
                             {"weights", weights_json(choice)},
                             {"seconds", choice.seconds},
                             {"bound_seconds", choice.bound_seconds},
                             {"gap", choice.gap},
                             {"proof", choice.proof},
                             {"operations", choice.operations},
                             {"choices", choice.choices},
                             {"plans", choice.plans},
                             {"values", values_json(choice)},
                             {"conversions", conversions_json(choice.conversions)},
                             {"arrivals", conversions_json(choice.arrivals)},
                             {"local_seconds", choice.local_seconds},
                             {"peak_bytes", choice.peak_bytes},
                             {"memory_bytes", choice.memory_bytes},
                             {"fits", choice.fits},
                             {"rivals", rivals_json(choice)},
                             {"verified", choice.verified}};
  return line.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace tessera
