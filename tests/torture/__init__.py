"""Checks that try to make qlearn lose something, each with writers that are broken on purpose.

    python -m tests.torture [--ci | --long | --size N] [--seed N] [NAME ...]

A check is a generator of verdicts. It takes a size and a source of randomness, and yields for each trial 1
where it held, or a line that says what broke (a number n stands for n trials that held):

    @check("dice", counts="throws", ci=1000, long=1_000_000, seconds=1)
    def dice(size: int, random: Random) -> Verdicts:
        for _ in range(size):
            yield 1 if random.randint(1, 6) < 7 else "a seven"

A check proves nothing unless it can fail. So each has null controls, which run the same trials against
something that is wrong in one way. A control without a failure fails the run:

    @control("dice", broken="a die with a seven", size=100)
    def seven(size: int, random: Random) -> Verdicts: ...

Trials that are spread over the processors by `in_parallel` end when their time is over, and the table shows
how many there were: `seconds` in the short run, more in the long one. No verdict may depend on how fast the
machine is, since it may be busy.

To add one, write a module in this package and name it in `MODULES` of `__main__`. What the platform lacks is
said by raising `SkippedError`.

    harness    the registry of checks, their runner and the table
    subject    a project, what is done to it, and what has to be found in it afterwards
    shim       the store's system calls, on their way
    broken     writers that are wrong in one way
"""
