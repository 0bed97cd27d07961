"""The statistics of the reports against SciPy: with ties, tiny and degenerate samples."""

import itertools
import math
import os
import random
import subprocess
from fractions import Fraction
from pathlib import Path

import pytest

scipy_stats = pytest.importorskip("scipy.stats")
numpy = pytest.importorskip("numpy")

NEAR = 1e-9


@pytest.fixture(scope="session")
def ask():
    """ask(questions) -> the words of each answer, from the tests' own build of the statistics."""
    executable = os.environ.get("SEAMARK_TEST_EXECUTABLE")
    if not executable:
        pytest.skip("SEAMARK_TEST_EXECUTABLE names no seamark")
    tool = Path(executable).parents[1] / "tests" / "stats_dump"
    if not tool.exists():
        pytest.skip(f"{tool} was not built")

    def run(questions):
        done = subprocess.run(
            [tool], input="\n".join(questions) + "\n", capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        answers = [line.split() for line in done.stdout.splitlines()]
        assert len(answers) == len(questions)
        return answers

    return run


def listed(values) -> str:
    return ",".join(repr(float(value)) for value in values) or "-"


def number(word: str) -> float:
    return math.nan if word == "none" else float(word)


def samples(seed: int):
    """Pairs of samples: without ties, with some, with many; small and not so small; monotonous ones."""
    draw = random.Random(seed)
    for size in [3, 4, 5, 6, 7, 10, 25, 80, 300]:
        for levels in [2, 3, 10, 10**9]:
            xs = [float(draw.randrange(levels)) for _ in range(size)]
            ys = [x * draw.choice([0, 1]) + draw.randrange(levels) for x in xs]
            yield xs, ys
        yield list(range(size)), list(range(size))
        yield list(range(size)), list(range(size, 0, -1))
        yield [1e-300 * x for x in range(size)], [draw.gauss(0, 1) for _ in range(size)]


def varies(values) -> bool:
    return len(set(values)) > 1


def test_kendall(ask):
    pairs = list(samples(1))
    answers = ask([f"kendall {listed(xs)} {listed(ys)}" for xs, ys in pairs])
    compared = 0
    for (xs, ys), answer in zip(pairs, answers, strict=True):
        value, p, low, high = map(number, answer)
        if not (varies(xs) and varies(ys)):
            assert math.isnan(value) and math.isnan(p)
            continue
        compared += 1
        expected = scipy_stats.kendalltau(xs, ys, variant="b", method="asymptotic")
        assert value == pytest.approx(expected.statistic, abs=NEAR)
        assert p == pytest.approx(expected.pvalue, rel=1e-7, abs=NEAR)
        if abs(value) < 1 and len(xs) > 4:
            reach = scipy_stats.norm.ppf(0.975) * math.sqrt(0.437 / (len(xs) - 4))
            assert low == pytest.approx(math.tanh(math.atanh(value) - reach), abs=NEAR)
            assert high == pytest.approx(math.tanh(math.atanh(value) + reach), abs=NEAR)
        else:
            assert math.isnan(low)
    assert compared > 50


def test_spearman(ask):
    pairs = list(samples(2))
    answers = ask([f"spearman {listed(xs)} {listed(ys)}" for xs, ys in pairs])
    for (xs, ys), answer in zip(pairs, answers, strict=True):
        value, p, _, _ = map(number, answer)
        if not (varies(xs) and varies(ys)):
            assert math.isnan(value)
            continue
        expected = scipy_stats.spearmanr(xs, ys)
        assert value == pytest.approx(expected.statistic, abs=NEAR)
        if abs(value) > 1 - 1e-12:
            assert p == pytest.approx(0, abs=1e-6)  # rounding of 1 decides how near
        else:
            assert p == pytest.approx(expected.pvalue, rel=1e-6, abs=1e-12)


@pytest.mark.parametrize("size", [0, 1, 2])
def test_too_few_pairs_say_nothing(ask, size):
    xs, ys = listed(range(size)), listed(range(size))
    for answer in ask([f"kendall {xs} {ys}", f"spearman {xs} {ys}"]):
        assert answer == ["none"] * 4


def tables(seed: int, largest: int, count: int):
    draw = random.Random(seed)
    for _ in range(count):
        groups = []
        for score in draw.sample(range(12), draw.randint(2, 5)):
            total = draw.randint(0, largest)
            groups.append((score, draw.randint(0, total), total))
        yield groups


def as_words(groups) -> str:
    return "trend " + " ".join(f"{score}:{events}:{total}" for score, events, total in groups)


def says_nothing(groups) -> bool:
    events = sum(group[1] for group in groups)
    total = sum(group[2] for group in groups)
    scores = {score for score, _, size in groups if size > 0}
    return events in (0, total) or len(scores) < 2


def test_trend_is_a_correlation_of_scores_and_failures(ask):
    """Cochran and Armitage's z squared is n times the square of Pearson's correlation."""
    cases = list(tables(3, 400, 60)) + [
        [(1, 0, 0), (2, 0, 0)],
        [(1, 3, 3)],
        [(1, 0, 90), (9, 0, 80)],
    ]
    for groups, answer in zip(cases, ask([as_words(groups) for groups in cases]), strict=True):
        z, p = map(number, answer[:2])
        if says_nothing(groups):
            assert math.isnan(z) and math.isnan(p)
            continue
        scores = numpy.repeat([g[0] for g in groups], [g[2] for g in groups])
        failures = numpy.concatenate([[1] * g[1] + [0] * (g[2] - g[1]) for g in groups])
        r = scipy_stats.pearsonr(scores, failures).statistic
        assert z == pytest.approx(r * math.sqrt(len(scores)), abs=1e-7)
        if len(scores) > 100:
            assert answer[2] == "normal"
            assert p == pytest.approx(2 * scipy_stats.norm.sf(abs(z)), rel=1e-6, abs=1e-300)


def exact_trend(groups) -> float:
    """All ways to spread the failures, each with SciPy's probability of the multivariate hypergeometric."""
    totals = [group[2] for group in groups]
    events = sum(group[1] for group in groups)
    spread = scipy_stats.multivariate_hypergeom(totals, events)
    seen = sum(score * count for score, count, _ in groups)
    mean = Fraction(sum(score * total for score, _, total in groups) * events, sum(totals))
    p = 0.0
    for counts in itertools.product(*(range(total + 1) for total in totals)):
        if sum(counts) != events:
            continue
        value = sum(group[0] * count for group, count in zip(groups, counts, strict=True))
        if abs(value - mean) >= abs(seen - mean):
            p += spread.pmf(counts)
    return p


def test_small_trends_are_exact(ask):
    cases = [groups for groups in tables(4, 6, 40) if not says_nothing(groups)]
    assert len(cases) > 20
    for groups, answer in zip(cases, ask([as_words(groups) for groups in cases]), strict=True):
        assert answer[2] == "exact"
        assert number(answer[1]) == pytest.approx(exact_trend(groups), abs=1e-9)


def test_sign_test(ask):
    cases = [(k, n) for n in [1, 2, 5, 6, 30, 1000] for k in {0, 1, n // 3, n // 2, n}]
    for (k, n), answer in zip(cases, ask([f"coin {k} {n}" for k, n in cases]), strict=True):
        assert number(answer[0]) == pytest.approx(
            scipy_stats.binomtest(k, n, 0.5).pvalue, rel=1e-9, abs=1e-300
        )
    assert ask(["coin 0 0"]) == [["1"]]


def test_wilson(ask):
    cases = [(k, n) for n in [1, 2, 9, 65, 5000] for k in {0, 1, n // 2, n - 1, n}]
    for (k, n), answer in zip(cases, ask([f"wilson {k} {n}" for k, n in cases]), strict=True):
        expected = scipy_stats.binomtest(k, n).proportion_ci(0.95, method="wilson")
        assert number(answer[0]) == pytest.approx(expected.low, abs=NEAR)
        assert number(answer[1]) == pytest.approx(expected.high, abs=NEAR)
    assert ask(["wilson 0 0"]) == [["none", "none"]]


def test_intervals_of_the_median(ask):
    draw = random.Random(5)
    cases = [[draw.gauss(0, 1) for _ in range(n)] for n in [6, 7, 12, 41, 200]]
    for values, answer in zip(
        cases, ask([f"median {listed(values)}" for values in cases]), strict=True
    ):
        expected = scipy_stats.quantile_test(values, q=0, p=0.5).confidence_interval(0.95)
        assert number(answer[0]) == pytest.approx(expected.low)
        assert number(answer[1]) == pytest.approx(expected.high)
    assert ask(["median 1,2,3,4,5", "median -"]) == [["none", "none"]] * 2


def test_equal_weights_are_counts(ask):
    """Weights that are all alike have Clopper and Pearson's interval of the counts."""
    for k, n in [(0, 12), (3, 12), (12, 12), (40, 400)]:
        answer = ask([f"weighted {k * 7} {n * 7} {n * 49}"])[0]
        expected = scipy_stats.binomtest(k, n).proportion_ci(0.95, method="exact")
        assert number(answer[0]) == pytest.approx(expected.low, abs=1e-8)
        assert number(answer[1]) == pytest.approx(expected.high, abs=1e-8)
    one_heavy, even = ask(["weighted 100 1000 910000", "weighted 100 1000 10000"])
    assert number(one_heavy[1]) - number(one_heavy[0]) > number(even[1]) - number(even[0])
    assert ask(["weighted 0 0 0"]) == [["none", "none"]]
