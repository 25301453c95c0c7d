"""The programs of examples/programs as they are written with JAX, which compiles each as a whole, loops included."""

import jax
import jax.numpy as np
from jax import lax


def jacobi_2d(a0, b0, *, turns):
    def swept(a, onto):
        mean = 0.2 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1])
        return onto.at[1:-1, 1:-1].set(mean)

    def turn(_, pair):
        b = swept(pair[0], pair[1])
        return swept(b, pair[0]), b

    return lax.fori_loop(0, turns, turn, (a0, b0))


def heat_3d(a0, *, turns):
    def turn(_, a):
        inner = a[1:-1, 1:-1, 1:-1]
        return a.at[1:-1, 1:-1, 1:-1].set(
            0.125 * (a[2:, 1:-1, 1:-1] - 2.0 * inner + a[:-2, 1:-1, 1:-1])
            + 0.125 * (a[1:-1, 2:, 1:-1] - 2.0 * inner + a[1:-1, :-2, 1:-1])
            + 0.125 * (a[1:-1, 1:-1, 2:] - 2.0 * inner + a[1:-1, 1:-1, :-2])
            + inner
        )

    return lax.fori_loop(0, turns, turn, a0)


def fdtd_2d(ex0, ey0, hz0, drive):
    def turn(fields, driven):
        ex, ey, hz = fields
        ey = ey.at[0].set(driven).at[1:].add(-0.5 * (hz[1:] - hz[:-1]))
        ex = ex.at[:, 1:].add(-0.5 * (hz[:, 1:] - hz[:, :-1]))
        turning = ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1]
        return (ex, ey, hz.at[:-1, :-1].add(-0.7 * turning)), None

    return lax.scan(turn, (ex0, ey0, hz0), drive)[0]


def lines(r, side, middle):
    n = r.shape[1]

    def forward(j, pq):
        p, q = pq
        below = side * p[:, j] + middle
        return p.at[:, j + 1].set(-side / below), q.at[:, j + 1].set((r[:, j + 1] - side * q[:, j]) / below)

    p, q = lax.fori_loop(0, n - 2, forward, (np.zeros_like(r), np.zeros_like(r).at[:, 0].set(1.0)))

    def backward(i, y):
        j = n - 2 - i
        return y.at[:, j].set(p[:, j] * y[:, j + 1] + q[:, j])

    return lax.fori_loop(0, n - 2, backward, np.ones_like(r))


def spread(u, k):
    return u.at[:, 1:-1].set((1.0 + 2.0 * k) * u[:, 1:-1] - k * (u[:, :-2] + u[:, 2:]))


def adi(u0, *, turns):
    a, d = -float(u0.shape[0]) ** 2 / turns, -0.5 * float(u0.shape[1]) ** 2 / turns

    def turn(_, u):
        v = lines(spread(u, d).T, a, 1.0 - 2.0 * a).T
        w = lines(spread(v.T, a).T, d, 1.0 - 2.0 * d)
        return u.at[1:-1].set(w[1:-1])

    return lax.fori_loop(0, turns, turn, u0)


def recursion(u, now, before, earlier, b, c):
    v = np.pad(u, ((0, 0), (2, 0)))

    def column(j, y):
        value = now * v[:, j + 2] + before * v[:, j + 1] + earlier * v[:, j] + b * y[:, j + 1] + c * y[:, j]
        return y.at[:, j + 2].set(value)

    return lax.fori_loop(0, u.shape[1], column, np.zeros_like(v))[:, 2:]


def deriche(picture):
    alpha = 0.25
    e = np.exp(-alpha)
    k = (1.0 - e) ** 2 / (1.0 + 2.0 * alpha * e - np.exp(2.0 * alpha))
    b, c = 2.0**-alpha, -e * e

    def filtered(u):
        there = recursion(u, k, k * e * (alpha - 1.0), 0.0, b, c)
        back = recursion(u[:, ::-1], 0.0, k * e * (alpha + 1.0), k * c, b, c)
        return there + back[:, ::-1]

    return filtered(filtered(picture).T).T


def cholesky(a):
    def turn(k, state):
        rest, left = state
        root = np.sqrt(rest[k, k])
        column = rest[:, k] / root
        rest = rest - np.outer(column, rest[k] / root)
        return rest.at[k].set(0.0).at[:, k].set(0.0), left.at[:, k].set(column)

    return lax.fori_loop(0, len(a), turn, (a, np.zeros_like(a)))[1]


def lu(a):
    def turn(k, state):
        rest, left, upper = state
        column, row = rest[:, k] / rest[k, k], rest[k]
        less = rest - np.outer(column, row)
        return less.at[k].set(0.0).at[:, k].set(0.0), left.at[:, k].set(column), upper.at[k].set(row)

    return lax.fori_loop(0, len(a), turn, (a, np.zeros_like(a), np.zeros_like(a)))[1:]


def laplacian(u):
    v = np.pad(u, 1)
    return 4.0 * u - v[:-2, 1:-1] - v[2:, 1:-1] - v[1:-1, :-2] - v[1:-1, 2:]


