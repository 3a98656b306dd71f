"""Steps of preparation as people write them: a verb, columns, options.

    "log income"    "impute age median"    "bins age 5 equal-frequency"    "clip income 1.5iqr"    "scale"

    step      =  verb word*                   a word with spaces goes in quotes: log "annual income"
    word      =  way | number | name=value | column
    way       =  one of the verb's own words, or two that go together: bins age auto equal-width; the first
                 of them unless one is named
    number    =  the verb's main number, or both ends of a range; it may stand before a way: 1.5iqr
    column    =  anything else; commas may stand between columns; none means all that have the right kind

What a verb's own word would be is a column where it is in quotes. The same text stands in `plan.toml`, on the
command line and in `Prepared`. `written` turns a step back into its text where that says it all.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from inspect import signature
from typing import Any

from openbook.border.rules import Ascending, Ends, Maybe
from openbook.data.date_parts import PARTS
from openbook.errors import ParameterError, did_you_mean
from openbook.prepare.augment import Jitter, Mixup, SampleRows
from openbook.prepare.augment_arrays import AugmentImages, AugmentSounds
from openbook.prepare.augment_texts import AugmentTexts
from openbook.prepare.balance import SMOTE, BalancedWeights, RandomOverSampler, RandomUnderSampler
from openbook.prepare.basis_functions import PolynomialFeatures, RadialFeatures, SigmoidFeatures
from openbook.prepare.bins import KBinsDiscretizer
from openbook.prepare.categories import ChangeKind, OneHotEncoder, OrdinalEncoder
from openbook.prepare.date_parts import DateParts
from openbook.prepare.distribution import PowerTransformer, QuantileTransformer, RobustScaler
from openbook.prepare.fences import Fences
from openbook.prepare.formulas import DropColumns, FormulaColumn, RowRule
from openbook.prepare.functions import Binarizer, FunctionTransformer
from openbook.prepare.missing import DropMissing, MissingIndicator, SimpleImputer
from openbook.prepare.model_imputer import IterativeImputer
from openbook.prepare.rare_values import RareValues
from openbook.prepare.scaling import MinMaxScaler, StandardScaler
from openbook.prepare.select_words import SelectWords
from openbook.prepare.similar_rows import KNNImputer, NoisyRows
from openbook.prepare.target_encoder import TargetEncoder
from openbook.prepare.turning import TurningPoint


@dataclass(frozen=True)
class Way:
    """A class, parameters that are fixed, and the parameter that a bare number sets.

    `each` is the parameter that numbers of columns set: jitter height=0.5.
    """

    make: type
    parameters: Mapping[str, Any] = field(default_factory=dict)
    number: str | None = None
    each: str | None = None


@dataclass(frozen=True)
class Verb:
    """A verb: what it does, and its ways by the words that ask for them, the usual one first.

    Attributes
    ----------
    summary : str
        What it does, in a line.
    ways : mapping of str to Way
        The classes of the verb, by the option that selects them.
    example : str
        A step as people write it.
    whole : str, default=""
        The parameter that is the whole text after the verb, if there is one.

    Notes
    -----
    Guide: docs/guide/preparation.md

    Examples
    --------
    >>> VERBS["impute"].example
    'impute age median'
    """

    summary: str
    ways: Mapping[str, Way]
    example: str
    whole: str = ""


def _one(make: type, example: str, summary: str, number: str | None = None) -> Verb:
    """A verb of one way."""
    return Verb(summary, {"": Way(make, {}, number)}, example)


def _function(func: str, words: str) -> Verb:
    return Verb(words, {func: Way(FunctionTransformer, {"func": func})}, f"{func} income")


def _fences(outside: str, words: str, example: str) -> Verb:
    ways = {by: Way(Fences, {"by": by, "outside": outside}, "width") for by in ("iqr", "z", "quantile")}
    return Verb(words, ways, example)


VERBS: dict[str, Verb] = {
    "log": _function("log", "natural logarithm of positive numbers"),
    "log1p": _function("log1p", "logarithm of 1 + x, for numbers from 0 on"),
    "sqrt": _function("sqrt", "square root"),
    "cbrt": _function("cbrt", "cube root"),
    "arctan": _function("arctan", "arctangent"),
    "square": _function("square", "square"),
    "reciprocal": _function("reciprocal", "1 / x"),
    "scale": Verb(
        "z-scores (z; sample: N - 1), to a range, from 0 to 1 unless told (minmax), or by quartiles (robust)",
        {
            "z": Way(StandardScaler),
            "sample": Way(StandardScaler, {"ddof": 1}),
            "minmax": Way(MinMaxScaler, {}, "feature_range"),
            "robust": Way(RobustScaler, {}, "quantile_range"),
        },
        "scale income minmax -1 1",
    ),
    "quantile": Verb(
        "the rank among the training rows, as a uniform or normal distribution",
        {
            "uniform": Way(QuantileTransformer, {}, "n_quantiles"),
            "normal": Way(QuantileTransformer, {"output_distribution": "normal"}, "n_quantiles"),
        },
        "quantile income normal",
    ),
    "power": Verb(
        "the power that makes numbers most normal: yeo-johnson, or box-cox for positive ones",
        {"yeo-johnson": Way(PowerTransformer), "box-cox": Way(PowerTransformer, {"method": "box-cox"})},
        "power income box-cox",
    ),
    "clip": _fences(
        "clip", "move numbers outside the fences to the fence: iqr, z or quantile", "clip income 1.5iqr"
    ),
    "drop-outliers": _fences(
        "drop", "leave out training rows with numbers outside the fences", "drop-outliers income 3z"
    ),
    "binarise": _one(Binarizer, "binarise age 18", "1 above a threshold, else 0", "threshold"),
    "turn": _one(
        TurningPoint, "turn age", "the distance from the turning point of a U shape against the target"
    ),
    "bins": Verb(
        "intervals: equal-frequency, equal-width, kmeans, entropy (mdl), or cuts=18,65; auto finds how many",
        {
            "equal-frequency": Way(KBinsDiscretizer, {}, "n_bins"),
            "equal-width": Way(KBinsDiscretizer, {"strategy": "uniform"}, "n_bins"),
            "kmeans": Way(KBinsDiscretizer, {"strategy": "kmeans"}, "n_bins"),
            "mdl": Way(KBinsDiscretizer, {"strategy": "mdl"}),
            "entropy": Way(KBinsDiscretizer, {"strategy": "mdl"}),
            "auto": Way(KBinsDiscretizer, {"n_bins": "auto"}),
        },
        "bins age 5 equal-frequency",
    ),
    "ordinal": Verb(
        "each different number is a value, in order",
        {"": Way(ChangeKind, {"kind": "ordinal"})},
        "ordinal rooms",
    ),
    "nominal": Verb(
        "values without an order, of an ordinal column or of numbers",
        {"": Way(ChangeKind, {"kind": "nominal"})},
        "nominal size",
    ),
    "rank": _one(
        OrdinalEncoder, "rank size", "ordinal values as numbers from 0 on; nominal ones too, with a warning"
    ),
    "onehot": _one(OneHotEncoder, "onehot city", "a 0/1 column for each value, or for the k best", "k"),
    "polynomial": Verb(
        "add products and powers of numbers up to a degree (powers), or products alone (products)",
        {
            "powers": Way(PolynomialFeatures, {}, "degree"),
            "products": Way(PolynomialFeatures, {"interaction_only": True}, "degree"),
        },
        "polynomial length width 2",
    ),
    "radial": _one(
        RadialFeatures, "radial 10", "bells around centres, in place of the numbers", "n_functions"
    ),
    "sigmoid": _one(
        SigmoidFeatures, "sigmoid age 5", "smooth steps along each number, in its place", "n_functions"
    ),
    "pool": _one(
        RareValues,
        "pool city 10",
        "pool the rare values of columns with many; a number says how many rows a value needs",
        "min_frequency",
    ),
    "means": _one(
        TargetEncoder,
        "means city",
        "the mean of the target among the rows of a value in its place; a number says for how many rows the"
        " mean of all counts",
        "smooth",
    ),
    "words": Verb(
        "keep the words of texts that tell most of the target: mi, chi2, pmi, or df (document frequency)",
        {
            "mi": Way(SelectWords, {}, "k"),
            "chi2": Way(SelectWords, {"measure": "chi_squared"}, "k"),
            "pmi": Way(SelectWords, {"measure": "pmi"}, "k"),
            "df": Way(SelectWords, {"measure": "document_frequency"}, "k"),
        },
        "words review 500 chi2",
    ),
    "impute": Verb(
        "fill missing cells: mean, median, mode, constant, category, neighbours or model",
        {
            "median": Way(SimpleImputer, {"strategy": "median"}),
            "mean": Way(SimpleImputer, {"strategy": "mean"}),
            "mode": Way(SimpleImputer, {"strategy": "most_frequent"}),
            "constant": Way(SimpleImputer, {"strategy": "constant"}, "fill_value"),
            "category": Way(SimpleImputer, {"strategy": "category"}),
            "neighbours": Way(KNNImputer, {}, "n_neighbors"),
            "model": Way(IterativeImputer),
        },
        "impute age median",
    ),
    "indicate": _one(
        MissingIndicator, "indicate age", "add a 0/1 column that tells whether a cell is missing"
    ),
    "formula": Verb(
        "a new column by formula: + - * / ^, log, sqrt, year(date), depth(url), comparisons",
        {"": Way(FormulaColumn)},
        "formula bmi = weight / height^2",
        "formula",
    ),
    "rule": Verb(
        "leave out training rows that break a rule",
        {"": Way(RowRule)},
        "rule age >= 18 where licence = yes",
        "rule",
    ),
    "drop-noise": _one(
        NoisyRows,
        "drop-noise 3",
        "leave out training rows that most of their nearest rows contradict",
        "n_neighbors",
    ),
    "balance": Verb(
        "classes count the same: weights, training rows of small ones drawn again (over) or made (smote,"
        " borderline), or of large ones left out (under)",
        {
            "weights": Way(BalancedWeights),
            "over": Way(RandomOverSampler, {}, "ratio"),
            "under": Way(RandomUnderSampler, {}, "ratio"),
            "smote": Way(SMOTE, {}, "n_neighbors"),
            "borderline": Way(SMOTE, {"borderline": True}, "n_neighbors"),
        },
        "balance smote",
    ),
    "sample": Verb(
        "draw training rows, with replacement or without (once)",
        {
            "again": Way(SampleRows, {}, "max_samples"),
            "once": Way(SampleRows, {"replace": False}, "max_samples"),
        },
        "sample 0.5 once",
    ),
    "jitter": Verb(
        "add copies of the training rows with noise, as a share of each standard deviation, or in the unit of"
        " a column: jitter height=0.5",
        {"": Way(Jitter, {}, "noise", each="noise")},
        "jitter 0.1",
    ),
    "mixup": _one(Mixup, "mixup 0.2", "add mixtures of training rows", "alpha"),
    "augment-texts": _one(
        AugmentTexts,
        "augment-texts review dropout=0.1 swap=0.05",
        "add copies of the training rows with words left out (dropout=), swapped or replaced (synonyms=FILE)",
        "copies",
    ),
    "augment-images": _one(
        AugmentImages,
        "augment-images shape=8,8 shift=1 rotate=10",
        "add copies of images, a column for each pixel: shift, rotate, flip, resize, crop, brightness, noise",
        "copies",
    ),
    "augment-sounds": _one(
        AugmentSounds,
        "augment-sounds volume=0.2 shift=5",
        "add copies of sounds, a column for each sample: volume, shift (in time), frequency",
        "copies",
    ),
    "drop": _one(DropColumns, "drop city", "leave out columns"),
    "dates": Verb(
        "parts of dates as columns: month, weekday, hour, quarter, year",
        {"": Way(DateParts), **{part: Way(DateParts, {"parts": [part]}) for part in PARTS}},
        "dates month",
    ),
    "drop-missing": Verb(
        "leave out training rows (or columns) with missing cells",
        {"rows": Way(DropMissing), "columns": Way(DropMissing, {"axis": "columns"}, "threshold")},
        "drop-missing",
    ),
}

_WORD = re.compile(r"""\s*(?:"([^"]*)"|'([^']*)'|([^\s"']+(?<==)(?:"[^"]*"|'[^']*')|[^\s"']+)),?""")
_NUMBER_AND_WAY = re.compile(r"([+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?)([a-z-]*)", re.IGNORECASE)


