"""Answers written from the texts of the exercises alone, as a learner would, after the diagnoses were finished.

WRONG: exercise, the diagnosis that would be just ("a|b": either would), the answer. RIGHT: exercise, the answer.
"""

import math

import numpy as np

import bloque


def soft(z, axis=-1):
    e = np.exp(z - z.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def norm(x, axis=-1):
    return (x - x.mean(axis, keepdims=True)) / np.sqrt(x.var(axis, keepdims=True) + 1e-5)


def net(x, W1, b1, W2, b2):
    return np.maximum(x @ W1 + b1, 0) @ W2 + b2


def softmax_total(scores):
    e = np.exp(scores)
    return e / np.sum(e)


def softmax_list(scores):
    total = 0
    for s in scores.flat:
        total += math.exp(min(s, 700))
    return np.exp(np.minimum(scores, 700)) / total


def softmax_tall(scores):
    e = np.exp(scores - np.max(scores))
    return (e.T / e.sum(-1)).T


def softmax_rounded(scores):
    return np.round(soft(scores), 2)


def jacobian_missing(weights):
    J = np.zeros((len(weights), len(weights)))
    for i, p in enumerate(weights):
        J[i, i] = p * (1 - p)
    return J


def jacobian_plus(weights):
    J = np.outer(weights, weights)
    for i, p in enumerate(weights):
        J[i, i] = p - p**2
    return J


def jacobian_of_logits(weights):
    p = soft(weights)
    return np.diag(p) - np.outer(p, p)


def temperature_coarse(scores, wanted):
    for tau in np.arange(0.1, 50, 0.1):
        if soft(scores / tau).max() < wanted:
            return tau


def temperature_times(scores, wanted):
    low, high = 1e-3, 1e3
    for _ in range(80):
        c = (low + high) / 2
        low, high = (c, high) if soft(scores * c).max() < wanted else (low, c)
    return low


def temperature_last(scores, wanted):
    low, high = 1e-3, 1e3
    for _ in range(80):
        c = (low + high) / 2
        low, high = (c, high) if soft(scores / c)[0] > wanted else (low, c)
    return low


def saturation_diagonal(scores, slope):
    grid = np.geomspace(1e-3, 1e3, 20_000)
    p = soft(grid[:, None] * scores)
    return grid[np.flatnonzero((p * (1 - p)).sum(-1) >= slope)[-1] + 1]


def saturation_weight(scores, slope):
    grid = np.geomspace(1e-3, 1e3, 20_000)
    return grid[np.flatnonzero(1 - soft(grid[:, None] * scores).max(-1) >= slope)[-1] + 1]


def saturation_whole(scores, slope):
    c = 1
    while (soft(c * scores) * (1 - soft(c * scores))).max() >= slope:
        c += 1
    return c


def scores_of_model(queries, keys):
    return queries @ keys.T / np.sqrt(len(keys))


def attention_columns(queries, keys, values):
    w = soft(queries @ keys.T / np.sqrt(queries.shape[1]), axis=0)
    return w @ values, w


def attention_raw(queries, keys, values):
    s = queries @ keys.T / np.sqrt(queries.shape[1])
    return soft(s) @ values, s


def attention_fragile(queries, keys, values):
    w = np.exp(queries @ keys.T / math.sqrt(keys.shape[1]))
    w = w / w.sum(1, keepdims=True)
    return w @ values, w


def deviation_all(queries, keys):
    s = (queries @ keys.T).flatten()
    return np.std(s), np.std(s) / np.sqrt(2 * len(s))


def deviation_of_mean(queries, keys):
    s = np.sum(queries * keys, axis=1)
    return np.std(s), np.std(s) / np.sqrt(len(s))


def deviation_alone(queries, keys):
    return np.std(np.sum(queries * keys, axis=1))


def split_reshape(x, heads):
    return np.reshape(x, (heads, x.shape[0], x.shape[1] // heads))


def split_strided(x, heads):
    return np.stack([x[:, h::heads] for h in range(heads)])


def split_forgotten(x, heads):
    return x.reshape(x.shape[0], heads, x.shape[1] // heads)


def merge_vstack(x):
    return np.vstack(list(x))


def merge_reshape(x):
    h, n, d = x.shape
    return np.reshape(x, (n, d * h))


def multi_head_width(x, W_Q, W_K, W_V, W_O, heads):
    q, k, v = (bloque.split_heads(x @ W, heads) for W in (W_Q, W_K, W_V))
    w = soft(q @ k.transpose(0, 2, 1) / np.sqrt(x.shape[1]))
    return bloque.merge_heads(w @ v) @ W_O


def multi_head_unfinished(x, W_Q, W_K, W_V, W_O, heads):
    q, k, v = (bloque.split_heads(x @ W, heads) for W in (W_Q, W_K, W_V))
    return bloque.merge_heads(bloque.attention(q, k, v)[0])


def multi_head_cut(x, W_Q, W_K, W_V, W_O, heads):
    parts = []
    w = x.shape[1] // heads
    for h in range(heads):
        s = slice(h * w, (h + 1) * w)
        q, k, v = (x[:, s] @ W[s, s] for W in (W_Q, W_K, W_V))
        parts.append(bloque.attention(q, k, v)[0])
    return np.hstack(parts) @ W_O


def layer_norm_std(x, gamma, beta, eps):
    return gamma * (x - x.mean(1, keepdims=True)) / (x.std(1, keepdims=True) + eps) + beta


def layer_norm_batch(x, gamma, beta, eps):
    return gamma * (x - x.mean(0)) / np.sqrt(x.var(0) + eps) + beta


def layer_norm_sample(x, gamma, beta, eps):
    m = x.mean(-1)[:, None]
    v = ((x - m) ** 2).sum(-1)[:, None] / (x.shape[-1] - 1)
    return (x - m) / np.sqrt(v + eps) * gamma + beta


def layer_norm_squares(x, gamma, beta, eps):
    m = x.mean(-1, keepdims=True)
    return (x - m) / np.sqrt((x**2).mean(-1, keepdims=True) - m**2 + eps) * gamma + beta


def gradient_plain(jacobians, gradient):
    for J in jacobians[::-1]:
        gradient = J.T @ gradient
    return gradient


def gradient_from_the_start(jacobians, gradient):
    for J in jacobians:
        gradient = gradient + J.T @ gradient
    return gradient


def gradient_in_place(jacobians, gradient):
    for J in jacobians[::-1]:
        gradient += J.T @ gradient
    return gradient


def post_is_pre(x, attention, W1, b1, W2, b2):
    x = x + attention(norm(x))
    return x + net(norm(x), W1, b1, W2, b2)


def post_bare(x, attention, W1, b1, W2, b2):
    return norm(net(norm(attention(x)), W1, b1, W2, b2))


def post_first(x, attention, W1, b1, W2, b2):
    return norm(x + net(norm(x + attention(x)), W1, b1, W2, b2))


def pre_ends_in_norm(x, attention, W1, b1, W2, b2):
    y = x + attention(norm(x))
    return norm(y + net(norm(y), W1, b1, W2, b2))


def pre_overwritten(x, attention, W1, b1, W2, b2):
    x = norm(x)
    y = x + attention(x)
    y = norm(y)
    return y + net(y, W1, b1, W2, b2)


def network_outside(x, W1, b1, W2, b2):
    return np.maximum(0, (x @ W1 + b1) @ W2 + b2)


def network_careless(x, W1, b1, W2, b2):
    return np.maximum(0, x @ W1) @ W2


def masked_late(queries, keys, values, mask):
    w = soft(queries @ keys.T / np.sqrt(queries.shape[1])) * mask
    return w @ values, w


def masked_zero(queries, keys, values, mask):
    w = soft(queries @ keys.T / np.sqrt(queries.shape[1]) * mask)
    return w @ values, w


def masked_backwards(queries, keys, values, mask):
    z = queries @ keys.T / np.sqrt(queries.shape[1])
    z[mask] = -1e9
    return soft(z) @ values, soft(z)


def positions_split(n, d_model):
    t = np.arange(n)[:, None] / 10000 ** (np.arange(0, d_model, 2) / d_model)
    return np.hstack([np.sin(t), np.cos(t)])


def positions_every_column(n, d_model):
    t = np.arange(n)[:, None] / 10000 ** (np.arange(d_model) / d_model)
    return np.where(np.arange(d_model) % 2 == 0, np.sin(t), np.cos(t))


WRONG = [
    ("softmax", "whole", softmax_total),
    ("softmax", "whole|clipped_scores", softmax_list),
    ("softmax", "global_max", softmax_tall),
    ("softmax", "(unnamed)", softmax_rounded),
    ("softmax_jacobian", "only_diagonal", jacobian_missing),
    ("softmax_jacobian", "plus_outside", jacobian_plus),
    ("softmax_jacobian", "softmax_again", jacobian_of_logits),
    ("temperature", "coarse", temperature_coarse),
    ("temperature", "inverse", temperature_times),
    ("temperature", "first_weight", temperature_last),
    ("saturation_scale", "wrong_measure", saturation_diagonal),
    ("saturation_scale", "rest", saturation_weight),
    ("saturation_scale", "coarse", saturation_whole),
    ("scores", "wrong_size", scores_of_model),
    ("scores", "no_transpose", lambda queries, keys: queries @ keys / np.sqrt(queries.shape[1])),
    ("scores", "transposed", lambda queries, keys: keys @ queries.T / np.sqrt(queries.shape[1])),
    ("attention", "axis", attention_columns),
    ("attention", "returns_scores", attention_raw),
    ("attention", "overflow", attention_fragile),
    ("score_deviation", "all_pairs", deviation_all),
    ("score_deviation", "error_of_mean", deviation_of_mean),
    ("score_deviation", "count", deviation_alone),
    ("sigma_divisor", "one_sigma", lambda d_k, sigma: sigma * d_k**0.5),
    ("sigma_divisor", "variance", lambda d_k, sigma: d_k * sigma**4),
    ("sigma_divisor", "(unnamed)", lambda d_k, sigma: math.sqrt(d_k * sigma**3)),
    ("split_heads", "straight", split_reshape),
    ("split_heads", "interleaved", split_strided),
    ("split_heads", "no_transpose", split_forgotten),
    ("merge_heads", "stacked", merge_vstack),
    ("merge_heads", "straight", merge_reshape),
    ("multi_head_attention", "d_model", multi_head_width),
    ("multi_head_attention", "no_output_matrix", multi_head_unfinished),
    ("multi_head_attention", "sliced", multi_head_cut),
    ("head_cost", "all_heads", lambda n, d_model, heads: (d_model // heads, heads * n * n, 4 * d_model * d_model)),
    ("head_cost", "times_heads", lambda n, d_model, heads: (d_model // heads, n * n, 4 * heads * d_model**2)),
    ("layer_norm", "eps_outside", layer_norm_std),
    ("layer_norm", "columns", layer_norm_batch),
    ("layer_norm", "ddof", layer_norm_sample),
    ("layer_norm", "one_pass", layer_norm_squares),
    ("residual_gradient", "no_identity", gradient_plain),
    ("residual_gradient", "forward_order", gradient_from_the_start),
    ("residual_gradient", "writes_input", gradient_in_place),
    ("post_norm_block", "pre_norm", post_is_pre),
    ("post_norm_block", "no_residual", post_bare),
    ("post_norm_block", "residual_original", post_first),
    ("pre_norm_block", "final_norm", pre_ends_in_norm),
    ("pre_norm_block", "normed_residual", pre_overwritten),
    ("feed_forward", "relu_last", network_outside),
    ("feed_forward", "no_biases", network_careless),
    ("causal_mask", "strict", lambda n: np.tri(n, k=-1, dtype=bool)),
    ("causal_mask", "numbers", lambda n: np.tril(np.ones((n, n)))),
    ("causal_mask", "inverted", lambda n: np.triu(np.ones((n, n)), 1) == 1),
    ("masked_attention", "after_softmax", masked_late),
    ("masked_attention", "multiplied", masked_zero),
    ("masked_attention", "inverted", masked_backwards),
    ("positional_encoding", "halves", positions_split),
    ("positional_encoding", "cosine_next", positions_every_column),
    ("count_parameters", "one_norm", lambda d, h, f, n: n * (4 * d * d + 2 * d * f + f + d + 2 * d)),
    ("count_parameters", "only_matrices", lambda d, h, f, n: n * (4 * d * d + 2 * d * f)),
]


def gradient_of_sum(jacobians, gradient):
    g = np.array(gradient, dtype=float)
    for layer in range(len(jacobians) - 1, -1, -1):
        through = np.zeros_like(g)
        for i in range(len(g)):
            for j in range(len(g)):
                through[j] += jacobians[layer][i][j] * g[i]
        g += through
    return g


def masked_nan(q, k, v, mask):
    z = np.ma.masked_array(q @ k.T / np.sqrt(q.shape[1]), ~mask)
    e = np.where(mask, np.exp(z.data - z.max(1).data[:, None]), 0)
    w = e / e.sum(1)[:, None]
    return [w @ v, w.tolist()]


def softmax_out(scores):
    out = np.subtract(scores, np.max(scores, axis=-1, keepdims=True), dtype=float)
    np.exp(out, out=out)
    np.divide(out, out.sum(-1)[..., None], out=out)
    return out


RIGHT = [
    ("softmax", softmax_out),
    ("softmax", lambda s: np.exp(s - np.logaddexp.reduce(s, axis=-1, keepdims=True))),
    ("softmax_jacobian", lambda p: np.array([p[i] * (np.arange(len(p)) == i) - p[i] * p for i in range(len(p))])),
    ("softmax_jacobian", lambda p: np.matmul(np.diag(p), np.eye(len(p)) - np.ones((len(p), 1)) * p)),
    ("temperature", lambda s, w: np.float32(1 / temperature_times(s, w))),
    ("saturation_scale", lambda s, t: 1 / temperature_coarse_to_fine(s, (1 + (1 - 4 * t) ** 0.5) / 2)),
    ("scores", lambda q, k: np.array([k @ row for row in q]) / np.sqrt(q.shape[-1])),
    ("attention", lambda q, k, v: (soft((k @ q.T / len(k[0]) ** 0.5).T) @ v, soft(q @ k.T * len(q[0]) ** -0.5))),
    ("score_deviation", lambda q, k: (np.std((q * k).sum(1)), math.sqrt(np.var((q * k).sum(1)) / (2 * len(q))))),
    ("sigma_divisor", lambda d_k, sigma: np.exp(0.5 * np.log(d_k) + 2 * np.log(sigma))),
    ("split_heads", lambda x, h: np.array([x[:, i * x.shape[1] // h : (i + 1) * x.shape[1] // h] for i in range(h)])),
    ("merge_heads", lambda x: np.array([np.ravel(x[:, t]) for t in range(x.shape[1])])),
    ("multi_head_attention", lambda x, *w: bloque.multi_head_attention(x, bloque.heads.MultiHeadParameters(*w[:4]), w[4])[0]),
    ("head_cost", lambda n, d, h: (np.int64(d) // h, pow(n, 2), (2 * d) ** 2)),
    ("layer_norm", lambda x, g, b, e: (x.T - x.mean(1)).T / np.sqrt(x.var(1) + e)[:, None] * g + b),
    ("residual_gradient", gradient_of_sum),
    ("post_norm_block", lambda x, f, *p: norm(norm(x + f(x)) + net(norm(x + f(x)), *p))),
    ("pre_norm_block", lambda x, f, *p: x + f(norm(x)) + net(norm(x + f(norm(x))), *p)),
    ("feed_forward", lambda x, A, a, B, b: (x @ A + a).clip(min=0).dot(B) + b),
    ("causal_mask", lambda n: np.array([[True] * (i + 1) + [False] * (n - i - 1) for i in range(n)])),
    ("masked_attention", masked_nan),
    ("positional_encoding", lambda n, d: [[(math.sin, math.cos)[c % 2](t / 1e4 ** (c // 2 * 2 / d)) for c in range(d)] for t in range(n)]),
    ("count_parameters", lambda d, h, f, n: n * sum([4 * d**2, d * f, f * d, f, d, d, d, d, d])),
]


def temperature_coarse_to_fine(scores, wanted):
    low, high = 1e-3, 1e3
    for _ in range(6):
        grid = np.linspace(low, high, 2001)
        place = np.flatnonzero(soft(scores / grid[:, None]).max(-1) >= wanted)[-1]
        low, high = grid[place], grid[min(place + 1, 2000)]
    return low
