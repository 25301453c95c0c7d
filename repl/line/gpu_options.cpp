#include "repl/line/gpu_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "tessera/tessera.hpp"
#include "tessera/units.hpp"

namespace tessera::repl {

namespace {

constexpr std::string_view kOption = "--gpu";

bool is_list(std::string_view word) {
  if (word == "all" || word == "off") return true;
  const bool has_ends = !word.empty() && word.front() != ',' && word.back() != ',';
  return has_ends && std::all_of(word.begin(), word.end(), [](char c) { return c == ',' || (c >= '0' && c <= '9'); });
}

}  // namespace

void add_gpu_list(CLI::App* command, GpuTexts& texts, const std::string& help) {
  command->add_option("--gpu", texts.gpus, help)->type_name("[LIST]");
}

void add_gpu_options(CLI::App* command, GpuTexts& texts) {
  add_gpu_list(command, texts, "run on GPUs: all, or those of the list, 0,2");
  command->add_option("--gpu-memory", texts.memory, "the most bytes to take of each GPU: 64GiB (9/10 of what is free)")
      ->type_name("SIZE");
  command
      ->add_option(
          "--products", texts.products,
          "large products of floats: by a BLAS, ordered, with the same bits on every machine, or tf32, faster on GPUs")
      ->type_name("HOW")
      ->check(CLI::IsMember({"blas", "ordered", "tf32"}).description(""));
}

std::optional<std::string> finished_gpus(const GpuTexts& texts, GpuWishes& wishes) {
  wishes.gpus = texts.gpus;
  if (!texts.gpus.empty() && !is_list(texts.gpus)) {
    return fmt::format("`{}` are no GPUs\n  help: --gpu, --gpu 0,2 or --gpu off; tessera gpu lists them", texts.gpus);
  }
  if (texts.products == "ordered") wishes.products = Products::ordered;
  if (texts.products == "tf32") wishes.products = Products::tf32;
  if (texts.memory.empty()) return std::nullopt;
  const auto size = parse_size(texts.memory);
  if (!size || *size <= 0) return fmt::format("--gpu-memory needs a size, such as 64GiB, not `{}`", texts.memory);
  wishes.memory_bytes = *size;
  return std::nullopt;
}

std::vector<std::string> with_gpu_lists(int count, const char* const* words) {
  std::vector<std::string> result;
  for (int i = 0; i < count; ++i) {
    result.emplace_back(words[i]);
    const bool has_list = i + 1 < count && is_list(words[i + 1]);
    if (words[i] == kOption && !has_list) result.emplace_back("all");
  }
  return result;
}

Config on_gpus(Config config, const GpuWishes& wishes) {
  config.gpus = wishes.gpus;
  const char* const usual = std::getenv("TESSERA_GPU");
  if (config.gpus.empty() && usual != nullptr) config.gpus = usual;
  if (config.gpus == "off") config.gpus.clear();
  config.gpu_memory = wishes.memory_bytes;
  config.products = wishes.products;
  return config;
}

std::vector<std::string> words_of(const GpuWishes& wishes) {
  std::vector<std::string> words;
  if (!wishes.gpus.empty()) words.insert(words.end(), {"--gpu", wishes.gpus});
  if (wishes.memory_bytes > 0) words.insert(words.end(), {"--gpu-memory", std::to_string(wishes.memory_bytes)});
  if (wishes.products == Products::ordered) words.insert(words.end(), {"--products", "ordered"});
  if (wishes.products == Products::tf32) words.insert(words.end(), {"--products", "tf32"});
  return words;
}

}  // namespace tessera::repl
