#include "typeck/typed/known_scalar.hpp"

#include <cstring>
#include <type_traits>

#include "synth/layout/half_elements.hpp"

namespace tessera::typeck {

using synth::ElementType;

namespace {

// Of a number that is no integer the nearest to zero, as `cast` has it: the ends where it lies beyond them, of NaN 0.
std::int64_t integer_within(const KnownScalar& value, ElementType element) {
  const auto* const number = std::get_if<double>(&value);
  if (number == nullptr) return std::visit([](auto held) { return static_cast<std::int64_t>(held); }, value);
  const auto [least, greatest] = synth::range_of(element);
  if (!(*number > static_cast<double>(least))) return *number != *number ? 0 : least;
  return *number < static_cast<double>(greatest) ? static_cast<std::int64_t>(*number) : greatest;
}

template <class T>
T known_as(const KnownScalar& value) {
  return std::visit([](auto held) { return static_cast<T>(held); }, value);
}

template <class T>
void append_value(std::vector<std::byte>& bytes, T value) {
  const std::size_t at = bytes.size();
  bytes.resize(at + sizeof(T));
  std::memcpy(bytes.data() + at, &value, sizeof(T));
}

}  // namespace

void append_bytes(std::vector<std::byte>& bytes, const KnownScalar& value, ElementType element) {
  if (synth::is_stored_float(element)) return append_value(bytes, synth::stored(element, known_as<float>(value)));
  if (synth::is_stored_integer(element))
    return synth::visit_stored_integer(
        element, [&](auto zero) { append_value(bytes, static_cast<decltype(zero)>(integer_within(value, element))); });
  if (synth::is_complex(element)) {
    append_bytes(bytes, value, synth::part_of(element));
    return append_bytes(bytes, 0.0, synth::part_of(element));
  }
  synth::visit_element(element, [&](auto zero) { append_value(bytes, known_as<decltype(zero)>(value)); });
}

KnownScalar as_held(const KnownScalar& value, ElementType element) {
  if (!synth::is_storage(element)) return value;
  if (synth::is_stored_integer(element))
    return synth::visit_stored_integer(element, [&](auto zero) -> KnownScalar {
      return std::int64_t{static_cast<decltype(zero)>(integer_within(value, element))};
    });
  const auto bits = synth::stored(element, known_as<float>(value));
  return static_cast<double>(synth::widened(element, bits));
}

std::optional<KnownScalar> value_of(const synth::Literal& literal) {
  if (!literal.shape.empty() || synth::is_complex(literal.element)) return std::nullopt;
  if (synth::is_stored_integer(literal.element))
    return synth::visit_stored_integer(literal.element, [&](auto zero) -> KnownScalar {
      std::memcpy(&zero, literal.bytes.data(), sizeof(zero));
      return std::int64_t{zero};
    });
  if (synth::is_storage(literal.element)) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, literal.bytes.data(), sizeof(bits));
    return KnownScalar(static_cast<double>(synth::widened(literal.element, bits)));
  }
  return synth::visit_element(literal.element, [&](auto zero) -> KnownScalar {
    using T = decltype(zero);
    T value;
    std::memcpy(&value, literal.bytes.data(), sizeof(T));
    if constexpr (std::is_same_v<T, bool>) return value;
    if constexpr (std::is_integral_v<T>) return std::int64_t{value};
    return static_cast<double>(value);
  });
}

}  // namespace tessera::typeck
