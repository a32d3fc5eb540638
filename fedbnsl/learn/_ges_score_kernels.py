"""Compiled kernels that fill in the gains that the search of :mod:`fedbnsl.learn._ges_kernels` asks for.

The gain of x for a variable y with parents B is score(y | B, x) − score(y | B), rounded to 2⁻²⁰ so that
equal gains compare as equal.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit, types
from numba.extending import intrinsic

# Up to this many cells of B and y, times states of x, counting ones in rows of bits is the fastest way.
_FEW = 220
_TOO_MANY = 1e290  # parent configurations that a float cannot count: such a family is never worth it


class Columns(NamedTuple):
    """Discrete data prepared for counting; n rows, states numbered among those that occur."""

    codes: np.ndarray  # (d, n) uint16
    seen: np.ndarray  # (d,) number of states that occur
    declared: np.ndarray  # (d,) float64
    bits: np.ndarray  # (states, n / 64) rows in a state, for all states that occur but each variable's last
    first_bits: np.ndarray  # (d,) a variable's first state there
    ess: float  # 0: BIC
    penalty: float  # BIC: of a parameter
    terms: np.ndarray  # (t, n + 1) Σ_{i<N} log(i + α) for N; BIC: N log N in row 0
    keys: np.ndarray  # (t,) ess / α
    filled: np.ndarray  # (t,) largest N that is there
    slots: np.ndarray  # hash table of the keys
    used: np.ndarray  # (1,) how many there are


@intrinsic
def _ones(_context, word):
    return types.uint64(types.uint64), lambda context, builder, signature, given: builder.ctpop(given[0])


@njit(cache=True)
def rounded(gain):
    """To the nearest multiple of 2⁻²⁰."""
    return math.floor(gain * 1048576.0 + 0.5) / 1048576.0


@njit(cache=True)
def _term_row(c, key, largest):
    """Row of c.terms for α = ess / key, filled up to ``largest``."""
    mask = c.slots.shape[0] - 1
    spread = math.log(key) * 997.0
    slot = np.int64((spread - math.floor(spread)) * c.slots.shape[0]) & mask
    while c.slots[slot] >= 0 and c.keys[c.slots[slot]] != key:
        slot = (slot + 1) & mask
    row = c.slots[slot]
    if row < 0:
        row = c.used[0]
        c.used[0] += 1
        c.slots[slot] = row
        c.keys[row] = key
        c.filled[row] = 0
        c.terms[row, 0] = 0.0
    alpha = c.ess / key
    for count in range(c.filled[row], largest):
        c.terms[row, count + 1] = c.terms[row, count] + math.log(count + alpha)
    c.filled[row] = max(c.filled[row], largest)
    return row


@njit(cache=True)
def _sort_rows(c, y, members, n_members, order, cells, configurations):
    """Sort the rows by configuration of the parents and then by y.

    Fills order (n,), the first place of every cell (configuration and state of y that occur) and the
    first cell of every configuration, with a closing entry each; returns (cells, configurations).
    Configurations of one row are left out: their terms cancel in every gain.
    """
    n = c.codes.shape[1]
    ids = np.zeros(n, np.uint32)
    found = 1
    for k in range(n_members):
        column, states = c.codes[members[k]], np.uint32(c.seen[members[k]])
        table = np.full(found * np.int64(states), np.uint32(0xFFFFFFFF), np.uint32)
        found = 0
        for row in range(n):
            key = ids[row] * states + column[row]
            if table[key] == np.uint32(0xFFFFFFFF):
                table[key] = found
                found += 1
            ids[row] = table[key]
    total = np.zeros(found, np.uint32)
    for row in range(n):
        total[ids[row]] += np.uint32(1)
    states = np.uint32(c.seen[y])
    counts = np.zeros(found * np.int64(states) + 1, np.uint32)
    column = c.codes[y]
    for row in range(n):
        if total[ids[row]] > 1:
            counts[ids[row] * states + column[row]] += np.uint32(1)
    place, n_cells, n_configurations = np.uint32(0), 0, 0
    key = 0
    for i in range(found):
        if total[i] > 1:
            configurations[n_configurations] = n_cells
            n_configurations += 1
        for _ in range(np.int64(states)):
            size = counts[key]
            counts[key] = place
            if size:
                cells[n_cells] = place
                n_cells += 1
            place += size
            key += 1
    cells[n_cells] = place
    configurations[n_configurations] = n_cells
    for row in range(n):
        if total[ids[row]] > 1:
            key2 = ids[row] * states + column[row]
            order[counts[key2]] = row
            counts[key2] += np.uint32(1)
    return n_cells, n_configurations


@njit(cache=True)
def _counted_by_bits(
    c, x, cell_bits, cells, n_cells, configurations, n_configurations, family, parents, counts
):
    """Σ family[N] over cells with x − Σ parents[N] over configurations with x."""
    states, first, words = c.seen[x], c.first_bits[x], cell_bits.shape[1]
    value = 0.0
    total = counts[1]
    for j in range(n_configurations):
        for k in range(configurations[j], configurations[j + 1]):
            rest = np.uint32(cells[k + 1] - cells[k])
            for s in range(states - 1):
                ones = np.uint64(0)
                for i in range(words):
                    ones += _ones(cell_bits[k, i] & c.bits[first + s, i])
                here = np.uint32(ones)
                rest -= here
                total[s] += here
                value += family[here]
            total[states - 1] += rest
            value += family[rest]
        for s in range(states):
            value -= parents[total[s]]
            total[s] = 0
    return value


@njit(cache=True)
def _counted_in_table(
    c, x, cell_of, table, n_cells, configurations, n_configurations, family, parents, counts
):
    """The same by a table of cells × states, which is zero before and after; cell n_cells is left out."""
    column, states = c.codes[x], np.uint32(c.seen[x])
    for row in range(column.shape[0]):
        table[cell_of[row] * states + column[row]] += np.uint32(1)
    value = 0.0
    total = counts[1]
    place = np.uint32(0)
    for j in range(n_configurations):
        for _ in range(configurations[j], configurations[j + 1]):
            for s in range(states):
                here = table[place]
                table[place] = np.uint32(0)
                place += np.uint32(1)
                value += family[here]
                total[s] += here
        for s in range(states):
            value -= parents[total[s]]
            total[s] = 0
    for s in range(states):
        table[place + s] = np.uint32(0)
    return value


@njit(cache=True)
def _counted_by_rows(c, x, order, cells, configurations, n_configurations, family, parents, counts):
    """The same, row by row; both rows of ``counts`` are zero before and after."""
    column, states = c.codes[x], c.seen[x]
    here, total = counts[0], counts[1]
    value = 0.0
    for j in range(n_configurations):
        first, last = configurations[j], configurations[j + 1]
        for k in range(first, last):
            start, stop = cells[k], cells[k + 1]
            if stop - start == 1:
                value += family[1]
                total[column[order[start]]] += np.uint32(1)
                continue
            for i in range(start, stop):
                here[column[order[i]]] += np.uint32(1)
            if np.int64(stop) - np.int64(start) < states:
                for i in range(start, stop):
                    s = column[order[i]]
                    value += family[here[s]]
                    total[s] += here[s]
                    here[s] = 0
            else:
                for s in range(states):
                    value += family[here[s]]
                    total[s] += here[s]
                    here[s] = 0
        start, stop = cells[first], cells[last]
        if np.int64(stop) - np.int64(start) < states:
            for i in range(start, stop):
                s = column[order[i]]
                value -= parents[total[s]]
                total[s] = 0
        else:
            for s in range(states):
                value -= parents[total[s]]
                total[s] = 0
    return value


@njit(cache=True)
def _has(row, k):
    return (row[k >> 6] >> np.uint64(k & 63)) & np.uint64(1) != 0


@njit(cache=True)
def _members(row, out):
    count = 0
    for i in range(out.shape[0]):
        if _has(row, i):
            out[count] = i
            count += 1
    return count


@njit(cache=True)
def discrete_gains(c, requests, owner, base, need, gains):
    """gains[g, x] for g in requests, y = owner[g], B = base[g], x in need[g]: by BDeu or BIC."""
    d, n = c.codes.shape
    members = np.empty(d, np.int64)
    wanted = np.empty(d, np.int64)
    order = np.empty(n, np.uint32)
    cells, configurations = np.empty(n + 1, np.uint32), np.empty(n + 1, np.int64)
    most = 1
    for x in range(d):
        most = max(most, c.seen[x])
    counts = np.zeros((2, most), np.uint32)
    cell_of = np.empty(n, np.uint32)
    table = np.zeros(n + most, np.uint32)
    cell_bits = np.empty((_FEW, c.bits.shape[1]), np.uint64)
    alone = np.full(d, -1, np.int64)  # by variable, a request done with empty base: gains are symmetric
    for place in range(requests.shape[0]):
        group = requests[place]
        y = owner[group]
        n_members, n_wanted = _members(base[group], members), _members(need[group], wanted)
        q, r = 1.0, c.declared[y]
        for k in range(n_members):
            q *= c.declared[members[k]]
        n_cells, n_configurations = _sort_rows(c, y, members, n_members, order, cells, configurations)
        largest, largest_cell = 0, 0
        for j in range(n_configurations):
            size = np.int64(cells[configurations[j + 1]]) - np.int64(cells[configurations[j]])
            largest = max(largest, size)
        for k in range(n_cells):
            largest_cell = max(largest_cell, np.int64(cells[k + 1]) - np.int64(cells[k]))
        have_bits = have_cells = False
        ready = 0.0  # number of states for which the terms below are
        before = 0.0
        family = parents = c.terms[0]
        for turn in range(-1, n_wanted):
            x = -1 if turn < 0 else wanted[turn]
            states = 1.0 if turn < 0 else c.declared[x]
            if q * states * r > _TOO_MANY:
                gains[group, x] = -np.inf
                continue
            if turn >= 0 and n_members == 0 and alone[x] >= 0 and _has(need[alone[x]], y):
                gains[group, x] = gains[alone[x], y]
                continue
            if c.ess > 0.0 and states != ready:
                if c.used[0] + 2 > c.terms.shape[0]:
                    c.used[0] = 0
                    c.slots[:] = -1
                family = c.terms[_term_row(c, q * states * r, largest_cell)]
                parents = c.terms[_term_row(c, q * states, largest)]
                ready = states
            if turn < 0:
                for k in range(n_cells):
                    before += family[cells[k + 1] - cells[k]]
                for j in range(n_configurations):
                    before -= parents[cells[configurations[j + 1]] - cells[configurations[j]]]
                continue
            if n_cells * (c.seen[x] - 1) <= _FEW:
                if not have_bits:
                    cell_bits[:n_cells, :] = np.uint64(0)
                    for k in range(n_cells):
                        for i in range(cells[k], cells[k + 1]):
                            row = np.int64(order[i])
                            cell_bits[k, row >> 6] |= np.uint64(1) << np.uint64(row & 63)
                    have_bits = True
                after = _counted_by_bits(
                    c, x, cell_bits, cells, n_cells, configurations, n_configurations, family, parents, counts
                )
            elif n_cells * c.seen[x] <= n:
                if not have_cells:
                    for row in range(n):
                        cell_of[row] = n_cells
                    for k in range(n_cells):
                        for i in range(cells[k], cells[k + 1]):
                            cell_of[order[i]] = k
                    have_cells = True
                after = _counted_in_table(
                    c, x, cell_of, table, n_cells, configurations, n_configurations, family, parents, counts
                )
            else:
                after = _counted_by_rows(
                    c, x, order, cells, configurations, n_configurations, family, parents, counts
                )
            gains[group, x] = rounded(after - before - c.penalty * q * (states - 1.0) * (r - 1.0))
        if n_members == 0:
            alone[y] = group


@njit(cache=True)
def gaussian_gains(correlation, n, exact, requests, owner, base, need, gains):
    """The same by the Gaussian BIC on n rows: −n/2 log(1 − ρ²(x, y | B)) − ½ log n.

    Returns the group, the variable whose residual is at most the share ``exact`` of its variance, and x if
    that takes B and x (−1: B alone, of which for a member of B the members before it); or −1 three times.
    """
    d = correlation.shape[0]
    members = np.empty(d, np.int64)
    wanted = np.empty(d, np.int64)
    for place in range(requests.shape[0]):
        group = requests[place]
        y = owner[group]
        m, n_wanted = _members(base[group], members), _members(need[group], wanted)
        factor = np.zeros((m, m))
        for i in range(m):
            for j in range(i + 1):
                value = correlation[members[i], members[j]]
                for k in range(j):
                    value -= factor[i, k] * factor[j, k]
                if i > j:
                    factor[i, j] = value / factor[j, j]
                elif value <= exact:
                    return group, members[i], np.int64(-1)
                else:
                    factor[i, i] = math.sqrt(value)
        of_y = np.empty(m)
        of_x = np.empty(m)
        left_y = 1.0
        for turn in range(-1, n_wanted):
            x = y if turn < 0 else wanted[turn]
            target = of_y if turn < 0 else of_x
            left_x, joint = 1.0, correlation[x, y]
            for i in range(m):
                value = correlation[members[i], x]
                for k in range(i):
                    value -= factor[i, k] * target[k]
                target[i] = value / factor[i, i]
                left_x -= target[i] * target[i]
                joint -= target[i] * of_y[i]
            if turn < 0:
                left_y = left_x
                if left_y <= exact:
                    return group, y, np.int64(-1)
                continue
            if left_x <= exact:  # a linear function of B: it adds nothing
                gains[group, x] = rounded(-0.5 * math.log(n))
                continue
            if left_y - joint * joint / left_x <= exact:
                return group, y, x
            gains[group, x] = rounded(
                -0.5 * n * math.log(1.0 - joint * joint / (left_x * left_y)) - 0.5 * math.log(n)
            )
    return np.int64(-1), np.int64(-1), np.int64(-1)
