"""The best guesses of a number by trying them all."""


def plainly(values, beliefs, amount, of_value):
    """All best guesses, by trying every guess at which something could change."""
    off = [amount * abs(x) if of_value else amount for x in values]
    ends = sorted({end for x, t in zip(values, off, strict=True) for end in (x - t, x + t)})
    found = {}
    for guess in ends:
        near = tuple(i for i, x in enumerate(values)
                     if abs(guess - x) <= off[i] * (1 + 1e-12) and beliefs[i] > 0)  # fmt: skip
        found[near] = sum(beliefs[i] for i in near)
    best = max(found.values())
    guesses = [
        (max(values[i] - off[i] for i in near) + min(values[i] + off[i] for i in near)) / 2
        for near, chance in found.items() if chance >= best - 1e-9
    ]  # fmt: skip
    return best, guesses, off
