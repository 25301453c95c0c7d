// What the vendor's compiler lacks of eight headers of the standard library, as far as elements and kernels use them:
// <algorithm> <array> <bit> <cmath> <concepts> <cstdint> <limits> <type_traits>.
#pragma once

#if defined(__CUDACC_RTC__)

namespace std {

using size_t = decltype(sizeof(0));
using ptrdiff_t = long;
using int8_t = signed char;
using int16_t = short;
using int32_t = int;
using int64_t = long;
using uint8_t = unsigned char;
using uint16_t = unsigned short;
using uint32_t = unsigned int;
using uint64_t = unsigned long;
using uintptr_t = unsigned long;

// ---- <type_traits> and <concepts> ----

template <class T, T v>
struct integral_constant {
  static constexpr T value = v;
};
using true_type = integral_constant<bool, true>;
using false_type = integral_constant<bool, false>;

template <bool condition, class A, class B>
struct conditional {
  using type = A;
};
template <class A, class B>
struct conditional<false, A, B> {
  using type = B;
};
template <bool condition, class A, class B>
using conditional_t = typename conditional<condition, A, B>::type;

template <class T>
struct remove_reference {
  using type = T;
};
template <class T>
struct remove_reference<T&> {
  using type = T;
};
template <class T>
struct remove_reference<T&&> {
  using type = T;
};
template <class T>
using remove_reference_t = typename remove_reference<T>::type;
template <class T>
struct remove_cv {
  using type = T;
};
template <class T>
struct remove_cv<const T> {
  using type = T;
};
template <class T>
using remove_cv_t = typename remove_cv<T>::type;
template <class T>
using remove_cvref_t = remove_cv_t<remove_reference_t<T>>;

template <class A, class B>
inline constexpr bool is_same_v = false;
template <class A>
inline constexpr bool is_same_v<A, A> = true;
template <class A, class B>
concept same_as = is_same_v<A, B>;

template <class T>
inline constexpr bool is_integral_v =
    is_same_v<T, bool> || is_same_v<T, char> || is_same_v<T, signed char> || is_same_v<T, unsigned char> ||
    is_same_v<T, short> || is_same_v<T, unsigned short> || is_same_v<T, int> || is_same_v<T, unsigned int> ||
    is_same_v<T, long> || is_same_v<T, unsigned long> || is_same_v<T, long long> || is_same_v<T, unsigned long long>;
template <class T>
inline constexpr bool is_floating_point_v = is_same_v<T, float> || is_same_v<T, double>;
template <class T>
inline constexpr bool is_signed_v = T(-1) < T(0);
template <class T>
concept integral = is_integral_v<T>;
template <class T>
concept floating_point = is_floating_point_v<T>;
template <class T>
concept signed_integral = integral<T> && is_signed_v<T>;
template <class T>
concept unsigned_integral = integral<T> && !is_signed_v<T>;

template <class T>
T&& declval();
template <class F, class... A>
concept invocable = requires(F f, A... a) { f(a...); };

template <class T>
struct make_unsigned {
  using type = T;
};
template <>
struct make_unsigned<signed char> {
  using type = unsigned char;
};
template <>
struct make_unsigned<short> {
  using type = unsigned short;
};
template <>
struct make_unsigned<int> {
  using type = unsigned int;
};
template <>
struct make_unsigned<long> {
  using type = unsigned long;
};
template <>
struct make_unsigned<long long> {
  using type = unsigned long long;
};
template <class T>
using make_unsigned_t = typename make_unsigned<T>::type;

// ---- <bit> ----

template <class To, class From>
constexpr To bit_cast(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, from);
}
constexpr int countl_zero(uint64_t x) {
  if (__builtin_is_constant_evaluated()) {
    int n = 0;
    for (uint64_t bit = uint64_t{1} << 63U; bit != 0 && (x & bit) == 0; bit >>= 1U) ++n;
    return n;
  }
  return __clzll(static_cast<long long>(x));
}
constexpr int countl_zero(uint32_t x) { return countl_zero(uint64_t{x}) - 32; }
template <class T>
constexpr bool has_single_bit(T x) {
  return x != 0 && (x & (x - 1)) == 0;
}
template <class T>
constexpr T bit_ceil(T x) {
  T power = 1;
  while (power < x) power *= 2;
  return power;
}

