// Conjugate gradients for the potential of two charges on a square of grounded metal, by hand: what
// examples/programs/conjugate_gradients.tess is measured beside (solver.py). The rows are dealt to the ranks; a turn
// exchanges the rows at their borders and adds up two numbers.
//
//     mpirun -np 2 solver 1024 200        the square's side, and so many turns
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks;
static long side, first, rows;

static double *field(void) { return calloc((size_t)((rows + 2) * (side + 2)), sizeof(double)); }

static double all(double own) {
  double sum;
  MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

// The rows above and below those of this rank, as the neighbours have them; the square's own border stays 0.
static void exchange(double *u) {
  const long width = side + 2;
  const int above = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  const int below = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
  MPI_Sendrecv(u + width, (int)width, MPI_DOUBLE, above, 0, u + (rows + 1) * width, (int)width, MPI_DOUBLE, below, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(u + rows * width, (int)width, MPI_DOUBLE, below, 1, u, (int)width, MPI_DOUBLE, above, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
}

// q becomes the stencil of p; returns the sum of p * q.
static double stencil(const double *restrict p, double *restrict q) {
  const long width = side + 2;
  double sum = 0;
  for (long i = 1; i <= rows; ++i) {
    const double *row = p + i * width;
    double *out = q + i * width;
    for (long j = 1; j <= side; ++j)
      out[j] = 4.0 * row[j] - row[j - width] - row[j + width] - row[j - 1] - row[j + 1];
    for (long j = 1; j <= side; ++j) sum += row[j] * out[j];
  }
  return all(sum);
}

// u and r go a step on; returns the sum of r * r.
static double go(double step, const double *restrict p, const double *restrict q, double *restrict u,
                 double *restrict r) {
  const long width = side + 2;
  double sum = 0;
  for (long i = 1; i <= rows; ++i) {
    const long at = i * width;
    for (long j = at + 1; j <= at + side; ++j) {
      u[j] += step * p[j];
      r[j] -= step * q[j];
      sum += r[j] * r[j];
    }
  }
  return all(sum);
}

static void turn_to(double part, const double *restrict r, double *restrict p) {
  const long width = side + 2;
  for (long i = 1; i <= rows; ++i) {
    for (long j = i * width + 1; j <= i * width + side; ++j) p[j] = r[j] + part * p[j];
  }
}

static void charge(double *b, long row, long column, double value) {
  if (row >= first && row < first + rows) b[(row - first + 1) * (side + 2) + column + 1] = value;
}

int main(int argc, char **argv) {
  if (argc != 3) return fprintf(stderr, "solver SIDE TURNS\n"), 2;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  side = atol(argv[1]);
  const long turns = atol(argv[2]);
  first = side * rank / ranks;
  rows = side * (rank + 1) / ranks - first;
  double *u = field(), *r = field(), *p = field(), *q = field();
  charge(r, side / 4, side / 4, 1.0);
  charge(r, 3 * side / 4, 3 * side / 4, -1.0);
  memcpy(p, r, (size_t)((rows + 2) * (side + 2)) * sizeof(double));
  double size = 2.0;
  for (long turn = 0; turn < turns; ++turn) {
    exchange(p);
    const double step = size / stencil(p, q);
    const double less = go(step, p, q, u, r);
    turn_to(less / size, r, p);
    size = less;
  }
  if (rank == 0) printf("%.6e\n", size);
  free(u), free(r), free(p), free(q);
  MPI_Finalize();
  return 0;
}
