"""The gate: ordinary units together, suspects alone."""

import asyncio

from raylib.pipeline.gate import Gate


def test_ordinary_units_share_the_gate() -> None:
    async def scenario() -> int:
        gate, inside, most = Gate(), 0, 0

        async def unit() -> None:
            nonlocal inside, most
            async with gate.enter(alone=False):
                inside += 1
                most = max(most, inside)
                await asyncio.sleep(0.01)
                inside -= 1

        await asyncio.gather(*(unit() for _ in range(5)))
        return most

    assert asyncio.run(scenario()) == 5


def test_a_suspect_is_never_inside_with_another() -> None:
    async def scenario() -> list[int]:
        gate, inside, seen = Gate(), 0, []

        async def unit(alone: bool) -> None:
            nonlocal inside
            async with gate.enter(alone=alone):
                inside += 1
                if alone:
                    seen.append(inside)
                await asyncio.sleep(0.005)
                if alone:
                    seen.append(inside)
                inside -= 1

        await asyncio.wait_for(asyncio.gather(*(unit(i % 3 == 0) for i in range(12))), 5)
        return seen

    assert set(asyncio.run(scenario())) == {1}


def test_an_error_inside_gives_the_place_back() -> None:
    async def scenario() -> bool:
        gate = Gate()
        try:
            async with gate.enter(alone=True):
                raise ValueError
        except ValueError:
            async with asyncio.timeout(1), gate.enter(alone=False):
                return True
        return False

    assert asyncio.run(scenario())
