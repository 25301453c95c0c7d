"""The programs of examples/programs as they are written with NumPy: what tests compare with, and what the bench runs beside."""

import numpy as np


def jacobi_2d(a0, b0, *, turns=10):
    a, b = a0.copy(), b0.copy()
    for _ in range(turns):
        for source, target in ((a, b), (b, a)):
            target[1:-1, 1:-1] = 0.2 * (
                source[1:-1, 1:-1] + source[1:-1, :-2] + source[1:-1, 2:] + source[2:, 1:-1] + source[:-2, 1:-1]
            )
    return {"a": a, "b": b}


def heat_3d(a0, *, turns=20):
    a = a0.copy()
    for _ in range(turns):
        inner = a[1:-1, 1:-1, 1:-1]
        a[1:-1, 1:-1, 1:-1] = (
            0.125 * (a[2:, 1:-1, 1:-1] - 2.0 * inner + a[:-2, 1:-1, 1:-1])
            + 0.125 * (a[1:-1, 2:, 1:-1] - 2.0 * inner + a[1:-1, :-2, 1:-1])
            + 0.125 * (a[1:-1, 1:-1, 2:] - 2.0 * inner + a[1:-1, 1:-1, :-2])
            + inner
        )
    return {"a": a}


def fdtd_2d(ex0, ey0, hz0, drive):
    ex, ey, hz = ex0.copy(), ey0.copy(), hz0.copy()
    for driven in drive:
        ey[0, :] = driven
        ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])
    return {"ex": ex, "ey": ey, "hz": hz}


def adi(u0, *, turns=5):
    u, n = u0.copy(), u0.shape[0]
    v, p, q = np.zeros_like(u), np.zeros_like(u), np.zeros_like(u)
    a = -2.0 * (1.0 / turns) * n * n / 2.0
    d = -1.0 * (1.0 / turns) * n * n / 2.0
    b, e = 1.0 - 2.0 * a, 1.0 - 2.0 * d
    for _ in range(turns):
        v[0, 1:-1], p[1:-1, 0] = 1.0, 0.0
        q[1:-1, 0] = v[0, 1:-1]
        for j in range(1, n - 1):
            p[1:-1, j] = -a / (a * p[1:-1, j - 1] + b)
            rest = -d * u[j, :-2] + (1.0 + 2.0 * d) * u[j, 1:-1] - d * u[j, 2:] - a * q[1:-1, j - 1]
            q[1:-1, j] = rest / (a * p[1:-1, j - 1] + b)
        v[-1, 1:-1] = 1.0
        for j in range(n - 2, 0, -1):
            v[j, 1:-1] = p[1:-1, j] * v[j + 1, 1:-1] + q[1:-1, j]
        u[1:-1, 0], p[1:-1, 0] = 1.0, 0.0
        q[1:-1, 0] = u[1:-1, 0]
        for j in range(1, n - 1):
            p[1:-1, j] = -d / (d * p[1:-1, j - 1] + e)
            rest = -a * v[:-2, j] + (1.0 + 2.0 * a) * v[1:-1, j] - a * v[2:, j] - d * q[1:-1, j - 1]
            q[1:-1, j] = rest / (d * p[1:-1, j - 1] + e)
        u[1:-1, -1] = 1.0
        for j in range(n - 2, 0, -1):
            u[1:-1, j] = p[1:-1, j] * u[1:-1, j + 1] + q[1:-1, j]
    return {"u": u}


def deriche(picture):
    alpha = 0.25
    k = (1.0 - np.exp(-alpha)) ** 2 / (1.0 + 2.0 * alpha * np.exp(-alpha) - np.exp(2.0 * alpha))
    a2, a3 = k * np.exp(-alpha) * (alpha - 1.0), k * np.exp(-alpha) * (alpha + 1.0)
    a4, b1, b2 = -k * np.exp(-2.0 * alpha), 2.0**-alpha, -np.exp(-2.0 * alpha)

    def filtered(u):
        there, back = np.zeros_like(u), np.zeros_like(u)
        there[:, 0] = k * u[:, 0]
        there[:, 1] = k * u[:, 1] + a2 * u[:, 0] + b1 * there[:, 0]
        for j in range(2, u.shape[1]):
            there[:, j] = k * u[:, j] + a2 * u[:, j - 1] + b1 * there[:, j - 1] + b2 * there[:, j - 2]
        back[:, -2] = a3 * u[:, -1]
        for j in range(u.shape[1] - 3, -1, -1):
            back[:, j] = a3 * u[:, j + 1] + a4 * u[:, j + 2] + b1 * back[:, j + 1] + b2 * back[:, j + 2]
        return there + back

    return {"edges": filtered(filtered(picture).T).T}


def cholesky(a):
    rest, l = a.copy(), np.zeros_like(a)
    for k in range(len(a)):
        root = np.sqrt(rest[k, k])
        l[:, k] = rest[:, k] / root
        rest -= np.outer(l[:, k], rest[k] / root)
        rest[k], rest[:, k] = 0.0, 0.0
    return {"l": l}


def lu(a):
    n, l, u = len(a), np.eye(len(a)), a.copy()
    for k in range(n):
        l[k + 1 :, k] = u[k + 1 :, k] / u[k, k]
        u[k + 1 :] -= np.outer(l[k + 1 :, k], u[k])
    return {"l": l, "u": np.triu(u)}


