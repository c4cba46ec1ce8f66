"""Detectors: observations to proposals, one module each, all pure.

correction      D1  a person corrects how the agent works
error_fix       D2  a failure of the environment, and what repaired it
workflow        D3  a sequence of actions that comes back
preference      D4  a tool that is preferred to its alternatives
contradiction   D5  an entry that was not kept and nobody minded; entries that say the opposite
outcome         D6  an entry that was shown and then followed, or not
"""
