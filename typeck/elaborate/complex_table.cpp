// The operations on complex numbers, and those that make some.
#include "typeck/elaborate/complex_table.hpp"

namespace tessera::typeck {

namespace {

using K = ArgumentKind;

// Fourier transforms along dimensions, the last one if none is named.
OperationInfo fourier_info(std::string_view name, synth::FourierKind kind, std::string_view does) {
  return {name, {{"a", K::array}, {"dims", K::dims, false}}, run_fourier, kind, does};
}

}  // namespace

std::vector<OperationInfo> complex_operations() {
  return {
      {"complex",
       {{"re", K::array, true, false, "a"}, {"im", K::array, true, false, "b"}},
       run_complex,
       synth::MapOp::complex,
       "complex numbers of two parts"},
      {"re", {{"a", K::array}}, run_of_complex, OfComplex::real, "real part of complex numbers"},
      {"im", {{"a", K::array}}, run_of_complex, OfComplex::imaginary, "imaginary part of complex numbers"},
      {"conj", {{"a", K::array}}, run_of_complex, OfComplex::conjugate, "the imaginary part with the other sign"},
      {"angle", {{"a", K::array}}, run_of_complex, OfComplex::angle, "angle of complex numbers, from -pi to pi"},
  };
}

std::vector<OperationInfo> fourier_operations() {
  using synth::FourierKind;
  return {
      fourier_info("fft", FourierKind::forward, "Fourier transform along dimensions, the last one if none is named"),
      fourier_info("ifft", FourierKind::inverse, "its inverse, which divides by the number of elements"),
      fourier_info("rfft", FourierKind::forward_real,
                   "the first half of the transform of real numbers, n/2 + 1 along the last of the dimensions"),
      {"irfft",
       {{"a", K::array}, {"dims", K::dims, false}, {"n", K::integer, false, true, "7"}},
       run_fourier,
       FourierKind::inverse_real,
       "real numbers of the first half of their transform; n is their number, where it is odd"},
  };
}

}  // namespace tessera::typeck