def laplacian(u):
    v = np.pad(u, 1)
    return 4.0 * u - v[:-2, 1:-1] - v[2:, 1:-1] - v[1:-1, :-2] - v[1:-1, 2:]


def conjugate_gradients(b):
    u, r = np.zeros_like(b), b.copy()
    p, size = r, (r * r).sum()
    while size > 1e-16:
        q = laplacian(p)
        step = size / (p * q).sum()
        u, r = u + step * p, r - step * q
        less = (r * r).sum()
        p, size = r + (less / size) * p, less
    return {"u": u}


def atax(a, x):
    return {"y": a.T @ (a @ x)}


def k_means(points, start):
    centers = start
    for turns in range(1, 101):
        ids = np.argmin(((points[:, None] - centers[None]) ** 2).sum(axis=2), axis=1)
        after = np.array([points[ids == k].mean(axis=0) for k in range(len(centers))])
        moved, centers = np.abs(after - centers).max(), after
        if moved <= 1e-12:
            break
    return {"centers": centers, "turns": turns}


def gemver(a, u1, v1, u2, v2, y, z):
    b = a + np.outer(u1, v1) + np.outer(u2, v2)
    x = 1.2 * (b.T @ y) + z
    return {"b": b, "x": x, "w": 1.5 * (b @ x)}


def mvt(a, x1, x2, y1, y2):
    return {"r": x1 + a @ y1, "s": x2 + a.T @ y2}


def bicg(a, p, r):
    return {"s": r @ a, "q": a @ p}


def gesummv(a, b, x):
    return {"y": 1.5 * (a @ x) + 1.2 * (b @ x)}


def syrk(a, c):
    return {"made": np.tril(1.2 * c + 1.5 * (a @ a.T)) + np.triu(c, 1)}


def doitgen(a, c):
    return {"made": a @ c}


def covariance(data):
    less = data - data.mean(axis=0)
    return {"made": less.T @ less / (len(data) - 1)}


def correlation(data):
    less = data - data.mean(axis=0)
    even = less / np.sqrt((less * less).sum(axis=0))
    return {"made": even.T @ even}


def softmax_of(scores):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def softmax(scores):
    return {"made": softmax_of(scores)}


def mlp(pictures, w1, b1, w2, b2, w3, b3):
    first = np.maximum(pictures @ w1 + b1, 0.0)
    second = np.maximum(first @ w2 + b2, 0.0)
    return {"made": softmax_of(second @ w3 + b3)}


def attention(q, k, v):
    return {"made": softmax_of(q @ k.transpose(0, 2, 1) / np.sqrt(q.shape[2])) @ v}


def nbody(p0, v0, mass, *, turns=5):
    def pull(p):
        dx, dy, dz = (p[:, d][None] - p[:, d][:, None] for d in range(3))
        near = (dx * dx + dy * dy + dz * dz + 0.01) ** -1.5
        return np.stack([(dx * near) @ mass, (dy * near) @ mass, (dz * near) @ mass], axis=1)

    p, v = p0.copy(), v0.copy()
    for _ in range(turns):
        v = v + 0.005 * pull(p)
        p = p + 0.01 * v
        v = v + 0.005 * pull(p)
    return {"p": p, "v": v}


def mandelbrot(re, im, *, turns=20):
    x, y, made = np.zeros_like(re), np.zeros_like(re), np.zeros_like(re)
    for _ in range(turns):
        near = (x * x + y * y < 4.0).astype(np.float64)
        x, y = near * (x * x - y * y + re), near * (2.0 * x * y + im) + (1.0 - near) * 4.0
        made = made + near
    return {"made": made}


def go_fast(a):
    return {"made": a + np.tanh(np.diag(a)).sum()}


def gramschmidt(a):
    rest, q, r = a.copy(), np.zeros_like(a), np.zeros((a.shape[1], a.shape[1]))
    for k in range(a.shape[1]):
        q[:, k] = rest[:, k] / np.sqrt((rest[:, k] ** 2).sum())
        r[k] = q[:, k] @ rest
        rest -= np.outer(q[:, k], r[k])
    return {"q": q, "r": r}


def hdiff(u, weight):
    lap = 4.0 * u[1:-1, 1:-1] - (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2])
    down = lap[1:, 1:-1] - lap[:-1, 1:-1]
    down = np.where(down * (u[2:-1, 2:-2] - u[1:-2, 2:-2]) > 0, 0, down)
    across = lap[1:-1, 1:] - lap[1:-1, :-1]
    across = np.where(across * (u[2:-2, 2:-1] - u[2:-2, 1:-2]) > 0, 0, across)
    return {"made": u[2:-2, 2:-2] - weight * (down[1:] - down[:-1] + across[:, 1:] - across[:, :-1])}


def floyd_warshall(ways):
    made = ways.copy()
    for k in range(len(made)):
        made = np.minimum(made, made[:, k][:, None] + made[k])
    return {"made": made}


def moving_mean(a):
    sums = np.cumsum(a, axis=1)
    means = (sums[:, 8:] - sums[:, :-8]) / 8.0
    return {"means": means, "far": np.sqrt(((a[:, 4:-4] - means) ** 2).mean(axis=1))}
