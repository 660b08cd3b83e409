"""Answers that somebody wrote from the exercise texts alone, without having seen a diagnosis: as people write them."""

# ruff: noqa: B905, C408, E401, E731, F841, I001

import numpy as np, math


def sm(z, axis=-1):
    z = np.asarray(z, float)
    e = np.exp(z - z.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def lnorm(x, eps=1e-5):
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + eps)


def J(p):
    return np.diag(p) - np.outer(p, p)


relu = lambda a: np.maximum(a, 0)


def mlp(x, W1, b1, W2, b2):
    return relu(x @ W1 + b1) @ W2 + b2


W = []
R = []


def w(i, d):
    return lambda f: (W.append((i, f, d)), f)[1]


def r(i):
    return lambda f: (R.append((i, f)), f)[1]


# --- softmax
@w("softmax", "no max subtraction: overflow for 1000")
def _(s):
    e = np.exp(s)
    return e / e.sum(axis=-1, keepdims=True)


@w("softmax", "normalises along axis 0 instead of last")
def _(s):
    e = np.exp(s - np.max(s))
    return sm(s, 0)


@w("softmax", "sums over everything, not per row")
def _(s):
    e = np.exp(s - s.max())
    return e / e.sum()


@w("softmax", "global max: rows very different underflow to 0/0")
def _(s):
    e = np.exp(s - s.max())
    return e / e.sum(axis=-1, keepdims=True)


@w("softmax", "scores / sum of scores, forgot exp")
def _(s):
    return s / s.sum(axis=-1, keepdims=True)


@w("softmax", "forgot to divide by the sum")
def _(s):
    return np.exp(s - s.max(axis=-1, keepdims=True))


@w("softmax", "in-place subtraction writes to the input")
def _(s):
    s -= s.max(axis=-1, keepdims=True)
    e = np.exp(s)
    return e / e.sum(axis=-1, keepdims=True)


# --- jacobian
@w("softmax_jacobian", "only diagonal p(1-p), off-diagonal zero")
def _(p):
    return np.diag(p * (1 - p))


@w("softmax_jacobian", "sign reversed")
def _(p):
    return np.outer(p, p) - np.diag(p)


@w("softmax_jacobian", "took argument as scores and applied softmax again")
def _(p):
    return J(sm(p))


@w("softmax_jacobian", "identity instead of diag(p)")
def _(p):
    return np.eye(len(p)) - np.outer(p, p)


@w("softmax_jacobian", "off-diagonal with plus sign")
def _(p):
    A = np.outer(p, p)
    np.fill_diagonal(A, p * (1 - p))
    return A


# --- temperature
def solve(f, lo, hi, inc):
    for _ in range(200):
        m = math.sqrt(lo * hi)
        if (f(m) > 0) == inc:
            hi = m
        else:
            lo = m
    return m


@w("temperature", "multiplied by tau instead of dividing: returned 1/tau")
def _(s, wd):
    return 1 / solve(lambda t: sm(s / t).max() - wd, 1e-3, 1e3, False)


@w("temperature", "coarse grid, step 0.1: not three digits")
def _(s, wd):
    g = np.arange(0.1, 100, 0.1)
    return g[np.argmin([abs(sm(s / t).max() - wd) for t in g])]


@w("temperature", "bisection in the wrong direction (runs to an end)")
def _(s, wd):
    return solve(lambda t: sm(s / t).max() - wd, 1e-3, 1e3, True)


# --- saturation
@w("saturation_scale", "returned 1/c (divided by c)")
def _(s, sl):
    return 1 / solve(lambda c: np.abs(J(sm(c * s))).max() - sl, 1, 1e3, False)


@w("saturation_scale", "used J.max()/diagonal of the largest weight's sum: 1-p<slope instead of p(1-p) -> wrong quantity: sum of abs")
def _(s, sl):
    return solve(lambda c: np.abs(J(sm(c * s))).sum() - sl, 1e-3, 1e3, False)


@w("saturation_scale", "grid with whole numbers, first below slope")
def _(s, sl):
    for c in range(1, 1000):
        if np.abs(J(sm(c * s))).max() < sl:
            return c


# --- scores
@w("scores", "forgot scaling")
def _(q, k):
    return q @ k.T