def step(text: str) -> Any:
    """The transformer behind a step as people write it, unfitted.

    Parameters
    ----------
    text : str
        A verb, columns and options: "log income", "impute age median". See `VERBS`.

    Returns
    -------
    transformer

    Notes
    -----
    Guide: docs/guide/preparation.md

    Examples
    --------
    >>> step("impute age median")
    SimpleImputer(columns=['age'], strategy='median')
    >>> step('log "annual income"').columns
    ['annual income']
    """
    verb = text.strip().partition(" ")[0]
    if verb not in VERBS:
        raise ParameterError(f"{text!r}: there is no step {verb!r}. {did_you_mean(verb, tuple(VERBS))}")
    if whole := VERBS[verb].whole:
        return next(iter(VERBS[verb].ways.values())).make(**{whole: text.strip()[len(verb) :].strip()})
    return _made(text, VERBS[verb], _split(text))


def needed_columns(one: Any) -> tuple[str, ...]:
    """The columns that a step names, and cannot be fitted without."""
    return tuple(getattr(one, "needs", None) or getattr(one, "columns", None) or ())


def made_columns(one: Any) -> tuple[str, ...]:
    """The new columns that a step is known to make before it is fitted."""
    return tuple(getattr(one, "makes", ()))


def parse_step(given: Any) -> Any:
    """A step as a transformer: written ones are made, others are as they are."""
    return step(given) if isinstance(given, str) else given


