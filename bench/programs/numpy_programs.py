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
    return {"l": np.linalg.cholesky(a)}


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
