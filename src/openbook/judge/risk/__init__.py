"""What can go wrong with a good score: costs, unfairness, leaks."""
