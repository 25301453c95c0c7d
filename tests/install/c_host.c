/* Every function of tessera.h from C99: what it gives, what it fails with, and what it lets go of. */
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tessera/tessera.h>
#include <unistd.h>

static int failures = 0;
static void expect(int good, const char* what, int line) {
  if (good) return;
  printf("line %d: %s\n", line, what);
  ++failures;
}
#define EXPECT(condition) expect((condition) != 0, #condition, __LINE__)

static int is(tessera_text text, const char* wanted) {
  return text.length == strlen(wanted) && memcmp(text.data, wanted, text.length) == 0;
}

typedef struct host {
  char file[32]; /* that programs may open */
  char written[256];
  size_t length;
  int logged;
  int released;
} host;

static void write_out(void* context, tessera_text text) {
  host* to = context;
  if (to->length + text.length > sizeof to->written) return;
  memcpy(to->written + to->length, text.data, text.length);
  to->length += text.length;
}
static void log_out(void* context, const tessera_diagnostic* diagnostic) {
  ((host*)context)->logged += diagnostic->message.length > 0;
}
static double clock_of(void* context) {
  (void)context;
  return 1;
}
static int open_file(void* context, tessera_text name, tessera_file_use use) {
  if (!is(name, "ours.npy")) return -ENOENT;
  return open(((host*)context)->file, use == TESSERA_FILE_READ ? O_RDONLY : O_WRONLY);
}
static void release(void* context) { ++((host*)context)->released; }

/* Ends the failure, and says if its first diagnostic has this slug. */
static int fails_with(tessera_failure* why, const char* slug) {
  tessera_diagnostic first;
  int good = 0;
  memset(&first, 0, sizeof first);
  first.size = sizeof first;
  if (tessera_failure_count(why) > 0 && tessera_failure_at(why, 0, &first) == TESSERA_DONE) good = is(first.slug, slug);
  tessera_failure_destroy(why);
  return good;
}

static void test_errors(tessera_session* session) {
  tessera_failure* why = NULL;
  tessera_array* array = NULL;
  tessera_diagnostic first;
  EXPECT(tessera_session_run(session, tessera_text_of("let a = 1\nlet b = oops\n"), tessera_text_of("t"), &why) == TESSERA_PROGRAM);
  memset(&first, 7, sizeof first);
  first.size = sizeof first;
  EXPECT(tessera_failure_at(why, 0, &first) == TESSERA_DONE);
  EXPECT(first.line == 2 && first.column == 9 && first.length == 4 && is(first.file, "t") && first.severity == 2);
  EXPECT(first.blame == TESSERA_PROGRAM && first.message.length > 0);
  /* An older header's struct ends earlier; what is behind it stays. */
  memset(&first, 7, sizeof first);
  first.size = offsetof(tessera_diagnostic, help);
  EXPECT(tessera_failure_at(why, 0, &first) == TESSERA_DONE && first.line == 0x07070707U);
  EXPECT(first.size == offsetof(tessera_diagnostic, help));
  EXPECT(tessera_failure_at(why, 99, &first) == TESSERA_COMMAND);
  tessera_failure_destroy(why);
  EXPECT(tessera_session_get(session, tessera_text_of("nobody"), &array, &why) == TESSERA_COMMAND && fails_with(why, "bad-call"));
  EXPECT(tessera_session_get(session, tessera_text_of("nobody"), &array, NULL) == TESSERA_COMMAND);
  EXPECT(tessera_session_run(NULL, tessera_text_of("let a = 1\n"), tessera_text_of("t"), &why) == TESSERA_COMMAND && fails_with(why, "bad-call"));
  EXPECT(tessera_session_get(session, tessera_text_of("held"), NULL, &why) == TESSERA_COMMAND && fails_with(why, "bad-call"));
  EXPECT(tessera_array_copy_to(NULL, &first, NULL, &why) == TESSERA_COMMAND && fails_with(why, "bad-call"));
  EXPECT(tessera_session_borrow(session, tessera_text_of("f32[4]"), NULL, 1, NULL, NULL, &array, &why) == TESSERA_COMMAND &&
         fails_with(why, "bad-call"));
  tessera_failure_destroy(NULL);
  tessera_array_destroy(NULL);
}