def _split(text: str) -> list[tuple[str, bool]]:
    """The words behind the verb, with whether each was in quotes."""
    rest = text.strip().partition(" ")[2]
    words, at = [], 0
    rest = rest.strip()
    while at < len(rest):
        found = _WORD.match(rest, at)
        if found is None:
            raise ParameterError(f"{text!r}: the quotes do not match")
        double, single, plain = found.groups()
        if plain is None:
            words.append((double if double is not None else single, True))
        else:
            parts = [plain] if "=" in plain else plain.split(",")
            words += [(part, False) for part in parts if part]
        at = found.end()
    return words


def _made(text: str, verb: Verb, words: list[tuple[str, bool]]) -> Any:
    ways: list[Way] = []
    numbers, columns, options = [], [], {}
    for word, quoted in words:
        name, is_option, value = word.partition("=")
        number = _NUMBER_AND_WAY.fullmatch(word)
        if quoted:
            columns.append(word)
        elif word in verb.ways:
            ways.append(verb.ways[word])
        elif number and (not number[2] or number[2] in verb.ways):
            numbers.append(_value(number[1]))
            ways += [verb.ways[number[2]]] if number[2] else []
        elif is_option and name and value:
            options[name] = value
        else:
            columns.append(word)
    way = _joined(text, ways or [next(iter(verb.ways.values()))])
    given = {name: _option(way, name, value) for name, value in options.items()}
    if numbers:
        given = {**_numbered(text, way, numbers), **given}
    if columns:
        given["columns"] = columns
    known = tuple(signature(way.make).parameters)
    numbered = [name for name in given if name not in known and isinstance(given[name], int | float)]
    if way.each and numbered:
        given[way.each] = {name: given.pop(name) for name in numbered}
    if odd := [name for name in given if name not in known]:
        raise _no_option(text, way, odd[0], columns)
    return way.make(**{**way.parameters, **given})


