// Functions of a session's program, compiled once and called any number of times.
//
//     tessera::Session session;
//     if (!session.run("mesh m = [x: 4]\nfn twice(a: f32[8@x]) -> f32[8@x] = a * 2.0\n")) return 1;
//     auto twice = session.function("twice");
//     std::vector<float> host(8, 1.5F);
//     auto a = session.array("f32[8@x]", {host.data()}, nullptr);
//     auto b = twice->call({*a});
//     std::cout << b->front().to_vector<float>()->front();  // 3
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tessera/tessera.hpp"

namespace tessera {

// Checked, planned, lowered and laid out in memory by Session::function(name, types): `types` are those of the
// arguments, in order; empty where the function declares them all, extents and layouts included. The types must be the
// parameters' own, so that no call redistributes anything: else `bad-call` with both. `bad-call` also for an unknown
// name.
//
// A parameter or result that is a record, `{w: f32[8, 4], b: f32[4]}`, is several arrays of the call: its fields, one
// after the other, in the order of the type that was given or, without one, declared. `types` has one text for it.
//
// A Function sees the session as it was when it was made, keeps the values it reads of it, and changes nothing there.
// It may outlive the session. Copies are the same function. call() may be used from several threads at the same time;
// the functions of the session's Config are then called on those threads, also at the same time. On ranks every rank
// makes the same calls in the same order, from one thread at a time.
class TESSERA_API Function {
 public:
  const std::string& name() const;
  // The types of the arrays that a call takes and gives.
  const std::vector<std::string>& parameters() const;
  const std::vector<std::string>& results() const;
  // What each of these arrays is: the whole of a parameter or result, or a field of the record that it is, `w` or
  // `layer.w`.
  struct Part {
    std::size_t of = 0;  // which parameter or result
    std::string field = {};
  };
  const std::vector<Part>& parameter_parts() const;
  const std::vector<Part>& result_parts() const;

  // The results. `bad-call` where an argument has not exactly the type of its parameter; what a run can fail with
  // besides: `division-by-zero`, `out-of-memory-plan`, and `interrupted` where Config::stop was asked.
  Result<std::vector<Array>> call(const std::vector<Array>& arguments) const;
  // The same, but a stop of the token, which is this call's alone, ends it with `interrupted`; a token that was asked
  // before ends it at once. The function can be called again, with another token.
  Result<std::vector<Array>> call(const std::vector<Array>& arguments, const StopToken& stop) const;

  struct Impl;
  explicit Function(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

 private:
  std::shared_ptr<const Impl> impl_;
};

}  // namespace tessera