static void test_arrays(tessera_session* session, host* own) {
  static const float values[6] = {0, 1, 2, 3, 4, 5};
  static const int64_t by_column[2] = {4, 12};
  tessera_memory whole = {values, NULL, 0};
  tessera_memory tiles[2] = {{values, NULL, 0}, {values + 2, NULL, 0}};
  tessera_array* array = NULL;
  tessera_array* borrowed = NULL;
  tessera_failure* why = NULL;
  tessera_view view;
  float out[6] = {0};
  own->released = 0;
  EXPECT(tessera_session_array(session, tessera_text_of("f32[3@x, 2]"), &whole, release, own, &array, &why) == TESSERA_DONE);
  EXPECT(is(tessera_array_type(array), "f32[3@x, 2]") && tessera_array_element(array) == TESSERA_F32);
  EXPECT(tessera_array_rank(array) == 2 && tessera_array_shape(array)[0] == 3 && tessera_array_devices(array) == 2);
  EXPECT(tessera_array_borrowed(array) == 1);
  memset(&view, 0, sizeof view);
  view.size = sizeof view;
  EXPECT(tessera_array_view(array, 1, &view, &why) == TESSERA_DONE);
  EXPECT(view.data == values + 2 && view.rank == 2 && view.begin[0] == 1 && view.shape[0] == 2 && view.strides_bytes[0] == 8);
  EXPECT(tessera_array_view(array, 2, &view, &why) == TESSERA_COMMAND && fails_with(why, "bad-call"));
  EXPECT(tessera_array_copy_to(array, out, by_column, &why) == TESSERA_DONE && out[1] == 2 && out[3] == 1);
  EXPECT(tessera_array_copy_to(array, out, NULL, &why) == TESSERA_DONE && memcmp(out, values, sizeof out) == 0);
  EXPECT(tessera_session_set(session, tessera_text_of("held"), array, &why) == TESSERA_DONE);
  EXPECT(tessera_session_set(session, tessera_text_of("let"), array, &why) == TESSERA_COMMAND && fails_with(why, "bad-call"));
  tessera_array_destroy(array);
  EXPECT(own->released == 0);
  EXPECT(tessera_session_run(session, tessera_text_of("let held = 0\n"), tessera_text_of("t"), &why) == TESSERA_DONE);
  EXPECT(own->released == 1);
  EXPECT(tessera_session_borrow(session, tessera_text_of("f32[5@x]"), tiles, 2, release, own, &borrowed, &why) == TESSERA_DONE);
  EXPECT(tessera_array_copy_to(borrowed, out, NULL, &why) == TESSERA_DONE && out[2] == 2 && out[4] == 4);
  tessera_array_destroy(borrowed);
  EXPECT(own->released == 2);
  EXPECT(tessera_session_borrow(session, tessera_text_of("f32[5@x]"), tiles, 1, release, own, &borrowed, &why) == TESSERA_COMMAND);
  EXPECT(fails_with(why, "bad-call") && own->released == 3);
  EXPECT(tessera_session_array(NULL, tessera_text_of("f32[6]"), &whole, release, own, &borrowed, &why) == TESSERA_COMMAND);
  EXPECT(fails_with(why, "bad-call") && own->released == 4);
}

/* A function of one argument and two results, under tokens of one call. */
static void test_stopping_a_call(const tessera_function* function, const tessera_array* array) {
  tessera_stop_token* token = NULL;
  tessera_failure* why = NULL;
  tessera_array* results[2] = {NULL, NULL};
  EXPECT(tessera_stop_token_create(&token) == TESSERA_DONE);
  EXPECT(tessera_function_call_until(function, &array, 1, token, results, &why) == TESSERA_DONE);
  tessera_array_destroy(results[0]);
  tessera_array_destroy(results[1]);
  tessera_stop_token_stop(token);
  EXPECT(tessera_function_call_until(function, &array, 1, token, results, &why) != TESSERA_DONE);
  EXPECT(fails_with(why, "interrupted"));
  EXPECT(tessera_function_call_until(function, &array, 1, NULL, results, &why) == TESSERA_DONE);
  tessera_array_destroy(results[0]);
  tessera_array_destroy(results[1]);
  tessera_stop_token_destroy(token);
}

