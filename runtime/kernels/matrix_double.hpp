// Decompositions that are computed in f64, of matrices of f32, too. Private to the functions of matrices.
#pragma once

#include <cstdint>

#include "runtime/kernels/matrix_factors.hpp"

namespace tessera::runtime {

// Sums of products in an order that the length alone decides.
double inner_product(const double* a, const double* b, std::int64_t n);
// a[i] -= factor * b[i].
void subtract_multiple(double* a, double factor, const double* b, std::int64_t n);

// A reflection 1 - weight * v v' with v[0] = 1 that turns a vector into a multiple of the first unit vector. v takes
// the vector's place, but for v[0], whose place the multiple takes.
double reflection(double* vector, std::int64_t n);

// Of a matrix whose columns are the rows of `a`, [n, m]: reflections that make it triangular, below the triangle, and
// their weights, as many as the lesser of both. Then the first columns of their product, as rows of q, [k, m].
void triangular_by_reflections(Rows<double> a, std::int64_t n, std::int64_t m, double* weights);
void product_of_reflections(Rows<const double> a, std::int64_t k, std::int64_t m, const double* weights,
                            Rows<double> q);

// Of a symmetric matrix, which is used up: its eigenvalues, in no order, and its eigenvectors as rows. `beside` has
// room for 3 n. False if they were not found, as of what is no number.
bool eigenvectors(Rows<double> a, std::int64_t n, double* values, Rows<double> vectors, double* beside);

// Rows that are turned in pairs until all are at right angles to each other, and what did it, [p, p]: `rows` before is
// turns' times `rows` after. False if they do not come to rest.
bool make_orthogonal(Rows<double> rows, std::int64_t p, std::int64_t q, Rows<double> turns, double* squares);

}  // namespace tessera::runtime
