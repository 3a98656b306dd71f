"""Words of texts: the rule of what a word is, terms and their counts, vocabularies that add up."""

from openbook.text.duplicates import NearDuplicate, near_duplicates

__all__ = ["NearDuplicate", "near_duplicates"]
