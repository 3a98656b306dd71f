"""Scripts that are written without spaces between words: Chinese and Japanese, Thai, Lao, Burmese and Khmer.

Where words end is not written, so pairs of successive characters stand for words, as in search engines:

    今天天气好        今天  天天  天气  气好
"""

import re
from operator import add

#: Thai and Lao, Burmese, Khmer, kana, Chinese characters, and the narrow kana.
RUN = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30fa\u30fc-\u30ff\u3400-\u9fff\uf900-\ufaff"
    "\uff66-\uff9f\U00020000-\U000323af]+"
)


def in_pairs(text: str) -> str:
    """The text with every run of such characters as the pairs that they make, which overlap.

    >>> in_pairs("iPhone手机很好, 三 GB")
    'iPhone 手机 机很 很好 ,  三  GB'
    """
    return RUN.sub(_pairs, text)


def _pairs(run: re.Match[str]) -> str:
    return f" {' '.join(map(add, run[0], run[0][1:])) or run[0]} "
