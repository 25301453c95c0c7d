#include "synth/program/schedule/visits.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "synth/program/registers.hpp"
#include "synth/program/type_rules.hpp"

namespace tessera::synth {

namespace {

// The facts about one step of the body.
struct Known {
  MeshRef mesh;
  bool border = false;
  std::vector<std::size_t> before;     // the steps that make what it reads
  std::vector<std::size_t> after;      // and those that read what it makes
  std::vector<std::size_t> next;       // the carried values whose next value it makes
  std::optional<std::size_t> carried;  // a parameter that it follows from
  std::size_t depth = 0;               // borders before it
  std::size_t visit = 0;
  bool is_main = false;
};

class Cutter {
 public:
  Cutter(const Program& program, const Body& body, const std::vector<RegisterId>& parameters,
         const std::vector<RegisterId>& next)
      : program_(program), body_(body), parameters_(parameters), next_(next), known_(body.size()) {}

  std::variant<Cut, CutFault> run() {
    for (std::size_t i = 0; i < body_.size(); ++i) {
      if (const auto fault = learn(i)) return *fault;
    }
    for (std::size_t k = 0; k < next_.size(); ++k) {
      if (const auto made = maker_.find(next_[k]); made != maker_.end()) known_[made->second].next.push_back(k);
    }
    if (const auto fault = bring_scalars_to_readers()) return *fault;
    join_first_visits();
    number_visits();
    note_main();
    sink();
    for (Known& step : known_) step.is_main = false;
    note_main();
    return result();
  }

 private:
  const Mesh& mesh_of(RegisterId id) const { return program_.registers[id].mesh(); }

  std::optional<CutFault> learn(std::size_t i) {
    Known& step = known_[i];
    step.border = is_border(program_, body_[i]);
    for_each_read(body_[i], [&](RegisterId id) {
      const auto parameter = std::find(parameters_.begin(), parameters_.end(), id);
      if (parameter != parameters_.end()) step.carried = parameter - parameters_.begin();
      if (const auto made = maker_.find(id); made != maker_.end()) step.before.push_back(made->second);
    });
    for (const std::size_t before : step.before) {
      step.depth = std::max(step.depth, known_[before].depth + (known_[before].border ? 1 : 0));
      if (known_[before].carried) step.carried = known_[before].carried;
      known_[before].after.push_back(i);
    }
    for_each_written(body_[i], [&](RegisterId id) { maker_[id] = i; });
    if (step.border && step.carried) return CutFault{CutFault::Reason::chained, i, *step.carried};
    return find_mesh(i);
  }

  std::optional<CutFault> find_mesh(std::size_t i) {
    Known& step = known_[i];
    const auto* apply = std::get_if<Apply>(&body_[i].node);
    const bool is_effect = apply != nullptr && !has_result(apply->operation);
    if (is_effect && !std::holds_alternative<Assert>(apply->operation)) return CutFault{CutFault::Reason::effect, i, 0};
    if (step.border || is_effect) {
      step.mesh = program_.registers[apply->operands[0]].mesh_ref();
      return std::nullopt;
    }
    bool spans = false;
    bool has_effect = false;
    for_each_written(body_[i], [&](RegisterId id) {
      if (step.mesh == nullptr) step.mesh = program_.registers[id].mesh_ref();
      spans = spans || mesh_of(id) != *step.mesh;
    });
    for_each_apply({body_[i]}, [&](const Apply& inner) {
      has_effect = has_effect || (!has_result(inner.operation) && !std::holds_alternative<Assert>(inner.operation));
    });
    if (has_effect) return CutFault{CutFault::Reason::effect, i, 0};
    if (spans) return CutFault{CutFault::Reason::hidden, i, 0};
    return std::nullopt;
  }

  // A scalar that every device can make for itself: of constants and indices.
  bool is_made_anywhere(std::size_t i) const {
    const auto* apply = std::get_if<Apply>(&body_[i].node);
    const bool is_pure = apply != nullptr && (std::holds_alternative<Constant>(apply->operation) ||
                                              std::holds_alternative<Map>(apply->operation));
    return is_pure && program_.registers[apply->results[0]].rank() == 0 && !known_[i].carried &&
           std::all_of(known_[i].before.begin(), known_[i].before.end(),
                       [&](std::size_t before) { return is_made_anywhere(before); });
  }

