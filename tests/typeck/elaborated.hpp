// A text as an open program.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "frontend/parse.hpp"
#include "typeck/elaborate/elaborator.hpp"

namespace tessera::typeck {

// Of a text without mistakes.
inline open::Program elaborated(const std::string& text) {
  base::SourceMap sources;
  auto ast = frontend::parse(sources, sources.add("test", text));
  EXPECT_TRUE(ast.ok());
  Messages messages;
  Elaborated made =
      Elaborator(std::make_shared<const frontend::Ast>(std::move(*ast)), sources, {}, {}, {}, messages).run();
  EXPECT_FALSE(messages.failed());
  EXPECT_TRUE(open::verify(made.program).ok());
  return std::move(made.program);
}

}  // namespace tessera::typeck
