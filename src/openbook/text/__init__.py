"""Words of texts: the rule of what a word is, terms and their counts, vocabularies that add up."""
