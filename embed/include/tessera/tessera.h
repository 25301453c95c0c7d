/* Tessera for C99 and whatever calls C. The verbs of tessera.hpp, which says what they mean; here is how they look in C.

     tessera_session* session = NULL;
     tessera_failure* why = NULL;
     tessera_diagnostic first = TESSERA_DIAGNOSTIC_INIT;
     if (tessera_session_create(NULL, &session, &why) != TESSERA_DONE ||
         tessera_session_run(session, tessera_text_of("let s = sum(iota(f32[10]))\n"), tessera_text_of("demo"), &why) !=
             TESSERA_DONE) {
       if (tessera_failure_at(why, 0, &first) == TESSERA_DONE) fwrite(first.message.data, 1, first.message.length, stderr);
       tessera_failure_destroy(why);
     }
     tessera_session_destroy(session);

   Handles are opaque; what a function gives through a pointer to a handle is the caller's, to be given to the `_destroy` of its
   kind, which takes NULL too. Text is a pointer and a length, UTF-8, and not ended by a zero; text that comes from a handle is
   valid as long as the handle. Structs begin with their own size, so that a program built with an older header goes on working:
   begin with their _INIT, which sets it, or set it with sizeof. Every function that can fail gives a status and, where `why` is not NULL, the diagnostics (NULL on success).
   A NULL where a handle is needed is COMMAND from a function that gives a status; the others need theirs. No function ends the
   process; none throws. Threads: as in tessera.hpp. */
#ifndef TESSERA_TESSERA_H
#define TESSERA_TESSERA_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TESSERA_C_API __attribute__((visibility("default")))

/* Who has to act, where a call has failed. */
typedef enum tessera_status {
  TESSERA_DONE = 0,
  TESSERA_PROGRAM = 1, /* the program is wrong */
  TESSERA_COMMAND = 2, /* the call is wrong */
  TESSERA_WORLD = 3,   /* a file, memory, another rank */
  TESSERA_US = 4       /* a bug of ours; with no diagnostics: not even memory for them was left */
} tessera_status;

typedef enum tessera_element {
  TESSERA_BOOL = 0,
  TESSERA_I32 = 1,
  TESSERA_I64 = 2,
  TESSERA_F32 = 3,
  TESSERA_F64 = 4,
  TESSERA_F16 = 5,  /* stored in 16 bits: IEEE's */
  TESSERA_BF16 = 6, /* the upper half of an f32 */
  TESSERA_I8 = 7,   /* these five are stored, too; arithmetic takes them as TESSERA_I64 */
  TESSERA_U8 = 8,
  TESSERA_I16 = 9,
  TESSERA_U16 = 10,
  TESSERA_U32 = 11,
  TESSERA_C64 = 12, /* complex: two f32, the real part first */
  TESSERA_C128 = 13 /* two f64 */
} tessera_element;

typedef enum tessera_files {
  TESSERA_FILES_NONE = 0,
  TESSERA_FILES_ALLOWED = 1,
  TESSERA_FILES_ROOTED = 2,
  TESSERA_FILES_HOST = 3 /* what `open_file` opens */
} tessera_files;

/* What a file is opened for; tessera/files.hpp says more. */
typedef enum tessera_file_use { TESSERA_FILE_READ = 0, TESSERA_FILE_CREATE = 1, TESSERA_FILE_JOIN = 2 } tessera_file_use;

typedef struct tessera_session tessera_session;
typedef struct tessera_array tessera_array;
typedef struct tessera_function tessera_function;
typedef struct tessera_failure tessera_failure;
typedef struct tessera_stop_token tessera_stop_token;

typedef struct tessera_text {
  const char* data;
  size_t length;
} tessera_text;

static inline tessera_text tessera_text_of(const char* ended_by_zero) {
  tessera_text text;
  text.data = ended_by_zero;
  text.length = strlen(ended_by_zero);
  return text;
}

