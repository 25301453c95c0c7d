// The functions of NVIDIA's compiler (NVRTC) that we call, as a table like that of the driver.
#pragma once

#include <cstddef>

namespace tessera::device {

#define TESSERA_NVRTC_FUNCTIONS(FOREACH)                                                                \
  FOREACH(version, nvrtcVersion, (int* major, int* minor))                                              \
  FOREACH(new_program, nvrtcCreateProgram,                                                              \
          (void** program, const char* source, const char* name, int count, const char* const* headers, \
           const char* const* names))                                                                   \
  FOREACH(end_program, nvrtcDestroyProgram, (void** program))                                           \
  FOREACH(compile, nvrtcCompileProgram, (void* program, int count, const char* const* options))         \
  FOREACH(log_size, nvrtcGetProgramLogSize, (void* program, std::size_t* bytes))                        \
  FOREACH(log, nvrtcGetProgramLog, (void* program, char* text))                                         \
  FOREACH(code_size, nvrtcGetCUBINSize, (void* program, std::size_t* bytes))                            \
  FOREACH(code, nvrtcGetCUBIN, (void* program, char* code))

struct NvrtcCalls {
#define MEMBER(member, symbol, parameters) int(*member) parameters = nullptr;
  TESSERA_NVRTC_FUNCTIONS(MEMBER)
#undef MEMBER
};

}  // namespace tessera::device
