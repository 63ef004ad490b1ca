"""Documents in, from folders, benchmarks and data sets."""
