"""Decision trees: ID3, C4.5 and CART in one engine; rules and pictures of them."""
