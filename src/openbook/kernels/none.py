"""Branches that ask whether something is None, decided before anything is compiled.

An argument, or a field of a bundle, may be None in one kernel and an array in another. Its type says which,
so a branch for the other is left out:

    if ground.keys is not None:     # no column is sorted: what sorts is not compiled
        ...

numba does so itself where an argument is None, but not a field. Should a release of numba no longer take this
pass, nothing runs wrongly: kernels do not compile, since None has no elements.
"""

import operator
from typing import Any

from numba import types
from numba.core import compiler, ir
from numba.core.compiler_machinery import FunctionPass, PassManager, register_pass
from numba.core.ir_utils import get_definition, guard
from numba.core.untyped_passes import InlineInlinables

from openbook.kernels.bundle import Bundle


@register_pass(mutates_CFG=False, analysis_only=False)
class KnowNone(FunctionPass):
    """Put answers where `x is None` or `x is not None` is asked; numba's next pass, `DeadBranchPrune`, leaves
    branches out.
    """

    _name = "know_none"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        for block in state.func_ir.blocks.values():
            for line in block.find_insts(ir.Assign):
                if asks(state.func_ir, line.value):
                    answer(state, line)
        return True


def asks(function: Any, value: Any) -> bool:
    """Whether a value is that of `x is None` or `x is not None`."""
    if not (
        isinstance(value, ir.Expr) and value.op == "binop" and value.fn in (operator.is_, operator.is_not)
    ):
        return False
    other = guard(get_definition, function, value.rhs)
    return isinstance(other, ir.Const) and other.value is None


def answer(state: Any, line: Any) -> None:
    """Put the answer there, if the type of x is known."""
    kind = type_of(state, line.value.lhs)
    if kind is None or isinstance(kind, types.Omitted | types.Optional):  # which are told apart by the call
        return
    is_none = isinstance(kind, types.NoneType)
    line.value = ir.Const(is_none == (line.value.fn is operator.is_), loc=line.loc)
    state.func_ir._definitions[line.target.name] = [line.value]  # noqa: SLF001 (as numba's own passes do)


def type_of(state: Any, name: Any) -> Any:
    """The type of a name that stands for an argument or for a field of one; None for others."""
    value = guard(get_definition, state.func_ir, name)
    if isinstance(value, ir.Arg):
        return state.args[value.index]
    if not isinstance(value, ir.Expr):
        return None
    if value.op == "getattr":
        whole = type_of(state, value.value)
        return whole.fields[value.attr] if isinstance(whole, Bundle) else None
    if value.op == "static_getitem":  # one of many in a line: a, b, c, d = x, y.z, ...
        unpacked = guard(get_definition, state.func_ir, value.value)
        many: Any = (
            guard(get_definition, state.func_ir, unpacked.value) if unpacked.op == "exhaust_iter" else None
        )
        is_line = isinstance(many, ir.Expr) and many.op == "build_tuple"
        return type_of(state, many.items[value.index]) if is_line else None
    return None


class Compiler(compiler.Compiler):
    """numba's own compiler, with this one pass more."""

    def define_pipelines(self) -> list[PassManager]:
        (passes,) = super().define_pipelines()
        passes.add_pass_after(KnowNone, InlineInlinables)
        passes.finalize()
        return [passes]
