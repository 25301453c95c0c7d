// The heads of .safetensors files, and of the indices of several:
//
//   {"__metadata__": {"format": "pt"}, "h.0.w": {"dtype": "F32", "shape": [6, 4], "data_offsets": [0, 96]}, ...}
//   {"metadata": {"total_size": 96}, "weight_map": {"h.0.w": "model-00001.safetensors", ...}}
//
// Functions of this header throw BadHead where a head is no account of its file; stored.cpp and frame.cpp catch it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "synth/layout/array_type.hpp"

namespace tessera::runtime {

// The name that no tensor can have.
inline constexpr std::string_view kTensorMetadata = "__metadata__";

// Element types as these files name them, widest first; those that have no `element` are none of ours.
struct TensorElement {
  std::string_view name;
  std::int64_t bytes;
  std::optional<synth::ElementType> element;
};
const TensorElement* find_tensor_element(std::string_view name);
const TensorElement& tensor_element(synth::ElementType element);

struct Tensor {
  std::string dtype;
  std::vector<std::int64_t> shape;
  std::int64_t begin = 0;  // of its bytes, from the head's end on
  std::int64_t end = 0;
};

struct TensorHead {
  std::map<std::string, Tensor> tensors;
  std::string metadata;  // as it is written; empty where there is none
};
// `data_bytes` are there behind the head, and the tensors have to fill them: no gaps, none over another.
TensorHead read_tensor_head(std::string_view json, std::int64_t data_bytes);
// The first bytes of a file with these tensors: the head's length, the head, and blanks up to a multiple of 8.
std::string print_tensor_head(const TensorHead& head);

struct TensorIndex {
  std::map<std::string, std::string> files;     // of every array
  std::map<std::string, std::string> metadata;  // values as they are written
  std::int64_t total_bytes = 0;                 // `total_size` of the metadata
};
TensorIndex read_tensor_index(std::string_view json);
std::string print_tensor_index(const TensorIndex& index);

}  // namespace tessera::runtime
