#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "runtime/io/files.hpp"
#include "runtime/io/npy.hpp"
#include "runtime/kinds.hpp"
#include "tests/runtime/support.hpp"

namespace tessera::runtime::test {
namespace {

using testing::HasSubstr;

std::string head(const std::string& dictionary, int version = 1, int minor = 0) {
  std::string text = "\x93NUMPY";
  text += static_cast<char>(version);
  text += static_cast<char>(minor);
  const std::size_t length = dictionary.size();
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) text += static_cast<char>(length >> (8 * i) & 0xFFU);
  return text + dictionary;
}

base::Result<NpyHeader> parsed(const std::string& text, std::int64_t data_bytes) {
  return parse_npy_header(text, static_cast<std::int64_t>(text.size()) + data_bytes, "a.npy");
}

std::string dictionary(const std::string& descr, const std::string& order, const std::string& shape) {
  return "{'descr': " + descr + ", 'fortran_order': " + order + ", 'shape': " + shape + ", }  \n";
}

TEST(NpyHeader, AllElementTypesAndOrders) {
  struct Known {
    const char* descr;
    ElementType element;
    bool big_endian;
    std::int64_t bytes;
  };
  for (const Known& known :
       {Known{"'|b1'", ElementType::boolean, false, 6}, Known{"'<i4'", ElementType::i32, false, 24},
        Known{"'>i4'", ElementType::i32, true, 24}, Known{"'<i8'", ElementType::i64, false, 48},
        Known{"'|u1'", ElementType::u8, false, 6}, Known{"'<i1'", ElementType::i8, false, 6},
        Known{"'>u2'", ElementType::u16, true, 12}, Known{"'<i2'", ElementType::i16, false, 12},
        Known{"'>u4'", ElementType::u32, true, 24}, Known{"'>i8'", ElementType::i64, true, 48},
        Known{"'<f4'", ElementType::f32, false, 24}, Known{"\">f4\"", ElementType::f32, true, 24},
        Known{"'<f8'", ElementType::f64, false, 48}, Known{"'=f8'", ElementType::f64, false, 48},
        Known{"'>f8'", ElementType::f64, true, 48}, Known{"'<f2'", ElementType::f16, false, 12},
        Known{"'>f2'", ElementType::f16, true, 12}, Known{"'<V2'", ElementType::bf16, false, 12},
        Known{"'|V2'", ElementType::bf16, false, 12}}) {
    for (const bool fortran : {false, true}) {
      const std::string text = head(dictionary(known.descr, fortran ? "True" : "False", "(2, 3)"));
      const auto header = parsed(text, known.bytes);
      ASSERT_TRUE(header.ok()) << header.errors()[0].message;
      EXPECT_EQ(header->element, known.element);
      EXPECT_EQ(header->big_endian, known.big_endian);
      EXPECT_EQ(header->fortran_order, fortran);
      EXPECT_EQ(header->shape, (Shape{2, 3}));
      EXPECT_EQ(header->data_offset, static_cast<std::int64_t>(text.size()));
    }
  }
}

TEST(NpyHeader, VersionsOneToThree) {
  for (const int version : {1, 2, 3}) {
    const auto header = parsed(head(dictionary("'<f4'", "False", "(5,)"), version), 20);
    ASSERT_TRUE(header.ok()) << version;
    EXPECT_EQ(header->shape, Shape{5});
  }
}

TEST(NpyHeader, ShapesAsPythonWritesThem) {
  EXPECT_EQ(parsed(head(dictionary("'<f4'", "False", "()")), 4)->shape, Shape{});
  EXPECT_EQ(parsed(head(dictionary("'<f4'", "False", "(0, 7)")), 0)->shape, (Shape{0, 7}));
  EXPECT_EQ(parsed(head(dictionary("'<f4'", "False", "(2L, 3L)")), 24)->shape, (Shape{2, 3}));
  EXPECT_EQ(parsed(head("{ 'shape':(1,2,),'descr':'<f4','fortran_order':False}"), 8)->shape, (Shape{1, 2}));
}

// A malformed header, and a word of the reason.
struct Malformed {
  std::string text;
  std::int64_t data_bytes;
  const char* reason;
};

const std::string kGood = dictionary("'<f4'", "False", "(2,)");

std::vector<Malformed> malformed_files() {
  return {
      {"", 0, "does not begin"},
      {"\x93NUMP", 0, "does not begin"},
      {"PK\x03\x04 and so on", 0, "does not begin"},
      {"\x93NUMPY", 0, "cut off"},
      {std::string("\x93NUMPY\x01", 7), 0, "cut off"},
      {std::string("\x93NUMPY\x01\x00", 8), 0, "cut off"},
      {std::string("\x93NUMPY\x02\x00\x10\x00", 10), 0, "cut off"},
      {head(kGood).substr(0, 40), 0, "cut off"},
      {head(kGood, 4), 8, "version"},
      {head(kGood, 0), 8, "version"},
      {head(kGood, 1, 1), 8, "version"},
      {std::string("\x93NUMPY\x02\x00\xFF\xFF\xFF\xFF", 12) + kGood, 8, "too long"},
      {std::string("\x93NUMPY\x03\x00\x01\x00\x01\x00", 12) + std::string(65537, ' '), 8, "too long"},
      {head(""), 0, "lacks a `{`"},
      {head("{"), 0, "string is expected"},
      {head("{}"), 0, "lacks descr"},
      {head("{'descr': '<f4', 'shape': (2,)}"), 8, "lacks descr"},
      {head("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)"), 8, "lacks a `,`"},
      {head("{'descr' '<f4'}"), 8, "lacks a `:`"},
      {head("{'descr: 4}"), 8, "does not end"},
      {head("{'descr': '<f\\x34', 'fortran_order': False, 'shape': (2,)}"), 8, "escape"},
      {head("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2,)}"), 8, "twice"},
      {head("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'more': 1}"), 8, "unknown key"},
      {head(kGood + "x"), 8, "more after"},
  };
}

std::vector<Malformed> malformed_entries() {
  return {
      {head(dictionary("'<f3'", "False", "(2,)")), 4, "type \"<f3\""},
      {head(dictionary("'<u8'", "False", "(2,)")), 16, "type \"<u8\""},
      {head(dictionary("'<c32'", "False", "(2,)")), 64, "type \"<c32\""},
      {head(dictionary("'|O'", "False", "(2,)")), 16, "type \"|O\""},
      {head(dictionary("'|f4'", "False", "(2,)")), 8, "type \"|f4\""},
      {head(dictionary("'f4'", "False", "(2,)")), 8, "type"},
      {head(dictionary("''", "False", "(2,)")), 8, "type"},
      {head(dictionary("'" + std::string(1000, 'f') + "'", "False", "(2,)")), 8, "type unknown"},
      {head(dictionary("[('a', '<f4')]", "False", "(2,)")), 8, "structures"},
      {head(dictionary("4", "False", "(2,)")), 8, "string is expected"},
      {head(dictionary("'<f4'", "0", "(2,)")), 8, "neither True nor False"},
      {head(dictionary("'<f4'", "'False'", "(2,)")), 8, "neither True nor False"},
      {head(dictionary("'<f4'", "False", "2")), 8, "lacks a `(`"},
      {head(dictionary("'<f4'", "False", "(2)")), 8, "not a tuple"},
      {head(dictionary("'<f4'", "False", "(2 3)")), 24, "lacks a comma"},
      {head(dictionary("'<f4'", "False", "(2,")), 8, "not a number"},
      {head(dictionary("'<f4'", "False", "(,)")), 8, "not a number"},
      {head(dictionary("'<f4'", "False", "(2.0,)")), 8, "lacks a comma"},
      {head(dictionary("'<f4'", "False", "(+2,)")), 8, "not a number"},
      {head(dictionary("'<f4'", "False", "(None,)")), 8, "not a number"},
      {head(dictionary("'<f4'", "False", "(-1,)")), 8, "negative"},
      {head(dictionary("'<f4'", "False", "(-1, -2)")), 8, "negative"},
      {head(dictionary("'<f4'", "False", "(9223372036854775808,)")), 8, "beyond 63 bits"},
      {head(dictionary("'<f4'", "False", "(99999999999999999999999999,)")), 8, "beyond 63 bits"},
      {head(dictionary("'<f4'", "False", "(4611686018427387904,)")), 0, "more bytes than 63 bits"},
      {head(dictionary("'<f8'", "False", "(4294967296, 4294967296)")), 0, "more bytes than 63 bits"},
      {head(dictionary("'<f8'", "False", "(0, 4294967296, 4294967296)")), 0, "more bytes than 63 bits"},
      {head(dictionary("'<f4'", "False", "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)")), 4, "more than 16 dimensions"},
      {head(kGood), 7, "needs 8 bytes of data, but there are 7"},
      {head(kGood), 9, "needs 8 bytes of data, but there are 9"},
      {head(kGood), 0, "there are 0"},
  };
}

void expect_refused(const std::vector<Malformed>& table) {
  for (const Malformed& bad : table) {
    const auto header = parsed(bad.text, bad.data_bytes);
    ASSERT_FALSE(header.ok()) << bad.text;
    EXPECT_EQ(header.errors()[0].kind, Kind::bad_npy);
    EXPECT_THAT(header.errors()[0].message, HasSubstr(bad.reason)) << bad.text;
    EXPECT_THAT(header.errors()[0].message, HasSubstr("\"a.npy\""));
  }
}

// NumPy can make an array of others' elements: the message says which.
TEST(NpyHeader, SaysHowToSaveElementsThatThereAreNot) {
  const std::vector<std::pair<std::string, std::string>> all = {
      {"<u8", "a.astype(\"i8\")"}, {"<f16", "a.astype(\"f8\")"}, {"<c32", "a.astype(\"c16\")"}};
  for (const auto& [descr, instead] : all) {
    const auto result = parsed(head(dictionary("'" + descr + "'", "False", "(2,)")), 8);
    ASSERT_FALSE(result.ok()) << descr;
    EXPECT_NE(result.errors().front().message.find(instead), std::string::npos) << result.errors().front().message;
  }
}

TEST(NpyHeader, EveryMalformedFileIsRefusedWithItsReason) { expect_refused(malformed_files()); }
TEST(NpyHeader, EveryMalformedEntryIsRefusedWithItsReason) { expect_refused(malformed_entries()); }

TEST(NpyHeader, AHeadCutAnywhereIsRefused) {
  const std::string text = head(dictionary("'<f4'", "False", "(2,)"));
  for (std::size_t n = 0; n < text.size(); ++n) {
    EXPECT_FALSE(parse_npy_header(text.substr(0, n), static_cast<std::int64_t>(n), "a.npy").ok());
  }
}

TEST(NpyHeader, WhatIsWrittenReadsBack) {
  for (const ElementType element : {ElementType::boolean, ElementType::i32, ElementType::i64, ElementType::f32,
                                    ElementType::f64, ElementType::f16, ElementType::bf16}) {
    for (const Shape& shape : {Shape{}, Shape{0}, Shape{7}, Shape{2, 3, 4}}) {
      const std::string text = make_npy_header(element, shape);
      EXPECT_EQ(text.size() % 64, 0U);
      const auto header = parsed(text, count(shape) * synth::bytes_of(element));
      ASSERT_TRUE(header.ok());
      EXPECT_EQ(header->element, element);
      EXPECT_EQ(header->shape, shape);
    }
  }
}

}  // namespace
}  // namespace tessera::runtime::test
