"""MDAV as its papers have it, record by record, in plain Python."""


def plain_mdav(points, codes, weights, k, people=None):
    """The groups, each a list of distinct records, in the order in which they are made.

    ``points`` and ``codes`` have a column a row, as the kernel's. ``people`` has the set of those
    who have each record, if they may have several, and then a group is of k of them.
    """

    def squared(i, place, mode):
        total = 0.0
        for column, here in zip(points, place, strict=True):
            total += (column[i] - here) ** 2
        return total + sum(column[i] != one for column, one in zip(codes, mode, strict=True))

    def middle():
        total = sum(weights[i] for i in left)
        place = []
        for column in points:
            running = 0.0
            for i in left:
                running += column[i] * weights[i]
            place.append(running / total)
        mode = []
        for column in codes:
            number = {}
            for i in left:
                number[column[i]] = number.get(column[i], 0) + weights[i]
            mode.append(min(number, key=lambda value: (-number[value], value)))
        return place, mode

    def values(i):
        return [column[i] for column in points], [column[i] for column in codes]

    def group_around(center):
        group = []
        for i in sorted(left, key=lambda i: (squared(i, *values(center)), i)):
            if number(group) >= k:
                break
            group.append(i)
        if number(set(left) - set(group)) < k:
            group = list(left)
        for i in group:
            left.remove(i)
        groups.append(sorted(group))

    def weight(some):
        return sum(weights[i] for i in some)

    def number(some):
        return weight(some) if people is None else len(set().union(*(people[i] for i in some)))

    left, groups = list(range(len(weights))), []
    while weight(left) >= 3 * k:
        center = max(left, key=lambda i: (squared(i, *middle()), -i))
        group_around(center)
        if weight(left) >= 2 * k:
            group_around(max(left, key=lambda i: (squared(i, *values(center)), -i)))
    if weight(left) >= 2 * k:
        group_around(max(left, key=lambda i: (squared(i, *middle()), -i)))
    if left:
        groups.append(list(left))
    return groups
