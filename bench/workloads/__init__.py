"""A workload a file; see `bench.workload`."""