typedef struct tessera_diagnostic {
  size_t size;
  int severity; /* 0 note, 1 warning, 2 error */
  tessera_status blame;
  tessera_text slug;
  tessera_text message;
  tessera_text help;
  tessera_text file; /* of the primary label; line 0 where no text is to blame */
  uint32_t line;
  uint32_t column;
  uint32_t length;
} tessera_diagnostic;

/* One to be filled. These name every member, so that no compiler warns of those that are left out. */
#define TESSERA_DIAGNOSTIC_INIT \
  { sizeof(tessera_diagnostic), 0, TESSERA_DONE, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, 0, 0, 0 }

/* TESSERA_CONFIG_INIT is a configuration, zero but for its size: no output, no files, no limit. Negative limits, and a time
   that is no number, are refused by tessera_session_create. tessera.hpp says what goes beyond each. */
typedef struct tessera_config {
  size_t size;
  void* context; /* given to the functions */
  void (*output)(void* context, tessera_text text);
  void (*log)(void* context, const tessera_diagnostic* diagnostic);
  double (*clock)(void* context);
  tessera_files files;
  tessera_text files_root;
  int64_t memory_bytes_max;
  const tessera_stop_token* stop;
  int64_t text_bytes_max; /* of one text; 16 MiB at most, which is also what 0 means */
  /* With TESSERA_FILES_HOST: a descriptor, which the library closes, or an error of errno.h, negated. */
  int (*open_file)(void* context, tessera_text name, tessera_file_use use);
  int64_t nesting_max;      /* brackets, operators and keywords open at once */
  int64_t devices_max;      /* of a mesh that a text declares */
  int64_t steps_max;        /* that a run takes on devices */
  int64_t output_bytes_max; /* that a run gives to `output` */
  double seconds_max;       /* of run, tessera_session_function and tessera_function_call, each */
  tessera_text gpus;        /* `all`, or numbers, `0,2`; empty: processors */
  int64_t gpu_memory;       /* bytes that a run may take of each; 0: nine tenths of what is free */
  int64_t ordered_products; /* not 0: large products of floats have the same bits on every machine */
} tessera_config;

#define TESSERA_CONFIG_INIT \
  {sizeof(tessera_config),  \
   NULL,                    \
   NULL,                    \
   NULL,                    \
   NULL,                    \
   TESSERA_FILES_NONE,      \
   {NULL, 0},               \
   0,                       \
   NULL,                    \
   0,                       \
   NULL,                    \
   0,                       \
   0,                       \
   0,                       \
   0,                       \
   0.0,                     \
   {NULL, 0},               \
   0,                       \
   0}

/* Memory of the host's: one stride in bytes for each dimension, or NULL where it is row-major and dense. */
typedef struct tessera_memory {
  const void* data;
  const int64_t* strides_bytes;
  size_t strides;
} tessera_memory;

#define TESSERA_RANK_MAX 16

/* A device's tile in place; valid as long as the array. */
typedef struct tessera_view {
  size_t size;
  const void* data;
  int32_t rank;
  int64_t begin[TESSERA_RANK_MAX]; /* of the tile, in the whole array */
  int64_t shape[TESSERA_RANK_MAX];
  int64_t strides_bytes[TESSERA_RANK_MAX];
} tessera_view;

#define TESSERA_VIEW_INIT \
  { sizeof(tessera_view), NULL, 0, {0}, {0}, {0} }

/* Grows when a function or a field is added. */
#define TESSERA_ABI_VERSION 2
TESSERA_C_API uint32_t tessera_abi_version(void);
TESSERA_C_API tessera_text tessera_version(void);

TESSERA_C_API size_t tessera_failure_count(const tessera_failure* failure);
/* Fills `diagnostic`, whose size is set. COMMAND where there is no such. */
TESSERA_C_API tessera_status tessera_failure_at(const tessera_failure* failure, size_t index, tessera_diagnostic* diagnostic);
TESSERA_C_API void tessera_failure_destroy(tessera_failure* failure);

TESSERA_C_API tessera_status tessera_stop_token_create(tessera_stop_token** token);
TESSERA_C_API void tessera_stop_token_stop(tessera_stop_token* token); /* from any thread, or a signal handler */
TESSERA_C_API void tessera_stop_token_destroy(tessera_stop_token* token); /* sessions that have it keep what they need */

