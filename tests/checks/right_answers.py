"""At least four right answers of different style for each exercise. None of them may be refused."""

import math
from typing import NamedTuple

import numpy as np
from scipy.special import log_softmax as scipy_log_softmax
from scipy.special import logsumexp
from scipy.special import softmax as scipy_softmax

import bloque
from bloque.attention import attention as bloque_attention

F = np.float32


def soft(z):
    e = np.exp(z - z.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


# ── lesson 1 ──────────────────────────────────────────────────────────────────


def softmax_loops(scores):
    def row(z):
        top = max(z)
        e = [math.exp(v - top) for v in z]
        return [v / sum(e) for v in e]

    return row(scores) if scores.ndim == 1 else [row(z) for z in scores]


def softmax_pairs(scores):
    with np.errstate(over="ignore"):
        return 1 / np.exp(scores[..., None, :] - scores[..., :, None]).sum(-1)


def softmax_filled(scores):
    out = np.empty(scores.shape)
    for i in np.ndindex(scores.shape[:-1]):
        z = scores[i] - np.amax(scores[i])
        out[i] = np.exp(z) / np.exp(z).sum()
    return out


def jacobian_loops(weights):
    n = len(weights)
    J = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            J[i, j] = weights[i] * (1 - weights[i]) if i == j else -weights[i] * weights[j]
    return J


def jacobian_lists(p):
    return [[p[i] * ((i == j) - p[j]) for j in range(len(p))] for i in range(len(p))]


def jacobian_fill(p):
    J = -np.outer(p, p)
    np.fill_diagonal(J, p * (1 - p))
    return J


def temperature_halving(scores, wanted):
    low, high = 1e-3, 1e3
    for _ in range(60):
        tau = (low + high) / 2
        if soft(scores / tau).max() > wanted:
            low = tau
        else:
            high = tau
    return tau


def temperature_grid(scores, wanted):
    grid = np.geomspace(1e-3, 1e3, 20_001)
    return grid[np.abs(soft(scores / grid[:, None]).max(-1) - wanted).argmin()]


def temperature_newton(z, w):
    gaps = z - z.max()
    b = 1.0  # 1/τ: solve log Σ exp(b·gap) = −log w
    for _ in range(100):
        e = np.exp(b * gaps)
        b -= (np.log(e.sum()) + np.log(w)) / ((e * gaps).sum() / e.sum())
    return np.array([1 / b])


def temperature_scipy(scores, wanted):
    from scipy.optimize import brentq

    return brentq(lambda t: scipy_softmax(scores / t).max() - wanted, 1e-2, 1e3)


def slope_at(scores, c):
    p = soft(c * scores)
    return np.abs(np.diag(p) - np.outer(p, p)).max()


def saturation_walk(scores, slope):
    c = 1000.0
    while slope_at(scores, c) < slope:
        c *= 0.999
    return c


def saturation_grid(scores, slope):
    grid = np.geomspace(1e-3, 1e3, 20_001)
    p = soft(grid[:, None] * scores)
    above = (p * (1 - p)).max(-1) >= slope
    return grid[np.flatnonzero(above)[-1] + 1]


def saturation_halving(scores, slope):
    low, high = 1.0, 1e3
    while slope_at(scores, low) < slope:
        low /= 2
    for _ in range(50):
        middle = (low * high) ** 0.5
        low, high = (middle, high) if slope_at(scores, middle) >= slope else (low, middle)
    return high


def saturation_weight(z, s):
    # p(1 − p) = s at the larger root: then it is the temperature for that weight
    return 1 / temperature_halving(z, (1 + math.sqrt(1 - 4 * s)) / 2)


# ── lesson 2 ──────────────────────────────────────────────────────────────────


def scores_loops(queries, keys):
    return [[sum(a * b for a, b in zip(q, k, strict=True)) / math.sqrt(len(q)) for k in keys] for q in queries]


class Attended(NamedTuple):
    output: np.ndarray
    weights: np.ndarray


def attention_loops(queries, keys, values):
    output, weights = np.zeros((len(queries), values.shape[1])), np.zeros((len(queries), len(keys)))
    for i, q in enumerate(queries):
        z = np.array([q @ k for k in keys]) / len(q) ** 0.5
        w = np.exp(z - z.max())
        w = w / w.sum()
        weights[i] = w
        for j, v in enumerate(values):
            output[i] += w[j] * v
    return output, weights


def deviation_loops(queries, keys):
    s = [float(q @ k) for q, k in zip(queries, keys, strict=True)]
    m = sum(s) / len(s)
    d = math.sqrt(sum((v - m) ** 2 for v in s) / (len(s) - 1))
    return [d, d / math.sqrt(2 * (len(s) - 1))]


def deviation_diag(Q, K):
    s = np.diag(Q @ K.T)
    return s.std(), s.std() / np.sqrt(2 * s.size)


def deviation_einsum(q, k):
    d = np.std(np.einsum("nd,nd->n", q, k), ddof=1)
    return np.array([d, d / np.sqrt(2 * len(q))])


def deviation_moments(q, k):
    s = np.sum(q * k, axis=1).astype(F)
    d = np.sqrt(np.mean(s**2) - np.mean(s) ** 2)
    return d, d * (2 * len(s)) ** -0.5


# ── lesson 3 ──────────────────────────────────────────────────────────────────


def split_loops(x, heads):
    w = x.shape[1] // heads
    return [[[x[t, h * w + c] for c in range(w)] for t in range(len(x))] for h in range(heads)]


def merge_loops(x):
    heads, n, w = x.shape
    out = np.zeros((n, heads * w))
    for h in range(heads):
        out[:, h * w : (h + 1) * w] = x[h]
    return out


def multi_head_loop(x, W_Q, W_K, W_V, W_O, heads):
    w = x.shape[1] // heads
    found = []
    for h in range(heads):
        c = slice(h * w, (h + 1) * w)
        q, k, v = x @ W_Q[:, c], x @ W_K[:, c], x @ W_V[:, c]
        found.append(soft(q @ k.T / np.sqrt(w)) @ v)
    return np.concatenate(found, axis=1) @ W_O


def multi_head_sum(x, W_Q, W_K, W_V, W_O, heads):
    w = x.shape[1] // heads
    total = 0
    for h in range(heads):
        c = slice(h * w, (h + 1) * w)
        output, _ = bloque_attention(x @ W_Q[:, c], x @ W_K[:, c], x @ W_V[:, c])
        total = total + output @ W_O[c]
    return total


def multi_head_pieces(x, W_Q, W_K, W_V, W_O, heads):
    q, k, v = (bloque.split_heads(x @ W, heads) for W in (W_Q, W_K, W_V))
    return bloque.merge_heads(bloque.attention(q, k, v)[0]) @ W_O


def multi_head_einsum(x, W_Q, W_K, W_V, W_O, heads):
    d = x.shape[1]
    q, k, v = (np.einsum("nd,dhc->hnc", x, W.reshape(d, heads, d // heads)) for W in (W_Q, W_K, W_V))
    a = scipy_softmax(np.einsum("hnc,hmc->hnm", q, k) / (d // heads) ** 0.5, axis=2)
    return np.einsum("hnm,hmc,hce->ne", a, v, W_O.reshape(heads, d // heads, d))


# ── lesson 4 ──────────────────────────────────────────────────────────────────


def layer_norm_loops(x, gamma, beta, eps):
    out = []
    for row in x:
        m = sum(row) / len(row)
        v = sum((a - m) ** 2 for a in row) / len(row)
        out.append([g * (a - m) / math.sqrt(v + eps) + b for a, g, b in zip(row, gamma, beta, strict=True)])
    return out


def layer_norm_einsum(x, g, b, e):
    c = x - np.einsum("nd->n", x)[:, None] / x.shape[1]
    return c * g / np.sqrt(np.einsum("nd,nd->n", c, c) / x.shape[1] + e)[:, None] + b


def layer_norm_transposed(x, g, b, e):
    t = x.T
    return ((t - t.mean(0)) / (t.var(0) + e) ** 0.5).T * g + b


def layer_norm_single(x, gamma, beta, eps):
    x = x.astype(F)
    m = x.mean(1, keepdims=True, dtype=F)
    return (x - m) / np.sqrt(x.var(1, keepdims=True) + F(eps)) * gamma.astype(F) + beta.astype(F)


def gradient_loop(jacobians, gradient):
    g = gradient.copy()
    for J in reversed(jacobians):
        g = g + J.T @ g
    return g


def gradient_matrix(Js, g):
    total = np.eye(len(g))
    for J in Js:
        total = (np.eye(len(g)) + J) @ total
    return total.T @ g


def gradient_row(Js, g):
    for J in Js[::-1]:
        g = g @ (J + np.eye(J.shape[0]))
    return g.tolist()


def gradient_paths(Js, g):
    total = 0.0
    for bits in range(2 ** len(Js)):
        term = np.array(g)
        for i in reversed(range(len(Js))):
            if bits >> i & 1:
                term = np.einsum("ij,i->j", Js[i], term)
        total = total + term
    return total


def ln(x):
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)


def relu_net(x, W1, b1, W2, b2):
    return np.maximum(0, x @ W1 + b1) @ W2 + b2


def post_rows(x, attention, W1, b1, W2, b2):
    y = ln(x + attention(x))
    return [ln(row + relu_net(row, W1, b1, W2, b2)) for row in y]


def post_copy(x, attention, W1, b1, W2, b2):
    h = np.array(x)
    h += attention(h)
    h = ln(h)
    hidden = h @ W1 + b1
    hidden[hidden < 0] = 0
    h += hidden @ W2 + b2
    return ln(h)


def pre_copy(x, attention, W1, b1, W2, b2):
    h = x.copy()
    h += attention(ln(h))
    h += relu_net(ln(h), W1, b1, W2, b2)
    return h


def pre_rows(x, attention, W1, b1, W2, b2):
    y = x + attention(ln(x))
    return np.stack([row + relu_net(ln(row), W1, b1, W2, b2) for row in y])


# ── lesson 5 ──────────────────────────────────────────────────────────────────


def network_loops(x, W1, b1, W2, b2):
    out = []
    for row in x:
        hidden = [max(0.0, sum(row[i] * W1[i, j] for i in range(len(row))) + b1[j]) for j in range(len(b1))]
        out.append([sum(hidden[j] * W2[j, k] for j in range(len(hidden))) + b2[k] for k in range(len(b2))])
    return out


def mask_loops(n):
    return [[j <= i for j in range(n)] for i in range(n)]


def masked_rows(queries, keys, values, mask):
    output, weights = [], []
    for q, allowed in zip(queries, mask, strict=True):
        z = keys[allowed] @ q / np.sqrt(len(q))
        w = np.zeros(len(keys))
        w[allowed] = soft(z)
        weights.append(w)
        output.append(w @ values)
    return np.array(output), np.array(weights)


def masked_renormalised(queries, keys, values, mask):
    w = soft(queries @ keys.T / np.sqrt(queries.shape[1])) * mask
    w /= w.sum(1, keepdims=True)
    return w @ values, w


def masked_sentinel(queries, keys, values, mask):
    z = queries @ keys.T / np.sqrt(queries.shape[1])
    z[~mask] = -1e9
    return soft(z) @ values, soft(z)


def masked_added(q, k, v, mask):
    z = np.einsum("id,jd->ij", q, k) / q.shape[-1] ** 0.5 + np.where(mask, 0, -np.inf)
    return Attended(soft(z) @ v, soft(z))


def positions_loops(n, d_model):
    out = [[0.0] * d_model for _ in range(n)]
    for t in range(n):
        for i in range(d_model // 2):
            angle = t / 10000 ** (2 * i / d_model)
            out[t][2 * i], out[t][2 * i + 1] = math.sin(angle), math.cos(angle)
    return out


def positions_logs(n, d_model):
    frequency = np.exp(np.arange(0, d_model, 2) * -(np.log(10000.0) / d_model))
    pe = np.zeros((n, d_model))
    pe[:, 0::2] = np.sin(np.outer(np.arange(n), frequency))
    pe[:, 1::2] = np.cos(np.outer(np.arange(n), frequency))
    return pe


def positions_complex(n, d_model):
    z = np.exp(1j * np.arange(n)[:, None] / 10000 ** (np.arange(d_model // 2) * 2 / d_model))
    return np.stack([z.imag, z.real], -1).reshape(n, -1)


def positions_phase(n, d):
    c = np.arange(d)
    return np.sin(np.arange(n)[:, None] / 10000 ** ((c - c % 2) / d) + np.pi / 2 * (c % 2)).astype(F)


def counted_from_shapes(d_model, heads, d_ff, layers):
    shapes = [(d_model, d_model)] * 4 + [(d_model, d_ff), (d_ff,), (d_ff, d_model), (d_model,)] + [(d_model,)] * 4
    return layers * sum(int(np.prod(s)) for s in shapes)


# ── lesson 6 ──────────────────────────────────────────────────────────────────


def adam_lists(parameters, gradient, mean, square, step, rate):
    m = np.empty_like(mean)
    v = np.empty_like(square)
    p = np.empty_like(parameters)
    for i in np.ndindex(parameters.shape):
        m[i] = 0.9 * mean[i] + 0.1 * gradient[i]
        v[i] = 0.98 * square[i] + 0.02 * gradient[i] ** 2
        p[i] = parameters[i] - rate * m[i] / (1 - 0.9**step) / (math.sqrt(v[i] / (1 - 0.98**step)) + 1e-9)
    return p, m, v


def adam_moved(p, g, m, v, t, r):
    m, v = m + 0.1 * (g - m), v + 0.02 * (g * g - v)
    return p - r * math.sqrt(1 - 0.98**t) / (1 - 0.9**t) * m / np.sqrt(v), m, v


def adam_single(p, g, m, v, t, r):
    p, g, m, v = (a.astype(F) for a in (p, g, m, v))
    m, v = F(0.9) * m + F(0.1) * g, F(0.98) * v + F(0.02) * g**2
    return [p - F(r) * (m / F(1 - 0.9**t)) / (np.sqrt(v / F(1 - 0.98**t)) + F(1e-9)), m, v]


def adam_copies(parameters, gradient, mean, square, step, rate):
    new = [a.copy() for a in (parameters, mean, square)]
    new[1] *= 0.9
    new[1] += 0.1 * gradient
    new[2] *= 0.98
    new[2] += 0.02 * np.square(gradient)
    new[0] -= rate * (new[1] / (1 - 0.9**step)) / (np.sqrt(new[2] / (1 - 0.98**step)) + 1e-9)
    return tuple(new)


def accuracy_loops(logits, targets, asked):
    right, total = 0, 0
    for place in np.ndindex(asked.shape):
        if asked[place]:
            total += 1
            right += int(max(range(logits.shape[-1]), key=lambda token: logits[place][token]) == targets[place])
    return right / total


RIGHT = {
    "adam_step": [adam_lists, adam_moved, adam_single, adam_copies],
    "paper_schedule": [
        lambda step, d_model, warm_up: d_model**-0.5 * min(step**-0.5, step * warm_up**-1.5),
        lambda s, d, w: (s / w**1.5 if s < w else 1 / math.sqrt(s)) / math.sqrt(d),
        lambda s, d, w: np.minimum(1 / np.sqrt(s), s / (w * np.sqrt(w))) / np.sqrt(d),
        lambda s, d, w: float(np.exp(-0.5 * np.log(d) + min(-0.5 * np.log(s), np.log(s) - 1.5 * np.log(w)))),
    ],
    "induction_accuracy": [
        accuracy_loops,
        lambda logits, targets, asked: np.mean(logits[asked].argmax(-1) == targets[asked]),
        lambda z, t, a: ((z.argmax(-1) == t) & a).sum() / a.sum(),
        lambda z, t, a: np.average(np.argmax(z, axis=-1) == t, weights=a),
    ],
    "softmax": [
        softmax_loops,
        softmax_pairs,
        softmax_filled,
        lambda z: np.exp(z - logsumexp(z, axis=-1, keepdims=True)),
        lambda z: np.exp(scipy_log_softmax(z, axis=-1)),
        lambda x: soft(x.astype(F)),
        lambda z, axis=-1: scipy_softmax(z, axis),
        lambda z: (lambda e: e / np.einsum("...n->...", e)[..., None])(np.exp(z - np.max(z, axis=-1, keepdims=True))),
    ],
    "softmax_jacobian": [
        jacobian_loops,
        jacobian_lists,
        jacobian_fill,
        lambda p: p[:, None] * (np.eye(p.size) - p[None]),
        lambda p: (np.diag(p) - np.einsum("i,j->ij", p, p)).astype(F),
        lambda p: np.diagflat(p) - p.reshape(-1, 1) @ p.reshape(1, -1),
    ],
    "temperature": [temperature_halving, temperature_grid, temperature_newton, temperature_scipy],
    "saturation_scale": [saturation_walk, saturation_grid, saturation_halving, saturation_weight],
    "scores": [
        scores_loops,
        lambda queries, keys: np.einsum("id,jd->ij", queries, keys) / np.sqrt(keys.shape[1]),
        lambda q, k: (q / q.shape[1] ** 0.5) @ k.T,
        lambda q, k: (k @ q.T).T * q.shape[-1] ** -0.5,
        lambda q, k: ((q[:, None] * k[None]).sum(-1) / math.sqrt(len(q[0]))).astype(F),
        lambda q, k: np.inner(q, k) / np.sqrt(q[0].size),
    ],
    "attention": [
        attention_loops,
        lambda q, k, v: bloque_attention(q, k, v),
        lambda q, k, v: Attended(soft(q @ k.T / k.shape[1] ** 0.5) @ v, soft(q @ k.T / k.shape[1] ** 0.5)),
        lambda q, k, v: [scipy_softmax(np.inner(q, k) / np.sqrt(q.shape[1]), 1) @ v, scipy_softmax(q @ k.T / np.sqrt(q.shape[1]), 1)],
        lambda q, k, v: tuple(a.astype(F) for a in bloque_attention(q, k, v)),
    ],
    "score_deviation": [deviation_loops, deviation_diag, deviation_einsum, deviation_moments],
    "sigma_divisor": [
        lambda d_k, sigma: math.sqrt(d_k * sigma**4),
        lambda d, s: np.sqrt(d) * s * s,
        lambda d, s: F(d**0.5 * s**2),
        lambda d, s: np.linalg.norm(np.full(d, s**2)),
    ],
    "split_heads": [
        split_loops,
        lambda x, heads: np.stack(np.split(x, heads, axis=1)),
        lambda x, h: x.reshape(len(x), h, -1).swapaxes(0, 1),
        lambda x, h: np.moveaxis(x.reshape(x.shape[0], h, x.shape[1] // h), 1, 0).astype(F),
        lambda x, h: x.T.reshape(h, -1, len(x)).transpose(0, 2, 1),
        lambda x, h: np.hsplit(x, h),
        lambda x, h: np.einsum("nhc->hnc", x.reshape(len(x), h, -1)),
    ],
    "merge_heads": [
        merge_loops,
        lambda x: np.concatenate(list(x), axis=1),
        lambda x: np.hstack([*x]),
        lambda x: x.swapaxes(0, 1).reshape(x.shape[1], -1),
        lambda x: np.einsum("hnc->nhc", x).reshape(x.shape[1], -1).tolist(),
        lambda x: x.transpose(0, 2, 1).reshape(-1, x.shape[1]).T,
    ],
    "multi_head_attention": [multi_head_loop, multi_head_sum, multi_head_pieces, multi_head_einsum],
    "head_cost": [
        lambda n, d_model, heads: (d_model // heads, n**2, 4 * d_model**2),
        lambda n, d, h: [int(d / h), n * n, 4 * d * d],
        lambda n, d, h: np.array([d / h, n * n, 4 * d * d]),
        lambda n, d, h: (d / h, float(np.ones((n, n)).sum()), sum(h * d * (d // h) for _ in range(4))),
    ],
    "layer_norm": [
        layer_norm_loops,
        layer_norm_einsum,
        layer_norm_transposed,
        layer_norm_single,
        lambda x, gamma, beta, eps: bloque.layer_norm(x, gamma, beta, eps),
        lambda x, g, b, e: np.apply_along_axis(lambda r: (r - r.mean()) / (r.var() + e) ** 0.5, 1, x) * g[None] + b[None],
    ],
    "residual_gradient": [gradient_loop, gradient_matrix, gradient_row, gradient_paths],
    "post_norm_block": [
        post_rows,
        post_copy,
        lambda x, att, W1, b1, W2, b2: (lambda y: ln(y + relu_net(y, W1, b1, W2, b2)))(ln(x + att(x))),
        lambda x, att, *p: (lambda y: bloque.layer_norm(bloque.feed_forward(y, *p) + y))(bloque.layer_norm(att(x) + x)),
        lambda x, att, *p: (lambda y: ln(y + relu_net(y, *p)).astype(F))(ln(x + att(x)).astype(F)),
    ],
    "pre_norm_block": [
        pre_copy,
        pre_rows,
        lambda x, att, W1, b1, W2, b2: (lambda y: y + relu_net(ln(y), W1, b1, W2, b2))(x + att(ln(x))),
        lambda x, att, *p: (lambda y: bloque.feed_forward(bloque.layer_norm(y), *p) + y)(att(bloque.layer_norm(x)) + x),
        lambda x, att, *p: (lambda y: y + relu_net(ln(y), *p))((x + att(ln(x))).astype(F)),
    ],
    "feed_forward": [
        network_loops,
        lambda x, W1, b1, W2, b2: bloque.feed_forward(x, W1, b1, W2, b2),
        lambda x, W1, b1, W2, b2: np.where(x @ W1 + b1 > 0, x @ W1 + b1, 0) @ W2 + b2,
        lambda x, A, a, B, b: np.einsum("nf,fd->nd", np.clip(np.einsum("nd,df->nf", x, A) + a, 0, None), B) + b,
        lambda x, A, a, B, b: ((x @ A + a) * (x @ A + a > 0)).astype(F) @ B.astype(F) + b.astype(F),
        lambda x, A, a, B, b: np.stack([np.maximum(r @ A + a, 0) @ B + b for r in x]),
    ],
    "causal_mask": [
        mask_loops,
        lambda n: np.tri(n, dtype=bool),
        lambda n: np.tril(np.ones((n, n))).astype(bool),
        lambda n: np.arange(n)[:, None] >= np.arange(n),
        lambda n: ~np.triu(np.ones((n, n), dtype=bool), 1),
        lambda n: np.fromfunction(lambda i, j: j <= i, (n, n)),
    ],
    "masked_attention": [
        masked_rows,
        masked_renormalised,
        masked_sentinel,
        masked_added,
        lambda q, k, v, m: bloque_attention(q, k, v, mask=m),
    ],
    "positional_encoding": [positions_loops, positions_logs, positions_complex, positions_phase],
    "count_parameters": [
        counted_from_shapes,
        lambda d, h, f, n: n * (4 * d * d + 2 * d * f + f + d + 4 * d),
        lambda d, h, f, n: sum(4 * d**2 + (d * f + f) + (f * d + d) + 2 * (d + d) for _ in range(n)),
        lambda d, h, f, n: bloque.count_parameters(d, h, f, n).total,
        lambda d, h, f, n: float(n * (4 * d * d + 2 * d * f + f + 5 * d)),
    ],
}
