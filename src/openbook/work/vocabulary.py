"""The words that formulas are made of: the LaTeX, the sign that shows it, and how it behaves."""


def _pairs(text: str) -> dict[str, str]:
    r"""The signs of words that stand before them.

    >>> _pairs(r"\alpha α  \beta β")
    {'\\alpha': 'α', '\\beta': 'β'}
    """
    words = text.split()
    return dict(zip(words[::2], words[1::2], strict=True))


LETTERS = _pairs(r"""
    \alpha α  \beta β  \gamma γ  \delta δ  \epsilon ϵ  \varepsilon ε  \zeta ζ  \eta η  \theta θ  \iota ι
    \kappa κ  \lambda λ  \mu μ  \nu ν  \xi ξ  \pi π  \rho ρ  \sigma σ  \tau τ  \upsilon υ  \phi ϕ
    \varphi φ  \chi χ  \psi ψ  \omega ω  \Gamma Γ  \Delta Δ  \Theta Θ  \Lambda Λ  \Xi Ξ  \Pi Π
    \Sigma Σ  \Upsilon Υ  \Phi Φ  \Psi Ψ  \Omega Ω  \ell ℓ
""")

SYMBOLS = {
    "relation": _pairs(r"""
        = =  < <  > >  : :  \le ≤  \leq ≤  \ge ≥  \geq ≥  \ne ≠  \neq ≠  \approx ≈  \sim ∼  \propto ∝
        \mid ∣  \in ∈  \notin ∉  \subseteq ⊆  \to →  \gets ←  \Rightarrow ⇒
    """),
    "binary": _pairs(r"""
        + +  - -  / /  \pm ±  \cdot ·  \times ×  \cup ∪  \cap ∩  \setminus ∖  \land ∧  \lor ∨
    """),
    "punctuation": _pairs(", ,  ; ;"),
    "plain": _pairs(r"""
        ! !  ? ?  . .  | |  ' ′  \| ‖  \infty ∞  \partial ∂  \nabla ∇  \emptyset ∅  \neg ¬  \top ⊤
        \dots …  \ldots …  \cdots ⋯  \_ _  \% %  \& &  \# #  \$ $
    """),
}

BIG = {r"\sum": "∑", r"\prod": "∏"}

FUNCTIONS = {rf"\{name}": name for name in "arctan arg cos det exp ln log max min sin tanh".split()}  # noqa: SIM905
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

TEXT_ESCAPES = _pairs(r"""
    \_ _  \% %  \& &  \# #  \$ $  \{ {  \} }  \textbackslash \  \textasciicircum ^  \textasciitilde ~
    \textasciigrave `  \textless <  \textgreater >  \textbar |
""")