// ---- <limits> ----

template <class T>
struct numeric_limits {
  static constexpr bool is_signed = is_signed_v<T>;
  static constexpr int digits = static_cast<int>(8 * sizeof(T)) - (is_signed ? 1 : 0);
  static constexpr T max() {
    using Bits = make_unsigned_t<T>;
    return is_signed ? static_cast<T>(static_cast<Bits>(~Bits{0}) >> 1) : static_cast<T>(~Bits{0});
  }
  static constexpr T min() { return static_cast<T>(~max()); }
  static constexpr T lowest() { return min(); }
};
template <>
struct numeric_limits<bool> {
  static constexpr int digits = 1;
  static constexpr bool max() { return true; }
  static constexpr bool min() { return false; }
  static constexpr bool lowest() { return false; }
};
template <>
struct numeric_limits<float> {
  static constexpr int digits = 24;
  static constexpr float max() { return 0x1.fffffep127F; }
  static constexpr float min() { return 0x1p-126F; }
  static constexpr float lowest() { return -max(); }
  static constexpr float infinity() { return bit_cast<float>(0x7f800000U); }
  static constexpr float quiet_NaN() { return bit_cast<float>(0x7fc00000U); }
};
template <>
struct numeric_limits<double> {
  static constexpr int digits = 53;
  static constexpr double max() { return 0x1.fffffffffffffp1023; }
  static constexpr double min() { return 0x1p-1022; }
  static constexpr double lowest() { return -max(); }
  static constexpr double infinity() { return bit_cast<double>(0x7ff0000000000000UL); }
  static constexpr double quiet_NaN() { return bit_cast<double>(0x7ff8000000000000UL); }
};

// ---- <algorithm> ----

template <class T>
constexpr const T& min(const T& a, const T& b) {
  return b < a ? b : a;
}
template <class T>
constexpr const T& max(const T& a, const T& b) {
  return a < b ? b : a;
}
template <class T>
constexpr const T& clamp(const T& x, const T& low, const T& high) {
  return x < low ? low : (high < x ? high : x);
}

// ---- <array> ----

template <class T, size_t N>
struct array {
  T items[N];
  constexpr T& operator[](size_t i) { return items[i]; }
  constexpr const T& operator[](size_t i) const { return items[i]; }
  constexpr size_t size() const { return N; }
  constexpr T* data() { return items; }
  constexpr const T* data() const { return items; }
  constexpr T* begin() { return items; }
  constexpr const T* begin() const { return items; }
  constexpr T* end() { return items + N; }
  constexpr const T* end() const { return items + N; }
};

// ---- <cmath> ----

inline float sqrt(float x) { return ::sqrtf(x); }
inline double sqrt(double x) { return ::sqrt(x); }
inline float abs(float x) { return bit_cast<float>(bit_cast<uint32_t>(x) & 0x7fffffffU); }
inline double abs(double x) { return bit_cast<double>(bit_cast<uint64_t>(x) & 0x7fffffffffffffffU); }
inline float copysign(float size, float sign) {
  return bit_cast<float>((bit_cast<uint32_t>(size) & 0x7fffffffU) | (bit_cast<uint32_t>(sign) & 0x80000000U));
}
inline double copysign(double size, double sign) {
  return bit_cast<double>((bit_cast<uint64_t>(size) & 0x7fffffffffffffffU) |
                          (bit_cast<uint64_t>(sign) & 0x8000000000000000U));
}

}  // namespace std

#endif