@w("scores", "divided by d_k, not the root")
def _(q, k):
    return q @ k.T / q.shape[1]


@w("scores", "K Q^T: transposed")
def _(q, k):
    return k @ q.T / np.sqrt(q.shape[1])


@w("scores", "root of number of keys, not d_k")
def _(q, k):
    return q @ k.T / np.sqrt(k.shape[0])


@w("scores", "multiplied by root d_k")
def _(q, k):
    return q @ k.T * np.sqrt(q.shape[1])


@w("scores", "already applied softmax")
def _(q, k):
    return sm(q @ k.T / np.sqrt(q.shape[1]))


# --- attention
@w("attention", "no scaling")
def _(q, k, v):
    a = sm(q @ k.T)
    return a @ v, a


@w("attention", "softmax along axis 0 (queries)")
def _(q, k, v):
    a = sm(q @ k.T / np.sqrt(q.shape[1]), 0)
    return a @ v, a


@w("attention", "returns only output")
def _(q, k, v):
    a = sm(q @ k.T / np.sqrt(q.shape[1]))
    return a @ v


@w("attention", "results in swapped order")
def _(q, k, v):
    a = sm(q @ k.T / np.sqrt(q.shape[1]))
    return a, a @ v


@w("attention", "scaled after the softmax")
def _(q, k, v):
    a = sm(q @ k.T) / np.sqrt(q.shape[1])
    return a @ v, a


@w("attention", "returns the scores in place of the weights")
def _(q, k, v):
    s = q @ k.T / np.sqrt(q.shape[1])
    return sm(s) @ v, s


@w("attention", "forgot softmax")
def _(q, k, v):
    s = q @ k.T / np.sqrt(q.shape[1])
    return s @ v, s


@w("attention", "root of d_v in place of d_k")
def _(q, k, v):
    a = sm(q @ k.T / np.sqrt(v.shape[1]))
    return a @ v, a


# --- score_deviation
@w("score_deviation", "all pairs q@k.T rather than row by row")
def _(q, k):
    s = q @ k.T
    return s.std(), s.std() / np.sqrt(2 * s.size)


@w("score_deviation", "returns variance")
def _(q, k):
    s = (q * k).sum(1)
    return s.var(), s.var() / np.sqrt(2 * len(s))


@w("score_deviation", "error of mean: /sqrt(n) without the 2")
def _(q, k):
    s = (q * k).sum(1)
    return s.std(), s.std() / np.sqrt(len(s))


@w("score_deviation", "divided scores by sqrt(d_k)")
def _(q, k):
    s = (q * k).sum(1) / np.sqrt(q.shape[1])
    return s.std(), s.std() / np.sqrt(2 * len(s))


@w("score_deviation", "root mean square, about 0 not the mean")
def _(q, k):
    s = (q * k).sum(1)
    d = np.sqrt((s**2).mean())
    return d, d / np.sqrt(2 * len(s))


# --- sigma_divisor
@w("sigma_divisor", "ignores sigma")
def _(d, s):
    return np.sqrt(d)


@w("sigma_divisor", "sigma once, not squared")
def _(d, s):
    return s * np.sqrt(d)


@w("sigma_divisor", "variance d sigma^4, forgot root")
def _(d, s):
    return d * s**4


