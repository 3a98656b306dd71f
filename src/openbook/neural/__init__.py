"""Networks: layers of weighted sums, learnt by passing the error back."""