  // The count of a loop or the condition of a branch may be on another mesh than what it decides about: then it goes
  // with that. One that is computed of arrays would be a border that nobody wrote.
  std::optional<CutFault> bring_scalars_to_readers() {
    for (std::size_t i = known_.size(); i-- > 0;) {
      const auto reads_here = [&](std::size_t reader) { return *known_[reader].mesh == *known_[i].mesh; };
      const std::vector<std::size_t>& readers = known_[i].after;
      if (readers.empty() || std::any_of(readers.begin(), readers.end(), reads_here)) continue;
      if (is_made_anywhere(i)) known_[i].mesh = known_[readers.front()].mesh;
    }
    for (std::size_t i = 0; i < known_.size(); ++i) {
      for (const std::size_t before : known_[i].before) {
        const bool is_here = known_[before].border || *known_[before].mesh == *known_[i].mesh;
        if (!is_here) return CutFault{CutFault::Reason::hidden, i, 0};
      }
    }
    return std::nullopt;
  }

  std::size_t number_of(const Mesh& mesh) const {
    const auto same = [&](const MeshRef& one) { return *one == mesh; };
    return static_cast<std::size_t>(std::find_if(meshes_.begin(), meshes_.end(), same) - meshes_.begin());
  }
  std::size_t depth_after(std::size_t i) const { return known_[i].depth + (known_[i].border ? 1 : 0); }

  // Calls f(mesh, depth) for every step, and for every next value where it is taken over.
  template <class F>
  void for_each_place(const F& f) const {
    for (const Known& step : known_) f(number_of(*step.mesh), step.depth);
    for (const RegisterId id : next_) {
      const auto made = maker_.find(id);
      f(number_of(mesh_of(id)), made == maker_.end() ? 0 : depth_after(made->second));
    }
  }

  void note_mesh(const MeshRef& mesh) {
    if (std::none_of(meshes_.begin(), meshes_.end(), [&](const MeshRef& known) { return *known == *mesh; }))
      meshes_.push_back(mesh);
  }

  // Steps before every border join their mesh's next visit, unless their mesh sends something from there.
  void join_first_visits() {
    for (const Known& step : known_) note_mesh(step.mesh);
    for (const RegisterId parameter : parameters_) note_mesh(program_.registers[parameter].mesh_ref());
    std::vector<std::optional<std::size_t>> second(meshes_.size());
    for_each_place([&](std::size_t mesh, std::size_t depth) {
      if (depth > 0) second[mesh] = std::min(second[mesh].value_or(depth), depth);
    });
    std::vector<bool> sends(meshes_.size(), false);
    for (const Known& step : known_) {
      if (step.border && step.depth == 0) sends[number_of(*step.mesh)] = true;
    }
    for (Known& step : known_) {
      const std::size_t mesh = number_of(*step.mesh);
      if (step.depth == 0 && !sends[mesh] && second[mesh]) step.depth = *second[mesh];
    }
  }

  // By depth, then by the mesh that came first. A mesh without steps has a visit for what it carries.
  void number_visits() {
    std::vector<std::size_t> last_depth(meshes_.size(), 0);
    for_each_place([&](std::size_t mesh, std::size_t depth) { last_depth[mesh] = std::max(last_depth[mesh], depth); });
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> numbers;  // by depth and mesh
    for (const Known& step : known_) {
      const std::size_t mesh = number_of(*step.mesh);
      numbers[{step.carried ? last_depth[mesh] : step.depth, mesh}] = 0;
    }
    for (const RegisterId parameter : parameters_) {
      const std::size_t mesh = number_of(mesh_of(parameter));
      numbers[{last_depth[mesh], mesh}] = 0;
    }
    std::vector<std::size_t> last_visit(meshes_.size(), 0);
    for (auto& [key, number] : numbers) {
      number = cut_.visits.size();
      last_visit[key.second] = number;
      cut_.visits.push_back({meshes_[key.second], {}, {}, {}});
    }
    for (Known& step : known_) {
      const std::size_t mesh = number_of(*step.mesh);
      step.visit = step.carried ? last_visit[mesh] : numbers.at({step.depth, mesh});
    }
    for (const RegisterId parameter : parameters_)
      cut_.carried_by.push_back(static_cast<std::uint32_t>(last_visit[number_of(mesh_of(parameter))]));
  }

