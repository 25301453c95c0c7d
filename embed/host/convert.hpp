// Between the rooms' types and the public ones.
#pragma once

#include <cstdint>
#include <new>
#include <optional>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "embed/host/texts.hpp"
#include "synth/layout/array_type.hpp"
#include "tessera/tessera.hpp"

namespace tessera::runtime {
struct FilePolicy;
}
namespace tessera::synth {
struct Machine;
}
namespace tessera::typeck {
struct Origin;
enum class ReshardPolicy : std::uint8_t;
}  // namespace tessera::typeck

namespace tessera::embed {

Diagnostic to_public(const Texts& texts, const base::Diagnostic& diagnostic);
// At most 1,000 of them: more help nobody. With origins, a diagnostic about a step of the program gets the place of the
// expression that the step was lowered from.
Diagnostics to_public(const Texts& texts, const base::Diagnostics& diagnostics,
                      const std::vector<typeck::Origin>* origins = nullptr);
// Only the kind, the message and the help: for what the rooms print of a diagnostic.
base::Diagnostic to_base(const Diagnostic& diagnostic);
// A failure without a place.
Diagnostics failure(base::Diagnostic diagnostic);
// The host's call makes no sense.
Diagnostics bad_call(std::string_view why);

Element to_public(synth::ElementType element);
Placement placement(const synth::ArrayType& type);
MeshAxes to_public(const synth::Mesh& mesh);
Box to_public(const synth::Box& box);
synth::Machine to_machine(const Machine& machine);
runtime::FilePolicy to_policy(const FilePolicy& policy);
typeck::ReshardPolicy to_policy(Reshard reshard);

// A library's entrance: f's failed checks and exhausted memory come back as diagnostics. f gives a tessera::Result.
template <class F>
auto safely(F&& f) -> std::invoke_result_t<F> {
  try {
    return std::forward<F>(f)();
  } catch (const base::InternalError& error) {
    return failure(base::make(base::Kind::internal, error.what()));
  } catch (const std::bad_alloc&) {
    return failure(base::make(base::Kind::out_of_memory, "the work at hand"));
  } catch (const std::system_error& error) {
    // A thread that cannot be started, for lack of memory or of threads that the system allows.
    if (error.code() != std::errc::resource_unavailable_try_again) throw;
    return failure(base::make(base::Kind::out_of_memory, "the work at hand: no thread can be started"));
  }
}

}  // namespace tessera::embed
