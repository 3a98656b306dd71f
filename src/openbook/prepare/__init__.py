"""Preparation: how columns become what a learner computes with."""

from openbook.elsewhere import look_elsewhere
from openbook.prepare.augment import Jitter, Mixup, SampleRows
from openbook.prepare.augment_arrays import AugmentImages, AugmentSounds
from openbook.prepare.augment_texts import AugmentTexts
from openbook.prepare.bag_of_words import BagOfWords
from openbook.prepare.balance import SMOTE, BalancedWeights, RandomOverSampler, RandomUnderSampler
from openbook.prepare.basis_functions import PolynomialFeatures, RadialFeatures, SigmoidFeatures
from openbook.prepare.bins import KBinsDiscretizer
from openbook.prepare.categories import ChangeKind, OneHotEncoder, OrdinalEncoder
from openbook.prepare.date_parts import DateParts
from openbook.prepare.distribution import PowerTransformer, QuantileTransformer, RobustScaler
from openbook.prepare.encoding import Encoding
from openbook.prepare.fences import Fences
from openbook.prepare.formulas import DropColumns, FormulaColumn, RowRule
from openbook.prepare.functions import Binarizer, FunctionTransformer
from openbook.prepare.missing import DropMissing, MissingIndicator, SimpleImputer
from openbook.prepare.model_imputer import IterativeImputer
from openbook.prepare.prepared import Prepared
from openbook.prepare.rare_values import RareValues
from openbook.prepare.scaling import MaxAbsScaler, MinMaxScaler, Normalizer, StandardScaler
from openbook.prepare.select_words import SelectWords
from openbook.prepare.similar_rows import KNNImputer, NoisyRows
from openbook.prepare.steps import VERBS, Verb, step
from openbook.prepare.target_encoder import TargetEncoder
from openbook.prepare.turning import TurningPoint

__all__ = [
    "SMOTE",
    "VERBS",
    "AugmentImages",
    "AugmentSounds",
    "AugmentTexts",
    "BagOfWords",
    "BalancedWeights",
    "Binarizer",
    "ChangeKind",
    "DateParts",
    "DropColumns",
    "DropMissing",
    "Encoding",
    "Fences",
    "FormulaColumn",
    "FunctionTransformer",
    "IterativeImputer",
    "Jitter",
    "KBinsDiscretizer",
    "KNNImputer",
    "MaxAbsScaler",
    "MinMaxScaler",
    "MissingIndicator",
    "Mixup",
    "NoisyRows",
    "Normalizer",
    "OneHotEncoder",
    "OrdinalEncoder",
    "PolynomialFeatures",
    "PowerTransformer",
    "Prepared",
    "QuantileTransformer",
    "RadialFeatures",
    "RandomOverSampler",
    "RandomUnderSampler",
    "RareValues",
    "RobustScaler",
    "RowRule",
    "SampleRows",
    "SelectWords",
    "SigmoidFeatures",
    "SimpleImputer",
    "StandardScaler",
    "TargetEncoder",
    "TurningPoint",
    "Verb",
    "step",
]

__getattr__ = look_elsewhere(__name__)
