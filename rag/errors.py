"""The one error that a person is meant to read."""


class InputError(ValueError):
    """Bad input: the message is one line that names the file, the record and the remedy.

    Commands print it without a traceback and end with exit code 2.
    """