static void test_functions(tessera_session* session) {
  static const float values[4] = {1, 2, 3, 4};
  const tessera_memory whole = {values, NULL, 0};
  const tessera_text types[1] = {{"f32[4@x]", 8}};
  tessera_function* function = NULL;
  tessera_array* array = NULL;
  tessera_array* results[2] = {NULL, NULL};
  tessera_failure* why = NULL;
  float out[4] = {0};
  EXPECT(tessera_session_run(session, tessera_text_of("fn f(a: f32[n@x]) = (a + 1.0, sum(a))\n"), tessera_text_of("t"), &why) ==
         TESSERA_DONE);
  EXPECT(tessera_session_function(session, tessera_text_of("f"), NULL, 0, &function, &why) == TESSERA_COMMAND);
  EXPECT(fails_with(why, "bad-call"));
  EXPECT(tessera_session_function(session, tessera_text_of("f"), types, 1, &function, &why) == TESSERA_DONE);
  EXPECT(tessera_function_parameters(function) == 1 && tessera_function_results(function) == 2);
  EXPECT(is(tessera_function_parameter_type(function, 0), "f32[4@x]") && is(tessera_function_result_type(function, 1), "f32{+x}"));
  EXPECT(tessera_function_result_type(function, 2).length == 0);
  EXPECT(tessera_session_array(session, types[0], &whole, NULL, NULL, &array, &why) == TESSERA_DONE);
  EXPECT(tessera_function_call(function, (const tessera_array* const*)&array, 1, results, &why) == TESSERA_DONE);
  EXPECT(tessera_array_copy_to(results[0], out, NULL, &why) == TESSERA_DONE && out[0] == 2 && out[3] == 5);
  EXPECT(tessera_array_copy_to(results[1], out, NULL, &why) == TESSERA_DONE && out[0] == 10);
  EXPECT(tessera_function_call(function, (const tessera_array* const*)&results[1], 1, results, &why) == TESSERA_COMMAND);
  EXPECT(fails_with(why, "bad-call"));
  tessera_array_destroy(results[0]);
  tessera_array_destroy(results[1]);
  test_stopping_a_call(function, array);
  tessera_array_destroy(array);
  tessera_function_destroy(function);
}

static void test_stopping(void) {
  tessera_config config;
  tessera_stop_token* token = NULL;
  tessera_session* session = NULL;
  tessera_failure* why = NULL;
  memset(&config, 0, sizeof config);
  config.size = sizeof config;
  EXPECT(tessera_stop_token_create(&token) == TESSERA_DONE);
  config.stop = token;
  EXPECT(tessera_session_create(&config, &session, &why) == TESSERA_DONE);
  EXPECT(tessera_session_run(session, tessera_text_of("let a = 1\n"), tessera_text_of("t"), &why) == TESSERA_DONE);
  tessera_stop_token_stop(token);
  tessera_stop_token_destroy(token);
  EXPECT(tessera_session_run(session, tessera_text_of("let b = 1\n"), tessera_text_of("t"), &why) != TESSERA_DONE);
  EXPECT(fails_with(why, "interrupted"));
  tessera_session_destroy(session);
}

/* Does the text fail with the slug, and is the next one run? */
static int is_refused(tessera_session* session, const char* text, const char* slug) {
  tessera_failure* why = NULL;
  if (tessera_session_run(session, tessera_text_of(text), tessera_text_of("t"), &why) == TESSERA_DONE) return 0;
  return fails_with(why, slug) &&
         tessera_session_run(session, tessera_text_of("let after = 1\n"), tessera_text_of("t"), NULL) == TESSERA_DONE;
}

