"""The commands. Configuration objects stop here: everything below takes ordinary arguments."""
