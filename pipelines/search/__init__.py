"""Searching a space that is too large for a grid: docs/optuna.md.

`space` reads it, `study` asks Optuna, `first_look` leaves a point that is excluded, `front` says what was found.
"""
