// Helpers that the tests of synth share: short ways to write meshes and types, all layouts of a small mesh, and a
// simulator that runs plans on real data.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "synth/planner/plan.hpp"

namespace tessera::synth::test {

// All of these fail the test by an exception that names the diagnostic where the text is wrong.
MeshRef mesh(std::string_view text);
ArrayType type(std::string_view text, const MeshRef& on);
ArrayType type(std::string_view text, std::string_view on);

template <class T>
std::string first_error(const base::Result<T>& result) {
  return result.ok() ? "" : std::string(result.errors()[0].kind.slug);
}
template <class T>
std::string first_message(const base::Result<T>& result) {
  return result.ok() ? "" : result.errors()[0].message;
}

// Every way to split `rank` dimensions over whole axes, without pending sums.
std::vector<Layout> all_layouts(const Mesh& mesh, std::size_t rank);
// The same with every way to make some of the unused axes pending.
std::vector<Layout> all_pending_layouts(const Mesh& mesh, std::size_t rank, ReduceOp reduce);

// An element's value on a device; nothing where the device does not hold it.
using DeviceData = std::vector<std::optional<std::int64_t>>;
using Data = std::vector<DeviceData>;  // by device, then row-major element number

// Distinct numbers everywhere; a pending array has different parts at every position along its pending axes.
Data filled(const ArrayType& type);
// One step on real data. Fails the test where a copy reads what its source does not hold or writes twice.
Data run_step(const Collective& step, const ArrayType& before, const ArrayType& after, const Data& data);
// One round of an exchange that leads from `before`: what arrives is put into `target`; then what the round took away
// leaves `source`. Gives the most bytes that a device holds until then.
std::int64_t run_round(const Collective& step, const ArrayType& before, Data& source, Data& target);
// The most bytes that a device holds of both.
std::int64_t most_held(const ArrayType& before, const Data& source, const ArrayType& after, const Data& target);
// The round, of so many, that moves a coordinate along the dimension: counted out by asking every device for its tiles.
std::int64_t round_of(const ArrayType& from, const ArrayType& to, std::size_t dimension, std::int64_t count,
                      std::int64_t coordinate);
// The whole array that the data mean, sums resolved; fails the test where replicas differ or something is missing.
std::vector<std::int64_t> resolved(const ArrayType& type, const Data& data);
// Runs the plan and compares the end with the start, element by element; and the peaks of rounds with what was held.
void expect_moves_data(const Plan& plan);

// The machine for as many devices as its levels have.
RunMachine on_run(const Machine& machine);
// A plan that must exist.
Plan planned(const ArrayType& from, const ArrayType& to, const PlanOptions& options = {}, const Machine& machine = {});
// `slice, all_gather`: the steps' names.
std::string steps_of(const Plan& plan);

}  // namespace tessera::synth::test
