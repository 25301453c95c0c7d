// Options that say on which GPUs programs run.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "repl/line/options.hpp"

namespace tessera::repl {

// What CLI11 fills in; finished_gpus makes wishes of it.
struct GpuTexts {
  std::string gpus;
  std::string memory;
  std::string products = "blas";
};

void add_gpu_options(CLI::App* command, GpuTexts& texts);
// --gpu alone.
void add_gpu_list(CLI::App* command, GpuTexts& texts, const std::string& help);
// The wishes, or what is wrong with the texts.
std::optional<std::string> finished_gpus(const GpuTexts& texts, GpuWishes& wishes);
// The words of a command line, in which `--gpu` without a list behind it has become `--gpu all`: the word behind it may
// be a script.
std::vector<std::string> with_gpu_lists(int count, const char* const* words);
// The configuration of sessions that run on them, or as TESSERA_GPU says where no option does.
Config on_gpus(Config config, const GpuWishes& wishes);
// The options again, for a process that is started.
std::vector<std::string> words_of(const GpuWishes& wishes);

}  // namespace tessera::repl