/* Without a configuration: one of zeros. */
TESSERA_C_API tessera_status tessera_session_create(const tessera_config* config, tessera_session** session,
                                                    tessera_failure** why);
TESSERA_C_API void tessera_session_destroy(tessera_session* session);
TESSERA_C_API tessera_status tessera_session_fork(const tessera_session* session, tessera_session** fork,
                                                  tessera_failure** why);
TESSERA_C_API tessera_status tessera_session_run(tessera_session* session, tessera_text text, tessera_text name,
                                                 tessera_failure** why);
TESSERA_C_API void tessera_session_stop(tessera_session* session); /* from any thread, or a signal handler */
TESSERA_C_API tessera_status tessera_session_get(const tessera_session* session, tessera_text name, tessera_array** array,
                                                 tessera_failure** why);
TESSERA_C_API tessera_status tessera_session_set(tessera_session* session, tessera_text name, const tessera_array* array,
                                                 tessera_failure** why);
/* One memory for each device's tile; `release(context)` is called when nothing reads the memory any more, on whatever thread lets
   go of it last, and also where the call fails. */
TESSERA_C_API tessera_status tessera_session_borrow(tessera_session* session, tessera_text type, const tessera_memory* tiles,
                                                    size_t tile_count, void (*release)(void* context), void* context,
                                                    tessera_array** array, tessera_failure** why);
/* The same from one buffer that holds the whole array. */
TESSERA_C_API tessera_status tessera_session_array(tessera_session* session, tessera_text type, const tessera_memory* whole,
                                                   void (*release)(void* context), void* context, tessera_array** array,
                                                   tessera_failure** why);
TESSERA_C_API tessera_status tessera_session_function(tessera_session* session, tessera_text name, const tessera_text* types,
                                                      size_t type_count, tessera_function** function, tessera_failure** why);

/* The arrays that a call takes and gives: each field of a record is one. */
TESSERA_C_API size_t tessera_function_parameters(const tessera_function* function);
TESSERA_C_API size_t tessera_function_results(const tessera_function* function);
/* Empty where there is no such. */
TESSERA_C_API tessera_text tessera_function_parameter_type(const tessera_function* function, size_t index);
TESSERA_C_API tessera_text tessera_function_result_type(const tessera_function* function, size_t index);
/* From several threads at the same time. `results` has room for tessera_function_results() of them. */
TESSERA_C_API tessera_status tessera_function_call(const tessera_function* function, const tessera_array* const* arguments,
                                                   size_t argument_count, tessera_array** results, tessera_failure** why);
/* The same until the token, which is this call's alone, is asked to stop; NULL: as above. */
TESSERA_C_API tessera_status tessera_function_call_until(const tessera_function* function, const tessera_array* const* arguments,
                                                         size_t argument_count, const tessera_stop_token* stop,
                                                         tessera_array** results, tessera_failure** why);
TESSERA_C_API void tessera_function_destroy(tessera_function* function);

TESSERA_C_API tessera_text tessera_array_type(const tessera_array* array);
TESSERA_C_API tessera_element tessera_array_element(const tessera_array* array);
TESSERA_C_API int32_t tessera_array_rank(const tessera_array* array);
TESSERA_C_API const int64_t* tessera_array_shape(const tessera_array* array);
TESSERA_C_API int64_t tessera_array_devices(const tessera_array* array);
TESSERA_C_API int tessera_array_borrowed(const tessera_array* array);
TESSERA_C_API tessera_status tessera_array_view(const tessera_array* array, int64_t device, tessera_view* view,
                                                tessera_failure** why);
/* As many strides as dimensions; NULL: row-major and dense. */
TESSERA_C_API tessera_status tessera_array_copy_to(const tessera_array* array, void* data, const int64_t* strides_bytes,
                                                   tessera_failure** why);
TESSERA_C_API void tessera_array_destroy(tessera_array* array);

#ifdef __cplusplus
}
#endif

#endif
