"""What is kept of a function's values, and what makes room for others."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from viz.caches.recent import Recent, keep_recent


class Squares:
    """A function that notes what it works out; a value takes as many bytes as its argument says."""

    def __init__(self) -> None:
        self.worked_out: list[int] = []

    def __call__(self, number: int) -> int:
        self.worked_out.append(number)
        if number < 0:
            raise ValueError("negative")
        return number * number


@pytest.fixture
def squares() -> Squares:
    return Squares()


def kept(squares: Squares, *, entries: int = 3, num_bytes: int = 100) -> Recent[[int], int]:
    return keep_recent(
        key_of=lambda number: number, size_of=lambda value: round(value**0.5), entries=entries, num_bytes=num_bytes
    )(squares)


def test_a_value_is_worked_out_once(squares: Squares) -> None:
    square = kept(squares)
    assert [square(5), square(5), square(6), square(5)] == [25, 25, 36, 25]
    assert squares.worked_out == [5, 6]


def test_the_one_that_was_used_longest_ago_makes_room(squares: Squares) -> None:
    square = kept(squares)
    for number in (1, 2, 3, 1, 4):
        square(number)
    assert squares.worked_out == [1, 2, 3, 4]
    square(1)
    square(3)
    assert squares.worked_out == [1, 2, 3, 4]
    square(2)
    assert squares.worked_out == [1, 2, 3, 4, 2]


def test_large_values_make_room_earlier_than_their_number_says(squares: Squares) -> None:
    square = kept(squares, num_bytes=100)
    for number in (40, 60, 1):
        square(number)
    for number in (1, 60):
        square(number)
    assert squares.worked_out == [40, 60, 1]
    square(40)
    assert squares.worked_out == [40, 60, 1, 40]
    square(60)
    assert squares.worked_out == [40, 60, 1, 40], "60 and 40 fit, 1 has gone"


def test_a_value_that_is_too_large_is_kept_alone(squares: Squares) -> None:
    square = kept(squares)
    for number in (1, 500, 500, 1, 500):
        square(number)
    assert squares.worked_out == [1, 500, 1, 500]


def test_nothing_is_kept_of_a_failure(squares: Squares) -> None:
    square = kept(squares)
    for _ in range(2):
        with pytest.raises(ValueError, match="negative"):
            square(-1)
    assert squares.worked_out == [-1, -1]


def test_what_was_cleared_is_worked_out_anew_and_takes_no_room(squares: Squares) -> None:
    square = kept(squares)
    square(60)
    square.clear()
    square(60)
    square(40)
    square(60)
    assert squares.worked_out == [60, 60, 40]


def test_threads_that_ask_for_the_same_wait_for_one_of_them(squares: Squares) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def slow(number: int) -> int:
        begun.set()
        assert go_on.wait(30)
        return squares(number)

    square = Recent(slow, key_of=lambda number: number, size_of=int, entries=3, num_bytes=100)
    with ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(square, 7) for _ in range(4)]
        assert begun.wait(30)
        go_on.set()
        assert [answer.result() for answer in asked] == [49] * 4
    assert squares.worked_out == [7]
