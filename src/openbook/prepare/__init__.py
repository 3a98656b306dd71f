"""Preparation: how columns become what a learner computes with."""

from openbook.prepare.bag_of_words import BagOfWords
from openbook.prepare.date_parts import DateParts
from openbook.prepare.encoding import Encoding
from openbook.prepare.functions import FunctionTransformer
from openbook.prepare.missing import DropMissing, MissingIndicator, SimpleImputer
from openbook.prepare.prepared import Prepared
from openbook.prepare.rare_values import RareValues
from openbook.prepare.scaling import MinMaxScaler, StandardScaler
from openbook.prepare.steps import VERBS, Verb, step

__all__ = [
    "VERBS",
    "BagOfWords",
    "DateParts",
    "DropMissing",
    "Encoding",
    "FunctionTransformer",
    "MinMaxScaler",
    "MissingIndicator",
    "Prepared",
    "RareValues",
    "SimpleImputer",
    "StandardScaler",
    "Verb",
    "step",
]
