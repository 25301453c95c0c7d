/* A BLAS with the soname of OpenBLAS, as a host may have it: counts what it is asked to compute. */
static int threads = 7;
static int calls = 0;
int openblas_get_num_threads(void) { return threads; }
void openblas_set_num_threads(int wanted) { threads = wanted; }
int openblas_get_parallel(void) { return 1; }
char* openblas_get_corename(void) { return "StandIn"; }
void cblas_sgemm(void) { ++calls; }
void cblas_dgemm(void) { ++calls; }
void cblas_ssyrk(void) { ++calls; }
void cblas_dsyrk(void) { ++calls; }
void* blas_memory_alloc(int kind) {
  ++calls;
  return (char*)0 + kind;
}
void blas_memory_free(void* buffer) { calls += buffer != 0; }
int stand_in_calls(void) { return calls; }
