"""The command line: it parses, calls and renders."""