# --- split / merge
@w("split_heads", "reshape straight to (heads,n,d_k), mixes tokens")
def _(x, h):
    n, d = x.shape
    return x.reshape(h, n, d // h)


@w("split_heads", "(n,heads,d_k), forgot transpose")
def _(x, h):
    n, d = x.shape
    return x.reshape(n, h, d // h)


@w("split_heads", "interleaved columns: head takes every heads-th column")
def _(x, h):
    n, d = x.shape
    return x.reshape(n, d // h, h).transpose(2, 0, 1)


@w("merge_heads", "reshape without transpose")
def _(x):
    h, n, d = x.shape
    return x.reshape(n, h * d)


@w("merge_heads", "transposed to (n,d_k,heads): columns interleaved")
def _(x):
    h, n, d = x.shape
    return x.transpose(1, 2, 0).reshape(n, h * d)


@w("merge_heads", "sum over heads rather than concatenation")
def _(x):
    return x.sum(0)


# --- MHA
def split(x, h):
    n, d = x.shape
    return x.reshape(n, h, d // h).transpose(1, 0, 2)


def merge(x):
    h, n, d = x.shape
    return x.transpose(1, 0, 2).reshape(n, h * d)


def mh(x, Q, K, V, O, h, dk=None, useO=True, sp=split, T=False, mg=merge):
    if T:
        Q, K, V, O = Q.T, K.T, V.T, O.T
    q, k, v = sp(x @ Q, h), sp(x @ K, h), sp(x @ V, h)
    dk = q.shape[-1] if dk is None else dk
    o = mg(sm(q @ k.transpose(0, 2, 1) / np.sqrt(dk)) @ v)
    return o @ O if useO else o


@w("multi_head_attention", "missing W_O")
def _(x, Q, K, V, O, h):
    return mh(x, Q, K, V, O, h, useO=False)


@w("multi_head_attention", "sqrt of d_model in place of d_k")
def _(x, Q, K, V, O, h):
    return mh(x, Q, K, V, O, h, dk=x.shape[1])


@w("multi_head_attention", "no scaling")
def _(x, Q, K, V, O, h):
    return mh(x, Q, K, V, O, h, dk=1)


@w("multi_head_attention", "a single head, heads ignored")
def _(x, Q, K, V, O, h):
    return mh(x, Q, K, V, O, 1)


@w("multi_head_attention", "matrices transposed (x W^T)")
def _(x, Q, K, V, O, h):
    return mh(x, Q, K, V, O, h, T=True)


@w("multi_head_attention", "merge without transpose")
def _(x, Q, K, V, O, h):
    return mh(x, Q, K, V, O, h, mg=lambda y: y.reshape(y.shape[1], -1))


@w("multi_head_attention", "values not projected by W_V")
def _(x, Q, K, V, O, h):
    return mh(x, Q, K, np.eye(x.shape[1]), O, h)


@w("multi_head_attention", "W_Q used for the keys too")
def _(x, Q, K, V, O, h):
    return mh(x, Q, Q, V, O, h)


@w("multi_head_attention", "added residual x")
def _(x, Q, K, V, O, h):
    return x + mh(x, Q, K, V, O, h)


# --- head_cost
@w("head_cost", "weights: forgot W_O (3 d^2)")
def _(n, d, h):
    return d // h, n * n, 3 * d * d


@w("head_cost", "scores of all heads")
def _(n, d, h):
    return d // h, h * n * n, 4 * d * d


@w("head_cost", "weights multiplied by heads")
def _(n, d, h):
    return d // h, n * n, 4 * d * d * h


@w("head_cost", "counted biases")
def _(n, d, h):
    return d // h, n * n, 4 * (d * d + d)


# --- layer norm
def lx(axis=-1, ddof=0, mode="in", g=True, b=True):
    def f(x, ga, be, eps):
        m = x.mean(axis=axis, keepdims=True)
        v = x.var(axis=axis, keepdims=True, ddof=ddof)
        den = {"in": np.sqrt(v + eps), "out": np.sqrt(v) + eps, "no": np.sqrt(v), "var": v + eps}[mode]
        y = (x - m) / den
        return (y * ga if g else y) + (be if b else 0)

    return f


for d, k in [
    ("statistics along axis 0 (tokens)", dict(axis=0)),
    ("ddof=1", dict(ddof=1)),
    ("eps outside the root", dict(mode="out")),
    ("no eps", dict(mode="no")),
    ("divided by the variance, not the root", dict(mode="var")),
    ("forgot gamma", dict(g=False)),
    ("forgot beta", dict(b=False)),
    ("statistics of the whole array", dict(axis=None)),
]:
    w("layer_norm", d)(lx(**k))


@w("layer_norm", "forgot to subtract the mean (RMSNorm)")
def _(x, g, b, e):
    return x / np.sqrt((x**2).mean(-1, keepdims=True) + e) * g + b


@w("layer_norm", "variance as E[x^2]-E[x]^2, in far rows loses digits")
def _(x, g, b, e):
    m = x.mean(-1, keepdims=True)
    return (x - m) / np.sqrt((x**2).mean(-1, keepdims=True) - m**2 + e) * g + b


@w("layer_norm", "gamma multiplies beta too: gamma*(xhat+beta)")
def _(x, g, b, e):
    return g * (lnorm(x, e) + b)


# --- residual gradient
@w("residual_gradient", "forgot skip: only J^T g")
def _(Js, g):
    for A in Js[::-1]:
        g = A.T @ g
    return g


@w("residual_gradient", "no transpose: J g")
def _(Js, g):
    for A in Js[::-1]:
        g = g + A @ g
    return g


@w("residual_gradient", "first to last order")
def _(Js, g):
    for A in Js:
        g = g + A.T @ g
    return g


@w("residual_gradient", "sum of contributions: g + sum J^T g, no products")
def _(Js, g):
    return g + sum(A.T @ g for A in Js)


# --- blocks
@w("post_norm_block", "norm before sum: x + LN(sub(x))")
def _(x, a, *m):
    x = x + lnorm(a(x))
    return x + lnorm(mlp(x, *m))


@w("post_norm_block", "pre-norm instead")
def _(x, a, *m):
    x = x + a(lnorm(x))
    return x + mlp(lnorm(x), *m)


@w("post_norm_block", "no residual")
def _(x, a, *m):
    x = lnorm(a(x))
    return lnorm(mlp(x, *m))


@w("post_norm_block", "no residual round the MLP")
def _(x, a, *m):
    x = lnorm(x + a(x))
    return lnorm(mlp(x, *m))


@w("post_norm_block", "second residual adds the original x")
def _(x, a, *m):
    y = lnorm(x + a(x))
    return lnorm(x + mlp(y, *m))


@w("post_norm_block", "only one norm, at the end")
def _(x, a, *m):
    x = x + a(x)
    return lnorm(x + mlp(x, *m))


@w("post_norm_block", "no ReLU")
def _(x, a, W1, b1, W2, b2):
    x = lnorm(x + a(x))
    return lnorm(x + (x @ W1 + b1) @ W2 + b2)


@w("pre_norm_block", "post-norm instead")
def _(x, a, *m):
    x = lnorm(x + a(x))
    return lnorm(x + mlp(x, *m))


@w("pre_norm_block", "residual takes normalised x")
def _(x, a, *m):
    y = lnorm(x)
    x = y + a(y)
    y = lnorm(x)
    return y + mlp(y, *m)


@w("pre_norm_block", "final norm added")
def _(x, a, *m):
    x = x + a(lnorm(x))
    return lnorm(x + mlp(lnorm(x), *m))


@w("pre_norm_block", "forgot norm before MLP")
def _(x, a, *m):
    x = x + a(lnorm(x))
    return x + mlp(x, *m)


@w("pre_norm_block", "parallel: MLP reads the original x, not after attention")
def _(x, a, *m):
    return x + a(lnorm(x)) + mlp(lnorm(x), *m)


@w("pre_norm_block", "no residuals")
def _(x, a, *m):
    return mlp(lnorm(a(lnorm(x))), *m)


# --- feed_forward
@w("feed_forward", "no ReLU")
def _(x, a, b, c, d):
    return (x @ a + b) @ c + d


@w("feed_forward", "ReLU at the output too")
def _(x, a, b, c, d):
    return relu(relu(x @ a + b) @ c + d)


@w("feed_forward", "b1 added after ReLU")
def _(x, a, b, c, d):
    return (relu(x @ a) + b) @ c + d


@w("feed_forward", "forgot b2")
def _(x, a, b, c, d):
    return relu(x @ a + b) @ c


@w("feed_forward", "GELU (tanh) not ReLU")
def _(x, a, b, c, d):
    h = x @ a + b
    return 0.5 * h * (1 + np.tanh(np.sqrt(2 / np.pi) * (h + 0.044715 * h**3))) @ c + d


# --- causal
@w("causal_mask", "upper triangle: inverted (triu)")
def _(n):
    return np.triu(np.ones((n, n), bool))


@w("causal_mask", "off by one, excludes the diagonal")
def _(n):
    return np.tril(np.ones((n, n), bool), -1)


@w("causal_mask", "True = forbidden (triu k=1)")
def _(n):
    return np.triu(np.ones((n, n), bool), 1)


@w("causal_mask", "0/-inf float matrix rather than bool")
def _(n):
    return np.where(np.tril(np.ones((n, n), bool)), 0, -np.inf)


@w("causal_mask", "off by one, sees one future token (k=1)")
def _(n):
    return np.tril(np.ones((n, n), bool), 1)


# --- masked attention
def sc(q, k):
    return q @ k.T / np.sqrt(q.shape[1])


@w("masked_attention", "mask inverted")
def _(q, k, v, m):
    a = sm(np.where(m, -1e30, sc(q, k)))
    return a @ v, a


@w("masked_attention", "scores multiplied by mask (0 instead of -inf)")
def _(q, k, v, m):
    a = sm(sc(q, k) * m)
    return a @ v, a


@w("masked_attention", "mask multiplied after softmax, no renormalisation")
def _(q, k, v, m):
    a = sm(sc(q, k)) * m
    return a @ v, a


@w("masked_attention", "mask ignored")
def _(q, k, v, m):
    a = sm(sc(q, k))
    return a @ v, a


@w("masked_attention", "always causal, ignores given mask")
def _(q, k, v, m):
    a = sm(np.where(np.tril(np.ones(m.shape, bool)), sc(q, k), -np.inf))
    return a @ v, a


@w("masked_attention", "no scaling")
def _(q, k, v, m):
    a = sm(np.where(m, q @ k.T, -np.inf))
    return a @ v, a


@w("masked_attention", "filled with -10, not enough")
def _(q, k, v, m):
    a = sm(np.where(m, sc(q, k), -10.0))
    return a @ v, a


# --- PE
def pe(n, d, f=lambda i, d: 2 * i / d, base=1e4, p0=0):
    p = (np.arange(n) + p0)[:, None]
    i = np.arange(d // 2)[None]
    return p / base ** f(i, d)


def inter(a, b):
    o = np.empty((a.shape[0], 2 * a.shape[1]))
    o[:, ::2] = a
    o[:, 1::2] = b
    return o


@w("positional_encoding", "halves: sin first half, cos second")
def _(n, d):
    t = pe(n, d)
    return np.concatenate([np.sin(t), np.cos(t)], 1)


@w("positional_encoding", "cos on even columns, sin on odd (swapped)")
def _(n, d):
    t = pe(n, d)
    return inter(np.cos(t), np.sin(t))


@w("positional_encoding", "exponent i/d (forgot 2)")
def _(n, d):
    t = pe(n, d, lambda i, d: i / d)
    return inter(np.sin(t), np.cos(t))


@w("positional_encoding", "exponent 2*column/d: sin and cos have different frequencies")
def _(n, d):
    j = np.arange(d)
    t = np.arange(n)[:, None] / 1e4 ** (2 * j / d)
    return np.where(j % 2 == 0, np.sin(t), np.cos(t))


@w("positional_encoding", "exponent column/d: cos with its own frequency")
def _(n, d):
    j = np.arange(d)
    t = np.arange(n)[:, None] / 1e4 ** (j / d)
    return np.where(j % 2 == 0, np.sin(t), np.cos(t))


@w("positional_encoding", "positions start at 1")
def _(n, d):
    t = pe(n, d, p0=1)
    return inter(np.sin(t), np.cos(t))


@w("positional_encoding", "base 1000")
def _(n, d):
    t = pe(n, d, base=1e3)
    return inter(np.sin(t), np.cos(t))


@w("positional_encoding", "only sin")
def _(n, d):
    t = pe(n, d)
    return inter(np.sin(t), np.sin(t))


# --- count
@w("count_parameters", "biases counted on attention")
def _(d, h, f, L):
    return L * (4 * (d * d + d) + 2 * d * f + f + d + 4 * d)


@w("count_parameters", "no MLP biases")
def _(d, h, f, L):
    return L * (4 * d * d + 2 * d * f + 4 * d)


@w("count_parameters", "forgot norms")
def _(d, h, f, L):
    return L * (4 * d * d + 2 * d * f + f + d)


@w("count_parameters", "one norm a block")
def _(d, h, f, L):
    return L * (4 * d * d + 2 * d * f + f + d + 2 * d)


@w("count_parameters", "forgot W_O")
def _(d, h, f, L):
    return L * (3 * d * d + 2 * d * f + f + d + 4 * d)


@w("count_parameters", "attention times heads")
def _(d, h, f, L):
    return L * (4 * h * d * d + 2 * d * f + f + d + 4 * d)


@w("count_parameters", "forgot layers")
def _(d, h, f, L):
    return 4 * d * d + 2 * d * f + f + d + 4 * d


@w("count_parameters", "only one MLP matrix")
def _(d, h, f, L):
    return L * (4 * d * d + d * f + f + d + 4 * d)


# ===== RIGHT
@r("softmax")
def _(s):
    if np.ndim(s) == 1:
        m = max(s)
        e = [math.exp(a - m) for a in s]
        t = sum(e)
        return [a / t for a in e]
    return [[math.exp(a - max(row)) / sum(math.exp(b - max(row)) for b in row) for a in row] for row in s]


@r("softmax")
def _(s):
    l = np.logaddexp.reduce(np.asarray(s, float), axis=-1, keepdims=True)
    return np.exp(s - l)


@r("softmax")
def _(s):
    return sm(s).astype(np.float32)


@r("softmax_jacobian")
def _(p):
    return [[p[i] * ((i == j) - p[j]) for j in range(len(p))] for i in range(len(p))]


@r("softmax_jacobian")
def _(p):
    return p[:, None] * (np.eye(len(p)) - p)


@r("temperature")
def _(s, wd):
    s = s - s.max()
    lo, hi = 1e-3, 1e3
    while hi / lo > 1 + 1e-9:
        m = (lo * hi) ** 0.5
        if 1 / np.exp(s / m).sum() > wd:
            lo = m
        else:
            hi = m
    return lo


@r("temperature")
def _(s, wd):
    g = np.geomspace(1e-3, 1e3, 100001)
    z = s - s.max()
    return g[np.argmin(np.abs(1 / np.exp(z[None] / g[:, None]).sum(1) - wd))]


@r("saturation_scale")
def _(s, sl):
    g = np.geomspace(1e-3, 1e3, 50001)
    p = sm(g[:, None] * s)
    m = (p * (1 - p)).max(1)
    return g[np.nonzero(m >= sl)[0][-1] + 1]


@r("scores")
def _(q, k):
    return np.einsum("id,jd->ij", q, k) * k.shape[-1] ** -0.5


@r("scores")
def _(q, k):
    return [[float(np.dot(a, b)) / math.sqrt(len(a)) for b in k] for a in q]


@r("attention")
def _(q, k, v):
    l = np.einsum("id,jd->ij", q / math.sqrt(q.shape[1]), k)
    a = np.exp(l - np.logaddexp.reduce(l, axis=1)[:, None])
    return np.einsum("ij,jv->iv", a, v), a


@r("attention")
def _(q, k, v):
    A = []
    O = []
    for a in q:
        z = [float(a @ b) / len(a) ** 0.5 for b in k]
        m = max(z)
        e = [math.exp(t - m) for t in z]
        S = sum(e)
        A.append([t / S for t in e])
        O.append(sum(t / S * c for t, c in zip(e, v)))
    return [O, A]


@r("score_deviation")
def _(q, k):
    s = np.einsum("nd,nd->n", q, k)
    d = s.std(ddof=1)
    return np.array([d, d / np.sqrt(2 * (len(s) - 1))])


@r("score_deviation")
def _(q, k):
    import statistics

    s = [float(a @ b) for a, b in zip(q, k)]
    d = statistics.pstdev(s)
    return [d, d / math.sqrt(2 * len(s))]


@r("sigma_divisor")
def _(d, s):
    return math.sqrt(d * (s * s) ** 2)


@r("split_heads")
def _(x, h):
    return np.stack(np.split(x, h, axis=1))


@r("split_heads")
def _(x, h):
    return np.hsplit(x, h)


@r("merge_heads")
def _(x):
    return np.hstack(list(x))


@r("merge_heads")
def _(x):
    return np.moveaxis(x, 0, 1).reshape(x.shape[1], -1).tolist()


@r("multi_head_attention")
def _(x, Q, K, V, O, h):
    c = x.shape[1] // h
    o = 0
    for i in range(h):
        t = slice(i * c, (i + 1) * c)
        o = o + sm((x @ Q[:, t]) @ (x @ K[:, t]).T / np.sqrt(c)) @ (x @ V[:, t]) @ O[t]
    return o


@r("multi_head_attention")
def _(x, Q, K, V, O, h):
    d = x.shape[1]
    c = d // h
    f = lambda M: M.reshape(d, h, c)
    a = sm(np.einsum("nd,dhc,me,ehc->hnm", x, f(Q), x, f(K)) / c**0.5)
    return np.einsum("hnm,me,ehc,hco->no", a, x, f(V), O.reshape(h, c, d), optimize=True)


@r("head_cost")
def _(n, d, h):
    return [d / h, float(n**2), np.int64(4 * d**2)]


@r("layer_norm")
def _(x, g, b, e):
    o = []
    for row in x:
        m = math.fsum(row) / len(row)
        v = math.fsum((t - m) ** 2 for t in row) / len(row)
        o.append([gg * (t - m) / math.sqrt(v + e) + bb for t, gg, bb in zip(row, g, b)])
    return o


@r("layer_norm")
def _(x, g, b, e):
    c = x @ (np.eye(x.shape[1]) - 1 / x.shape[1]) if False else x - np.einsum("nd->n", x)[:, None] / x.shape[1]
    return g * c * (np.einsum("nd,nd->n", c, c) / x.shape[1] + e)[:, None] ** -0.5 + b


@r("residual_gradient")
def _(Js, g):
    M = np.eye(len(g))
    for A in Js:
        M = (np.eye(len(g)) + A) @ M
    return g @ M


@r("residual_gradient")
def _(Js, g):
    for A in reversed(list(Js)):
        g = np.einsum("i,ij->j", g, A) + g
    return g.tolist()


@r("post_norm_block")
def _(x, a, A, b, C, d):
    n = lambda t: ((t.T - t.mean(1)) / np.sqrt(t.T.var(0) + 1e-5)).T
    y = n(np.add(x, a(x)))
    h = np.einsum("nd,df->nf", y, A) + b
    return n(y + (h * (h > 0)) @ C + d)


@r("pre_norm_block")
def _(x, a, A, b, C, d):
    y = x + a(lnorm(x))
    return np.array([t + np.clip(u @ A + b, 0, None) @ C + d for t, u in zip(y, lnorm(y))])


@r("feed_forward")
def _(x, a, b, c, d):
    h = x @ a + b
    return np.einsum("nf,fd->nd", (h + abs(h)) / 2, c) + d


@r("feed_forward")
def _(x, a, b, c, d):
    return np.array([np.where(t @ a + b > 0, t @ a + b, 0) @ c + d for t in x], dtype=np.float32)


@r("causal_mask")
def _(n):
    return [[j <= i for j in range(n)] for i in range(n)]


@r("causal_mask")
def _(n):
    return ~(np.arange(n) > np.arange(n)[:, None])


@r("masked_attention")
def _(q, k, v, m):
    s = sc(q, k)
    s = np.where(m, s, -np.inf)
    a = np.exp(s - np.logaddexp.reduce(s, axis=1, keepdims=True))
    return a @ v, a


@r("masked_attention")
def _(q, k, v, m):
    A = np.zeros(m.shape)
    for i in range(len(q)):
        A[i, m[i]] = sm(k[m[i]] @ q[i] / len(q[i]) ** 0.5)
    return A @ v, A


@r("positional_encoding")
def _(n, d):
    return [[(math.sin, math.cos)[j % 2](p / 10000 ** ((j - j % 2) / d)) for j in range(d)] for p in range(n)]


@r("positional_encoding")
def _(n, d):
    z = np.exp(1j * np.outer(np.arange(n), np.exp(-math.log(1e4) * np.arange(0, d, 2) / d)))
    return np.stack([z.imag, z.real], -1).reshape(n, d)


@r("count_parameters")
def _(d, h, f, L):
    return sum(4 * d * d + d * f + f + f * d + d + 2 * 2 * d for _ in range(L))


@r("count_parameters")
def _(d, h, f, L):
    return float(L * (4 * h * d * (d // h) + f * (2 * d + 1) + 5 * d))


WRONG = W
RIGHT = R
