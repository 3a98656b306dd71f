r"""Forward–backward and Viterbi over many sequences, and expected counts of values.

    forward    f_t(j) = b_t(j) Σ_i f_{t-1}(i) a_ij / c_t,   f_1(j) = b_1(j) π_j / c_1,   Σ_j f_t(j) = 1
    backward   g_t(i) = Σ_j a_ij b_{t+1}(j) g_{t+1}(j) / c_{t+1},                        g_n(i) = 1
    posterior  P(state t = i | rows) = f_t(i) g_t(i),        ln P(rows) = Σ_t ln c_t
    Viterbi    v_t(j) = ln b_t(j) + max_i (v_{t-1}(i) + ln a_ij)

Each step is divided by its own sum c_t, and ln b has its largest value taken off before the exponential, so
that nothing underflows, however long the sequence. A row that no reachable state can show has ln c = -inf and
says nothing about the states.

log_b : float64 (n, K), ln b_t(j);  ends : int64 (s,), where each sequence ends;  w : float64 (s,), weights
"""

import numpy as np

from openbook.kernels.jit import jit

#: A sum below this has lost digits.
TINY = 1e-200


@jit
def forward_pass(log_b, top, b, ends, start, into, filtered, scale):  # noqa: C901 (inner loops)
    """Fill filtered (n, K) with f and scale (n,) with c / e^top; b, which is e^(log_b - top), gets b / c.

    into (K, K) are the transitions with the next state first.

    top (n,) is the largest log_b of each row; where the states that have it cannot be reached, and the others
    show the row with next to nothing, it becomes the largest of those that can.
    """
    K = len(start)
    reached = np.empty(K)
    begin = 0
    for s in range(len(ends)):
        for t in range(begin, ends[s]):
            total = 0.0
            for j in range(K):
                reached[j] = start[j]
                if t > begin:
                    incoming = 0.0
                    for i in range(K):
                        incoming += filtered[t - 1, i] * into[j, i]
                    reached[j] = incoming
                total += reached[j] * b[t, j]
            if not total > TINY:
                top[t] = -np.inf
                for j in range(K):
                    if reached[j] > 0:
                        top[t] = max(top[t], log_b[t, j])
                total = 0.0
                for j in range(K):
                    b[t, j] = np.exp(log_b[t, j] - top[t]) if top[t] > -np.inf else 1.0
                    b[t, j] = b[t, j] if reached[j] > 0 else 0.0
                    total += reached[j] * b[t, j]
            scale[t] = total
            inverse = 1 / total
            for j in range(K):
                b[t, j] *= inverse
                filtered[t, j] = reached[j] * b[t, j]
        begin = ends[s]


@jit
def backward_pass(b, ends, w, transitions, posterior, pairs):
    """Turn f into posterior, (n, K), and add to pairs (K, K), given b_t(j) / c_t.

    Times a_ij, pairs are the expected numbers of transitions.
    """
    K = len(transitions)
    later, shown = np.empty(K), np.empty(K)
    begin = 0
    for s in range(len(ends)):
        later[:] = 1.0
        for t in range(ends[s] - 1, begin - 1, -1):
            for j in range(K):
                posterior[t, j] *= later[j]
                shown[j] = b[t, j] * later[j]
            if t > begin:
                for i in range(K):
                    before, total = w[s] * posterior[t - 1, i], 0.0
                    for j in range(K):
                        pairs[i, j] += before * shown[j]
                        total += transitions[i, j] * shown[j]
                    later[i] = total
        begin = ends[s]


@jit
def best_paths(log_b, ends, log_start, log_transitions, pointers, path):  # noqa: C901 (inner loops)
    """Fill path (n,), the most probable states of each sequence; pointers, int32 (n, K), are scratch.

    The first of equally probable states is taken.
    """
    K = len(log_start)
    now, before = np.empty(K), np.empty(K)
    begin = 0
    for s in range(len(ends)):
        end = ends[s]
        for t in range(begin, end):
            top = -np.inf
            for j in range(K):
                best, which = log_start[j], 0
                if t > begin:
                    best = before[0] + log_transitions[0, j]
                    for i in range(1, K):
                        if before[i] + log_transitions[i, j] > best:
                            best, which = before[i] + log_transitions[i, j], i
                now[j], pointers[t, j] = best, which
                top = max(top, best + log_b[t, j])
            for j in range(K):  # a row that no reachable state can show is no evidence
                before[j] = now[j] + log_b[t, j] if top > -np.inf else now[j]
        state = 0
        for j in range(1, K):
            if before[j] > before[state]:
                state = j
        for t in range(end - 1, begin - 1, -1):
            path[t] = state
            state = pointers[t, state]
        begin = end


@jit
def add_shown(codes, shares, counts):
    """Add the shares of each row, (n, K), to counts (K, V) of its value; a code below 0 is no value."""
    for t in range(len(codes)):
        if codes[t] >= 0:
            for k in range(shares.shape[1]):
                counts[k, codes[t]] += shares[t, k]