def conjugate_gradients(b):
    def turn(state):
        u, r, p, size = state
        q = laplacian(p)
        step = size / (p * q).sum()
        u, r = u + step * p, r - step * q
        less = (r * r).sum()
        return u, r, r + (less / size) * p, less

    return lax.while_loop(lambda state: state[3] > 1e-16, turn, (np.zeros_like(b), b, b, (b * b).sum()))[0]


def atax(a, x):
    return a.T @ (a @ x)


def k_means(points, start):
    def turn(state):
        centers, _, turns = state
        nearest = np.argmin(((points[:, None] - centers[None]) ** 2).sum(axis=2), axis=1)
        members = jax.nn.one_hot(nearest, len(start), dtype=points.dtype)
        after = (members.T @ points) / members.sum(axis=0)[:, None]
        return after, np.abs(after - centers).max(), turns + 1

    return lax.while_loop(lambda state: (state[1] > 1e-12) & (state[2] < 100), turn, (start, 1.0, 0))


def gemver(a, u1, v1, u2, v2, y, z):
    b = a + np.outer(u1, v1) + np.outer(u2, v2)
    x = 1.2 * (b.T @ y) + z
    return b, x, 1.5 * (b @ x)


def mvt(a, x1, x2, y1, y2):
    return x1 + a @ y1, x2 + a.T @ y2


def bicg(a, p, r):
    return r @ a, a @ p


def gesummv(a, b, x):
    return 1.5 * (a @ x) + 1.2 * (b @ x)


def syrk(a, c):
    return np.tril(1.2 * c + 1.5 * (a @ a.T)) + np.triu(c, 1)


def doitgen(a, c):
    return a @ c


def covariance(data):
    less = data - data.mean(axis=0)
    return less.T @ less / (len(data) - 1)


def correlation(data):
    less = data - data.mean(axis=0)
    even = less / np.sqrt((less * less).sum(axis=0))
    return even.T @ even


def softmax(scores):
    return jax.nn.softmax(scores, axis=-1)


def mlp(pictures, w1, b1, w2, b2, w3, b3):
    second = jax.nn.relu(jax.nn.relu(pictures @ w1 + b1) @ w2 + b2)
    return jax.nn.softmax(second @ w3 + b3, axis=-1)


def attention(q, k, v):
    return jax.nn.softmax(q @ k.transpose(0, 2, 1) / np.sqrt(q.shape[2]), axis=-1) @ v


def nbody(p0, v0, mass, *, turns):
    def pull(p):
        dx, dy, dz = (p[:, d][None] - p[:, d][:, None] for d in range(3))
        near = (dx * dx + dy * dy + dz * dz + 0.01) ** -1.5
        return np.stack([(dx * near) @ mass, (dy * near) @ mass, (dz * near) @ mass], axis=1)

    def turn(_, state):
        p, v = state
        half = v + 0.005 * pull(p)
        after = p + 0.01 * half
        return after, half + 0.005 * pull(after)

    return lax.fori_loop(0, turns, turn, (p0, v0))


def mandelbrot(re, im, *, turns):
    def turn(_, state):
        x, y, made = state
        near = (x * x + y * y < 4.0).astype(re.dtype)
        return near * (x * x - y * y + re), near * (2.0 * x * y + im) + (1.0 - near) * 4.0, made + near

    return lax.fori_loop(0, turns, turn, (np.zeros_like(re), np.zeros_like(re), np.zeros_like(re)))[2]


def go_fast(a):
    return a + np.tanh(np.diag(a)).sum()


def gramschmidt(a):
    def turn(k, state):
        rest, q, r = state
        column = rest[:, k] / np.sqrt((rest[:, k] ** 2).sum())
        row = column @ rest
        return rest - np.outer(column, row), q.at[:, k].set(column), r.at[k].set(row)

    n = a.shape[1]
    return lax.fori_loop(0, n, turn, (a, np.zeros_like(a), np.zeros((n, n), a.dtype)))[1:]


def hdiff(u, weight):
    lap = 4.0 * u[1:-1, 1:-1] - (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2])
    down = lap[1:, 1:-1] - lap[:-1, 1:-1]
    down = np.where(down * (u[2:-1, 2:-2] - u[1:-2, 2:-2]) > 0, 0, down)
    across = lap[1:-1, 1:] - lap[1:-1, :-1]
    across = np.where(across * (u[2:-2, 2:-1] - u[2:-2, 1:-2]) > 0, 0, across)
    return u[2:-2, 2:-2] - weight * (down[1:] - down[:-1] + across[:, 1:] - across[:, :-1])


def floyd_warshall(ways):
    return lax.fori_loop(0, len(ways), lambda k, w: np.minimum(w, w[:, k][:, None] + w[k]), ways)


def moving_mean(a):
    sums = np.cumsum(a, axis=1)
    means = (sums[:, 8:] - sums[:, :-8]) / 8.0
    return means, np.sqrt(((a[:, 4:-4] - means) ** 2).mean(axis=1))