static void test_limits(host* own) {
  tessera_config config;
  tessera_session* session = NULL;
  tessera_failure* why = NULL;
  int made;
  memset(&config, 0, sizeof config);
  config.size = sizeof config;
  config.context = own;
  config.output = write_out;
  config.memory_bytes_max = 1 << 20;
  config.text_bytes_max = 100;
  config.nesting_max = 8;
  config.devices_max = 4;
  config.steps_max = 1000000;
  config.output_bytes_max = 10;
  config.seconds_max = 1;
  config.files = TESSERA_FILES_HOST;
  config.open_file = open_file;
  strcpy(own->file, "/tmp/tessera-c-XXXXXX");
  made = mkstemp(own->file);
  EXPECT(made >= 0 && close(made) == 0);
  EXPECT(tessera_session_create(&config, &session, &why) == TESSERA_DONE);
  EXPECT(is_refused(session, "let a = iota(f32[1000000])\n", "out-of-memory-plan"));
  EXPECT(is_refused(session, "let a = 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1", "bad-call"));
  EXPECT(is_refused(session, "let a = ((((((((((1))))))))))\n", "nested-too-deeply"));
  EXPECT(is_refused(session, "mesh m = [x: 5]\n", "too-many-devices"));
  EXPECT(is_refused(session, "print \"more than ten bytes\"\n", "too-much-output"));
  EXPECT(is_refused(session, "let a = loop w = 0.0 for i < 1000000000 { sum(ones(f32[100000])) }\n", "over-time"));
  EXPECT(is_refused(session, "save([1.0], \"theirs.npy\")\n", "file-not-allowed"));
  EXPECT(tessera_session_run(session, tessera_text_of("save([7, 8], \"ours.npy\")\n"), tessera_text_of("t"), &why) == TESSERA_DONE);
  EXPECT(tessera_session_run(session, tessera_text_of("let b = load(\"ours.npy\", i64[_])\nassert b[1] == 8\n"), tessera_text_of("t"),
                             &why) == TESSERA_DONE);
  tessera_failure_destroy(why);
  tessera_session_destroy(session);
  unlink(own->file);
  config.seconds_max = 0;
  config.steps_max = 100;
  EXPECT(tessera_session_create(&config, &session, &why) == TESSERA_DONE);
  EXPECT(is_refused(session, "let a = loop w = 0.0 for i < 1000 { w + 1.0 }\n", "too-many-steps"));
  tessera_session_destroy(session);
}

int main(void) {
  host own;
  tessera_config config;
  tessera_session* session = NULL;
  tessera_session* fork = NULL;
  tessera_failure* why = NULL;
  memset(&own, 0, sizeof own);
  memset(&config, 0, sizeof config);
  config.size = sizeof config;
  config.context = &own;
  config.output = write_out;
  config.log = log_out;
  config.clock = clock_of;
  EXPECT(tessera_abi_version() == TESSERA_ABI_VERSION);
  EXPECT(tessera_version().length > 0);
  EXPECT(tessera_session_create(&config, &session, &why) == TESSERA_DONE && why == NULL);
  EXPECT(tessera_session_run(session, tessera_text_of("mesh m = [x: 2]\nprint 7\n"), tessera_text_of("t"), &why) == TESSERA_DONE);
  EXPECT(own.length == 2 && memcmp(own.written, "7\n", 2) == 0);
  tessera_session_stop(session);
  test_errors(session);
  test_arrays(session, &own);
  test_functions(session);
  EXPECT(tessera_session_fork(session, &fork, &why) == TESSERA_DONE);
  tessera_session_destroy(session);
  EXPECT(tessera_session_run(fork, tessera_text_of("print 8\n"), tessera_text_of("t"), &why) == TESSERA_DONE);
  tessera_session_destroy(fork);
  test_stopping();
  test_limits(&own);
  config.files = (tessera_files)9;
  EXPECT(tessera_session_create(&config, &session, &why) == TESSERA_COMMAND && fails_with(why, "bad-call"));
  return failures == 0 ? 0 : 1;
}
