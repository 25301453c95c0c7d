// Complex numbers: made of two parts, taken apart, and the functions that are made of these.
#include "typeck/elaborate/derived.hpp"

namespace tessera::typeck {

using synth::MapOp;

namespace {

MaybeValue part(OperationCall& call, const Formula& f, MapOp op, const Checked& a) {
  return f.map(op, {a}, synth::part_of(call.elaborator.element(a)));
}
MaybeValue real(OperationCall& call, const Formula& f, const Checked& a) { return part(call, f, MapOp::real, a); }
MaybeValue imaginary(OperationCall& call, const Formula& f, const Checked& a) {
  return part(call, f, MapOp::imaginary, a);
}

MaybeValue joined(OperationCall& call, const Formula& f, const MaybeValue& re, const MaybeValue& im) {
  if (!re.has_value() || !im.has_value()) return std::nullopt;
  return f.map(MapOp::complex, {re, im}, synth::complex_of(call.elaborator.element(*re)));
}

}  // namespace

MaybeValue of_both_parts(OperationCall& call, const Checked& a, const std::function<Checked(const Checked&)>& of_part) {
  const Formula f(call);
  const MaybeValue re = real(call, f, a);
  const MaybeValue im = imaginary(call, f, a);
  if (!re.has_value() || !im.has_value()) return std::nullopt;
  return joined(call, f, of_part(*re), of_part(*im));
}

// The parameters are the real and the imaginary part.
MaybeValue run_complex(OperationCall& call) {
  const auto parts = alike(call, {0, 1});
  if (!parts.has_value()) return std::nullopt;
  Elaborator& elaborator = call.elaborator;
  const ElementType own = elaborator.element(parts->front());
  const char* const help =
      synth::is_complex(own) ? "a part is real: `re(a)`, `im(a)`" : "cast it first, as in f32(...)";
  if (!call.wants_element(parts->front(), synth::is_float(own), help)) return std::nullopt;
  std::vector<Checked> wide;
  for (const Checked& one : *parts) wide.push_back(elaborator.index_wise().widened(one));
  return elaborator.index_wise().map(call.span, MapOp::complex, wide, synth::complex_of(own), call.quoted());
}

MaybeValue run_of_complex(OperationCall& call) {
  const bool is_literal = call.elaborator.is_literal(call.expr(0));
  const MaybeValue a = call.array(0, is_literal ? std::optional(ElementType::f32) : std::nullopt);
  if (!a.has_value()) return std::nullopt;
  const bool fits = synth::is_complex(call.elaborator.element(*a));
  if (!call.wants_element(*a, fits, "it takes complex numbers: `complex(re, im)`, `c64(a)`")) return std::nullopt;
  const Formula f(call);
  const auto which = std::get<OfComplex>(call.info.detail);
  if (which == OfComplex::real || which == OfComplex::imaginary) {
    const MapOp op = which == OfComplex::real ? MapOp::real : MapOp::imaginary;
    const ElementType element = synth::part_of(call.elaborator.element(*a));
    return call.elaborator.index_wise().map(call.span, op, {*a}, element, call.quoted());
  }
  const MaybeValue whole = f.finished(a);
  const MaybeValue re = real(call, f, *whole);
  const MaybeValue im = imaginary(call, f, *whole);
  return which == OfComplex::angle ? angle_of(f, im, re) : joined(call, f, re, f.negate(im));
}

MaybeValue absolute_of_complex(OperationCall& call, const Checked& a) {
  const Formula f(call);
  const MaybeValue whole = f.finished(a);
  return hypotenuse(f, real(call, f, *whole), imaginary(call, f, *whole));
}

MaybeValue square_of_complex(OperationCall& call, const Checked& a) {
  const Formula f(call);
  const MaybeValue re = real(call, f, a);
  const MaybeValue im = imaginary(call, f, a);
  return f.add(f.multiply(re, re), f.multiply(im, im));
}

// e^re (cos im + i sin im)
MaybeValue exponential_of_complex(OperationCall& call, const Checked& a) {
  const Formula f(call);
  const MaybeValue whole = f.finished(a);
  const MaybeValue size = f.map(MapOp::exp, {real(call, f, *whole)});
  const MaybeValue im = imaginary(call, f, *whole);
  return joined(call, f, f.multiply(size, f.map(MapOp::cos, {im})), f.multiply(size, f.map(MapOp::sin, {im})));
}

}  // namespace tessera::typeck
