"""The words that formulas are made of: the LaTeX, the sign that shows it, and how it behaves."""

__all__ = [
    "ACCENTS",
    "BIG",
    "CLOSING",
    "DELIMITERS",
    "FUNCTIONS",
    "GREEK",
    "LETTERS",
    "LIMITS",
    "OPENING",
    "SPACES",
    "STYLES",
    "SYMBOLS",
    "TEXT_ESCAPES",
]

GREEK = {
    r"\alpha": "α",
    r"\beta": "β",
    r"\gamma": "γ",
    r"\delta": "δ",
    r"\epsilon": "ϵ",
    r"\varepsilon": "ε",
    r"\zeta": "ζ",
    r"\eta": "η",
    r"\theta": "θ",
    r"\iota": "ι",
    r"\kappa": "κ",
    r"\lambda": "λ",
    r"\mu": "μ",
    r"\nu": "ν",
    r"\xi": "ξ",
    r"\pi": "π",
    r"\rho": "ρ",
    r"\sigma": "σ",
    r"\tau": "τ",
    r"\upsilon": "υ",
    r"\phi": "ϕ",
    r"\varphi": "φ",
    r"\chi": "χ",
    r"\psi": "ψ",
    r"\omega": "ω",
    r"\Gamma": "Γ",
    r"\Delta": "Δ",
    r"\Theta": "Θ",
    r"\Lambda": "Λ",
    r"\Xi": "Ξ",
    r"\Pi": "Π",
    r"\Sigma": "Σ",
    r"\Upsilon": "Υ",
    r"\Phi": "Φ",
    r"\Psi": "Ψ",
    r"\Omega": "Ω",
}
LETTERS = {**GREEK, r"\ell": "ℓ"}

SYMBOLS = {
    "relation": {
        "=": "=",
        "<": "<",
        ">": ">",
        ":": ":",
        r"\le": "≤",
        r"\leq": "≤",
        r"\ge": "≥",
        r"\geq": "≥",
        r"\ne": "≠",
        r"\neq": "≠",
        r"\approx": "≈",
        r"\sim": "∼",
        r"\propto": "∝",
        r"\mid": "∣",
        r"\in": "∈",
        r"\notin": "∉",
        r"\subseteq": "⊆",
        r"\to": "→",
        r"\gets": "←",
        r"\Rightarrow": "⇒",
    },
    "binary": {
        "+": "+",
        "-": "-",
        "/": "/",
        r"\pm": "±",
        r"\cdot": "·",
        r"\times": "×",
        r"\cup": "∪",
        r"\cap": "∩",
        r"\setminus": "∖",
        r"\land": "∧",
        r"\lor": "∨",
    },
    "punctuation": {",": ",", ";": ";"},
    "plain": {
        "!": "!",
        "?": "?",
        ".": ".",
        "|": "|",
        "'": "′",
        r"\|": "‖",
        r"\infty": "∞",
        r"\partial": "∂",
        r"\nabla": "∇",
        r"\emptyset": "∅",
        r"\neg": "¬",
        r"\top": "⊤",
        r"\dots": "…",
        r"\ldots": "…",
        r"\cdots": "⋯",
        r"\_": "_",
        r"\%": "%",
        r"\&": "&",
        r"\#": "#",
        r"\$": "$",
    },
}

BIG = {r"\sum": "∑", r"\prod": "∏"}

FUNCTIONS = {
    r"\arctan": "arctan",
    r"\arg": "arg",
    r"\cos": "cos",
    r"\det": "det",
    r"\exp": "exp",
    r"\ln": "ln",
    r"\log": "log",
    r"\max": "max",
    r"\min": "min",
    r"\sin": "sin",
    r"\tanh": "tanh",
}
LIMITS = {"arg max", "arg min", "max", "min"}  # what is written below them stands underneath, not beside

SPACES = {r"\,": 0.167, r"\:": 0.222, r"\;": 0.278, r"\ ": 0.333, r"\quad": 1.0}  # widths in em

OPENING = {"(": "(", "[": "[", r"\{": "{", r"\lfloor": "⌊", r"\lceil": "⌈", r"\lvert": "|", r"\lVert": "‖"}
CLOSING = {")": ")", "]": "]", r"\}": "}", r"\rfloor": "⌋", r"\rceil": "⌉", r"\rvert": "|", r"\rVert": "‖"}
DELIMITERS = {**OPENING, **CLOSING, "|": "|", r"\|": "‖", ".": ""}  # what \left and \right may name

ACCENTS = {
    r"\hat": "\N{COMBINING CIRCUMFLEX ACCENT}",
    r"\bar": "\N{COMBINING MACRON}",
    r"\tilde": "\N{COMBINING TILDE}",
}
STYLES = {r"\mathbf", r"\mathcal", r"\mathrm"}

TEXT_ESCAPES = {
    r"\_": "_",
    r"\%": "%",
    r"\&": "&",
    r"\#": "#",
    r"\$": "$",
    r"\{": "{",
    r"\}": "}",
    r"\textbackslash": "\\",
    r"\textasciicircum": "^",
    r"\textasciitilde": "~",
    r"\textasciigrave": "`",
    r"\textless": "<",
    r"\textgreater": ">",
    r"\textbar": "|",
}
