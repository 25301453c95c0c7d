#include "base/quoted.hpp"

#include <gtest/gtest.h>

namespace tessera::base {
namespace {

TEST(ExampleOf, Quoted) {
  EXPECT_EQ(json_quoted("\t\xff"), "\"\\u0009\xEF\xBF\xBD\"");
  EXPECT_EQ(hex_quoted("\t\xff"), R"("\x09\xff")");
}

TEST(Quoted, WhatBothHaveInCommon) {
  for (const auto quoted : {json_quoted, hex_quoted}) {
    EXPECT_EQ(quoted(""), R"("")");
    EXPECT_EQ(quoted("a \"b\" c:\\d\ne\xC3\xA9"), "\"a \\\"b\\\" c:\\\\d\\ne\xC3\xA9\"");
  }
}

}  // namespace
}  // namespace tessera::base
