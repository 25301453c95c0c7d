// The wishes of all commands while CLI11 fills them in.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "repl/line/estimate_options.hpp"
#include "repl/line/gpu_options.hpp"
#include "repl/line/layout_options.hpp"
#include "repl/line/learn_options.hpp"
#include "repl/line/options.hpp"

namespace tessera::repl {

struct Wishes {
  RunOptions run;
  std::vector<std::string> defines;
  std::string backend = "sim";
  std::string reshard = "silent";
  std::optional<std::string> ranks;
  GpuTexts run_gpu;
  GpuTexts session_gpu;
  GpuTexts worker_gpu;
  GpuTexts calibrate_gpu;
  GpuOptions gpu;
  CheckOptions check;
  FormatOptions format;
  bool format_check = false;
  bool format_write = false;
  ExplainOptions explain;
  PlanOptions plan;
  std::string change;  // of plan and compare: `FROM -> TO`
  ConvertWishes convert;
  CompareOptions compare;
  MoveOptions move;
  PlaceOptions place;
  ChooseOptions choose;
  LearnWishes learn;
  DrawOptions draw;
  CalibrateOptions calibrate;
  EstimateWishes estimate;
  LanguageServerOptions language_server;
};

// All ranks that a command starts run on this machine. More is a slip of the finger, which would stop it.
int ranks_max();

// Adds every command with its options.
void add_commands(CLI::App& app, Wishes& wishes);

}  // namespace tessera::repl
