"""Which differences between runs are real, and which run may become the champion: docs/decisions.md.

Pure functions over numpy arrays: a row is a run, a column a question; the questions of all rows are the same ones.
"""