def _no_option(text: str, way: Way, name: str, columns: list[str]) -> ParameterError:
    """What is wrong with an option that a step does not have, or with columns where it takes none."""
    known = tuple(signature(way.make).parameters)
    if name != "columns":
        return ParameterError(f"{text!r}: there is no option {name!r}. {did_you_mean(name, known)}")
    each = f", or {way.each} for each column, as in {columns[0]}=0.5" if way.each else ""
    return ParameterError(
        f"{text!r}: {columns[0]!r} is no option, and this step takes no columns. Options:"
        f" {', '.join(known)}{each}"
    )


def _joined(text: str, ways: list[Way]) -> Way:
    """Ways that are named together, as one: of the same class, each setting what the others leave."""
    make, parameters = ways[0].make, dict[str, Any]()
    for way in ways:
        lists = {n: [*parameters.get(n, []), *v] for n, v in way.parameters.items() if isinstance(v, list)}
        if way.make is not make or (parameters.keys() & way.parameters.keys()) - lists.keys():
            raise ParameterError(f"{text!r} names two ways; a column of such a name goes in quotes")
        parameters |= {**way.parameters, **lists}
    number = next((way.number for way in ways if way.number and way.number not in parameters), None)
    return Way(make, parameters, number, ways[0].each)


def _numbered(text: str, way: Way, numbers: list[Any]) -> dict[str, Any]:
    """The parameter that bare numbers set: one number, or the two ends of a range."""
    ends = way.number is not None and isinstance(way.make._rules[way.number], Ends)  # type: ignore[attr-defined]
    if way.number is None or len(numbers) != (2 if ends else 1):
        takes = "no number" if way.number is None else "two numbers" if ends else "one number"
        raise ParameterError(f"{text!r} takes {takes}; a column whose name is a number goes in quotes")
    return {way.number: tuple(numbers) if ends else numbers[0]}


def _option(way: Way, name: str, value: str) -> Any:
    """The value of an option; where a list of numbers is asked for, one number is a list."""
    rule = way.make._rules.get(name)  # type: ignore[attr-defined]
    found = _value(value)
    of_numbers = isinstance(rule, Maybe) and isinstance(rule.inner, Ascending)
    return [found] if of_numbers and not isinstance(found, tuple) else found


def _value(word: str) -> Any:
    """A number, yes or no, some of them, or the word itself; in quotes it is a word in any case."""
    if word[:1] in "\"'":
        return word[1:-1]
    if "," in word:
        return tuple(_value(part) for part in word.split(","))
    if word in ("true", "false"):
        return word == "true"
    try:
        number = float(word)
    except ValueError:
        return word
    return int(number) if number == int(number) and "." not in word and "e" not in word.lower() else number