  // Marks the steps that a border of the same visit waits for.
  void note_main() {
    for (std::size_t i = known_.size(); i-- > 0;) {
      if (!known_[i].border && !known_[i].is_main) continue;
      for (const std::size_t before : known_[i].before) {
        if (known_[before].visit == known_[i].visit) known_[before].is_main = true;
      }
    }
  }

  // The first visit that reads what the step makes; nothing if nobody does.
  std::optional<std::size_t> first_reader(const Known& step) const {
    std::optional<std::size_t> first;
    for (const std::size_t after : step.after)
      first = std::min(first.value_or(known_[after].visit), known_[after].visit);
    for (const std::size_t k : step.next)
      first = std::min<std::size_t>(first.value_or(cut_.carried_by[k]), cut_.carried_by[k]);
    return first;
  }

  std::int64_t bytes_made(std::size_t i) const {
    std::int64_t bytes = 0;
    for (const RegisterId id : results_of(body_[i])) bytes += tile_bytes_max(program_.registers[id]);
    return bytes;
  }
  static const std::vector<RegisterId>& results_of(const Step& step) {
    return std::visit([](const auto& node) -> const std::vector<RegisterId>& { return node.results; }, step.node);
  }

  // Bytes that would be kept for the step until a later visit, and are not kept anyway.
  std::int64_t bytes_kept_for(std::size_t i, std::size_t later) const {
    std::int64_t bytes = 0;
    const std::set<std::size_t> makers(known_[i].before.begin(), known_[i].before.end());
    for (const std::size_t before : makers) {
      const auto& readers = known_[before].after;
      const bool is_kept =
          known_[before].visit >= later || std::any_of(readers.begin(), readers.end(), [&](std::size_t reader) {
            return reader != i && known_[reader].visit >= later;
          });
      if (!is_kept) bytes += bytes_made(before);
    }
    return bytes;
  }

  void sink() {
    for (std::size_t i = known_.size(); i-- > 0;) {
      Known& step = known_[i];
      const auto later = first_reader(step);
      if (step.border || step.is_main || step.carried || !later || *later <= step.visit) continue;
      if (bytes_kept_for(i, *later) <= bytes_made(i)) step.visit = *later;
    }
  }

  Cut result() {
    for (std::size_t i = 0; i < known_.size(); ++i) {
      CutVisit& visit = cut_.visits[known_[i].visit];
      (known_[i].border ? visit.borders : known_[i].is_main ? visit.main : visit.rest).push_back(i);
    }
    return std::move(cut_);
  }

  const Program& program_;
  const Body& body_;
  const std::vector<RegisterId>& parameters_;
  const std::vector<RegisterId>& next_;
  std::vector<Known> known_;
  std::map<RegisterId, std::size_t> maker_;
  std::vector<MeshRef> meshes_;
  Cut cut_;
};

}  // namespace

bool is_border(const Program& program, const Step& step) {
  const auto* apply = std::get_if<Apply>(&step.node);
  if (apply == nullptr || !std::holds_alternative<Collect>(apply->operation)) return false;
  return program.registers[apply->operands[0]].mesh() != program.registers[apply->results[0]].mesh();
}

std::variant<Cut, CutFault> cut_visits(const Program& program, const Body& body,
                                       const std::vector<RegisterId>& parameters, const std::vector<RegisterId>& next) {
  return Cutter(program, body, parameters, next).run();
}

std::vector<Body> visit_bodies(const Cut& cut, Body body, bool late) {
  std::vector<Body> bodies;
  for (const CutVisit& visit : cut.visits) {
    Body& own = bodies.emplace_back();
    const auto take = [&](const std::vector<std::size_t>& steps) {
      for (const std::size_t i : steps) own.push_back(std::move(body[i]));
    };
    take(visit.main);
    if (late) take(visit.borders);
    take(visit.rest);
    if (!late) take(visit.borders);
  }
  return bodies;
}

}  // namespace tessera::synth
