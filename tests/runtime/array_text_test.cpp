#include "runtime/text/array_text.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <sstream>

#include "runtime/text/format.hpp"
#include "tests/runtime/support.hpp"

namespace tessera::runtime::test {
namespace {

template <class T>
std::string text_of(Shape shape, const std::vector<T>& values) {
  return format_array(Array<T>(shape, values).literal());
}

template <class T>
std::string scalar(T value) {
  return format_scalar(element_of<T>(), reinterpret_cast<const std::byte*>(&value));
}

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(ScalarText, ShortestWithAPointOrAnExponent) {
  EXPECT_EQ(scalar(1.0), "1.0");
  EXPECT_EQ(scalar(-0.0), "-0.0");
  EXPECT_EQ(scalar(0.1), "0.1");
  EXPECT_EQ(scalar(0.1F), "0.1");
  EXPECT_EQ(scalar(1.0 / 3), "0.3333333333333333");
  EXPECT_EQ(scalar(1.0F / 3), "0.33333334");
  EXPECT_EQ(scalar(0.0001), "0.0001");
  EXPECT_EQ(scalar(0.00001), "1e-05");
  EXPECT_EQ(scalar(1e15), "1000000000000000.0");
  EXPECT_EQ(scalar(1e16), "1e+16");
  EXPECT_EQ(scalar(-1.5e300), "-1.5e+300");
  EXPECT_EQ(scalar(5e-324), "5e-324");
  EXPECT_EQ(scalar(1e15F), "1000000000000000.0");
  EXPECT_EQ(scalar(static_cast<float>(1LL << 40)), "1099511600000.0");
  EXPECT_EQ(scalar(kNan), "nan");
  EXPECT_EQ(scalar(-kInf), "-inf");
  EXPECT_EQ(scalar(static_cast<float>(kInf)), "inf");
}

TEST(ScalarText, IntegersAndBools) {
  EXPECT_EQ(scalar(std::int32_t{-7}), "-7");
  EXPECT_EQ(scalar(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(scalar(true), "True");
  EXPECT_EQ(scalar(false), "False");
}

TEST(ArrayText, OneDimension) {
  EXPECT_EQ(text_of<std::int64_t>(Shape{3}, {1, -20, 3}), "[  1 -20   3]");
  EXPECT_EQ(text_of<bool>(Shape{2}, {true, false}), "[ True False]");
  EXPECT_EQ(text_of<double>(Shape{3}, {1, 2.5, -0.25}), "[ 1.    2.5  -0.25]");
  EXPECT_EQ(text_of<double>(Shape{2}, {0.1, 1e10}), "[1.e-01 1.e+10]");
  EXPECT_EQ(text_of<float>(Shape{2}, {0.1F, 123456.7F}), "[1.000000e-01 1.234567e+05]");
  // Digits beyond those that read back are the number's own: 0.1 in f32 is 0.100000001490116...
  EXPECT_EQ(text_of<float>(Shape{2}, {0.1F, 1000000064.0F}), "[1.00000001e-01 1.00000006e+09]");
  EXPECT_EQ(text_of<double>(Shape{3}, {1, kNan, -kInf}), "[  1.  nan -inf]");
  EXPECT_EQ(text_of<double>(Shape{2}, {kNan, kInf}), "[nan inf]");
}

TEST(ArrayText, EmptyAndScalar) {
  EXPECT_EQ(text_of<double>(Shape{0}, {}), "[]");
  EXPECT_EQ(text_of<double>(Shape{3, 0, 2}, {}), "[]");
  EXPECT_EQ(text_of<double>(Shape{}, {5}), "5.");
  EXPECT_EQ(text_of<bool>(Shape{}, {true}), "True");
}

TEST(ArrayText, NestedAndWrapped) {
  EXPECT_EQ(format_array(counting<std::int32_t>(Shape{2, 3}).literal()), "[[0 1 2]\n [3 4 5]]");
  EXPECT_EQ(format_array(counting<std::int32_t>(Shape{2, 1, 2}).literal()), "[[[0 1]]\n\n [[2 3]]]");
  EXPECT_EQ(format_array(counting<std::int32_t>(Shape{30}).literal()),
            "[ 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19 20 21 22 23\n 24 25 26 27 28 29]");
}

TEST(ArrayText, SummarisedAboveAThousandElements) {
  EXPECT_EQ(format_array(counting<std::int32_t>(Shape{1001}).literal()), "[   0    1    2 ...  998  999 1000]");
  EXPECT_EQ(format_array(counting<std::int32_t>(Shape{2, 501}).literal()),
            "[[   0    1    2 ...  498  499  500]\n [ 501  502  503 ...  999 1000 1001]]");
  EXPECT_EQ(format_array(counting<std::int32_t>(Shape{501, 2}).literal()),
            "[[   0    1]\n [   2    3]\n [   4    5]\n ...\n [ 996  997]\n [ 998  999]\n [1000 1001]]");
}

TEST(ValueText, GathersWhatIsShown) {
  const auto array = counting<std::int32_t>(Shape{40, 50});
  const Value value = value_of(array, "i32[40@x, 50@y]", mesh_of("x:3,y:2"));
  EXPECT_EQ(*format_value(value), format_array(array.literal()));
  EXPECT_EQ(*format_value(value_of(Array<double>::scalar(1), "f64[]", mesh_of("x:3"))), "1.0");
}

struct Case {
  std::string element;
  Shape shape;
  std::string bytes;
  std::string text;
};

std::vector<Case> read_cases(const std::string& path) {
  std::vector<Case> cases;
  std::istringstream in(read_text(path));
  std::string line;
  while (std::getline(in, line)) {
    std::istringstream head(line);
    Case item;
    head >> item.element;
    std::string word;
    while (head >> word && word != "|") item.shape.push_back(std::stoll(word));
    std::size_t bytes = 0;
    std::size_t characters = 0;
    head >> bytes >> characters;
    item.bytes.resize(bytes);
    item.text.resize(characters);
    in.read(item.bytes.data(), static_cast<std::streamsize>(bytes));
    in.read(item.text.data(), static_cast<std::streamsize>(characters));
    cases.push_back(std::move(item));
  }
  return cases;
}

std::string our_text(const Case& item) {
  const bool is_scalar = item.element.starts_with("scalar-");
  const auto element = synth::element_by_name(is_scalar ? item.element.substr(7) : item.element);
  // Through the elements' own type, for the alignment.
  synth::Literal literal{*element, item.shape, std::vector<std::byte>(item.bytes.size())};
  if (!item.bytes.empty()) std::memcpy(literal.bytes.data(), item.bytes.data(), item.bytes.size());
  return is_scalar ? format_scalar(literal.element, literal.bytes.data()) : format_array(literal);
}

TEST(ArrayText, AsNumpyWritesRandomArrays) {
  if (!has_numpy()) GTEST_SKIP() << "no NumPy";
  const Folder folder;
  ASSERT_TRUE(run_python("array_text_cases.py", "20240607 4000 " + (folder / "cases")));
  const auto cases = read_cases(folder / "cases");
  ASSERT_GE(cases.size(), 4000U);
  int wrong = 0;
  for (std::size_t i = 0; i < cases.size() && wrong < 5; ++i) {
    if (our_text(cases[i]) == cases[i].text) continue;
    ++wrong;
    ADD_FAILURE() << "case " << i << " of " << cases[i].element << ":\n"
                  << our_text(cases[i]) << "\nbut NumPy:\n"
                  << cases[i].text;
  }
}

}  // namespace
}  // namespace tessera::runtime::test
