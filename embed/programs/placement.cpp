#include "tessera/placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "embed/host/stop_token.hpp"
#include "embed/kinds.hpp"
#include "embed/plans/read_types.hpp"
#include "embed/session/session_impl.hpp"
#include "embed/session/used_files.hpp"
#include "frontend/parse.hpp"
#include "synth/moves/transfer/reduce_program.hpp"
#include "synth/planner/ranking/ranking.hpp"
#include "typeck/check.hpp"
#include "typeck/placement/requests.hpp"
#include "typeck/placement/search.hpp"

namespace tessera {

namespace {

PlacedMove move_of(const synth::Plan& plan, double times, bool known) {
  PlacedMove move{
      synth::print(plan.from), synth::print(plan.to), times, known, plan.seconds, plan.lower_bound_seconds, {}};
  for (const synth::PlanStep& step : plan.steps) {
    const synth::ReduceProgram* program = synth::program_of(step.collective);
    if (program != nullptr) move.programs.push_back(synth::print(step.after.mesh(), *program));
  }
  return move;
}

void add(PlacedMove move, RankedPlacement& placement) {
  placement.seconds += move.times * move.seconds;
  placement.lower_bound_seconds += move.times * move.lower_bound_seconds;
  placement.moves.push_back(std::move(move));
}

PlacementRanking head_of(const synth::PlaceRanking& ranking, const synth::Mesh& mesh, std::string name) {
  return {std::move(name), synth::print_axes(mesh), ranking.count, ranking.examined, ranking.priced, {}};
}

PlacementRanking to_public(const synth::PlaceRanking& ranking, const std::vector<synth::PlaceRequest>& requests,
                           const std::vector<bool>& known, const synth::Mesh& mesh, std::string name) {
  PlacementRanking result = head_of(ranking, mesh, std::move(name));
  for (const synth::RankedPlacement& one : ranking.best) {
    const bool is_row_major = ranking.row_major && ranking.row_major->matrix == one.matrix;
    RankedPlacement& added = result.best.emplace_back(RankedPlacement{one.matrix.rows, is_row_major, 0, 0, {}});
    for (std::size_t i = 0; i < requests.size(); ++i) add(move_of(*one.plans[i], requests[i].times, known[i]), added);
  }
  return result;
}

PlacementRanking to_public(const typeck::ProgramRanking& program, std::size_t best) {
  PlacementRanking result = head_of(program.ranking, *program.mesh.mesh, program.mesh.name);
  for (const typeck::CheckedPlacement& one : program.checked) {
    if (result.best.size() == best) break;
    RankedPlacement& added = result.best.emplace_back(RankedPlacement{one.matrix.rows, one.is_row_major, 0, 0, {}});
    for (const typeck::Moved& moved : one.moved) add(move_of(*moved.plan, moved.times, moved.times_are_known), added);
  }
  return result;
}

base::Status check_wished(int best) {
  if (best >= 1) return base::Done{};
  return base::make(embed::Kind::bad_call, "at least one placement has to be wanted");
}

// The types of a request, on its mesh in row-major order.
Result<std::vector<synth::PlaceRequest>> read_moves(const PlacementRequest& request, const synth::MeshRef& mesh) {
  std::vector<synth::PlaceRequest> moves;
  for (const PlacementRequest::Move& move : request.moves) {
    if (!(move.times > 0) || move.times > 1e18)
      return embed::bad_call(fmt::format("a move is made at least once, not {} times", move.times));
    auto from = embed::read_type("from", move.from, mesh);
    if (!from) return from.diagnostics();
    auto to = embed::read_type("to", move.to, mesh);
    if (!to) return to.diagnostics();
    moves.push_back({*from, *to, move.times});
  }
  return moves;
}

}  // namespace

std::string to_text(const PlaceMatrix& matrix) { return synth::print(synth::PlaceMatrix{matrix}); }

Result<PlacementRanking> rank_placements(const PlacementRequest& request) {
  return embed::safely([&]() -> Result<PlacementRanking> {
    if (const auto wrong = check_wished(request.best); !wrong) return embed::to_public({}, wrong.errors());
    const auto mesh = embed::read_mesh(request.mesh, request.machine);
    if (!mesh) return mesh.diagnostics();
    const auto moves = read_moves(request, mesh->mesh);
    if (!moves) return moves.diagnostics();
    const auto ranking = synth::rank_placements(embed::to_machine(request.machine), mesh->mesh, *moves,
                                                static_cast<std::size_t>(request.best), embed::token_of(request.stop));
    if (!ranking) return embed::to_public({}, ranking.errors());
    return to_public(*ranking, *moves, std::vector<bool>(moves->size(), true), *mesh->mesh, "");
  });
}

Result<std::vector<PlacementRanking>> rank_placements(std::string_view program, std::string_view name,
                                                      const Config& config, int best) {
  return embed::safely([&]() -> Result<std::vector<PlacementRanking>> {
    if (const auto wrong = check_wished(best); !wrong) return embed::to_public({}, wrong.errors());
    embed::Texts texts;
    const base::SourceId source = texts.add(std::string(name), std::string(program), 1);
    auto ast = frontend::parse(texts.sources, source, embed::token_of(config.stop));
    if (!ast) return embed::to_public(texts, ast.errors());
    auto options = embed::check_options(config, texts, embed::token_of(config.stop));
    if (!options) return embed::to_public(texts, options.errors());
    auto used = embed::used_files(*ast, texts, config, embed::token_of(config.stop), embed::reader_of(config));
    if (!used) return embed::to_public(texts, used.errors());
    options->used = std::move(*used);
    synth::PlanCache plans(embed::to_machine(config.machine));
    const auto ranked = typeck::rank_placements(std::make_shared<const frontend::Ast>(std::move(*ast)), texts.sources,
                                                typeck::Environment{}, plans, *options, static_cast<std::size_t>(best));
    if (!ranked) return embed::to_public(texts, ranked.errors());
    std::vector<PlacementRanking> all;
    for (const typeck::ProgramRanking& one : *ranked) all.push_back(to_public(one, static_cast<std::size_t>(best)));
    return all;
  });
}

Result<PlacementRanking> rank_placements(const std::vector<Program>& programs, const Machine& machine, int best) {
  return embed::safely([&]() -> Result<PlacementRanking> {
    if (const auto wrong = check_wished(best); !wrong) return embed::to_public({}, wrong.errors());
    std::vector<synth::PlaceRequest> requests;
    std::vector<bool> known;
    for (const Program& program : programs) {
      for (const typeck::Moved& one : typeck::moved(*program.impl()->typed)) {
        requests.push_back({one.plan->from, one.plan->to, one.times});
        known.push_back(one.times_are_known);
      }
    }
    if (programs.empty()) return embed::bad_call("there is no program to place");
    const Program::Impl& last = *programs.back().impl();
    const typeck::Environment& names = last.typed->after;
    const synth::MeshRef mesh = names.default_mesh(names.now());
    if (mesh->axes().empty()) return embed::bad_call("no mesh is declared");
    const auto ranking =
        synth::rank_placements(embed::to_machine(machine), mesh, requests, static_cast<std::size_t>(best));
    if (!ranking) return embed::to_public({}, ranking.errors());
    return to_public(*ranking, requests, known, *mesh, "");
  });
}

}  // namespace tessera
