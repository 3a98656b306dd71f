"""Numba compilers that waste less time, for kernels that Python calls and for those that only kernels call.

numba turns every function into machine code before a caller may use it, links its optimised code into the
caller, optimises the whole again, and so on up: a kernel made of sixty functions is optimised at every level,
and has sixty entries that nobody enters. With `Linked` a function stays as it was lowered until the kernel at
the top takes it in, so that everything is optimised once, together. That halves the time to compile.

numba also goes through everything that + can mean at every + there is. Both compilers remember the answers.

Both compilers leave out what is for None (see `none`), as does `Plain`, which is numba's compiler otherwise.
Every compiler here uses numba's own lowering. `check` decides whether the quick ones are used.
"""

from types import BuiltinFunctionType
from typing import Any

from numba.core import typed_passes as typed
from numba.core import types
from numba.core import untyped_passes as untyped
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompilerBase
from numba.core.compiler_machinery import LoweringPass, PassManager, register_pass
from numba.extending import models, register_model

from openbook.kernels.none import KnowNone


class LinkedLibrary(JITCodeLibrary):
    """Code that waits for a caller to take it in."""

    def _optimize_final_module(self) -> None:
        """Leave that to the caller's library."""

    def _finalize_final_module(self) -> None:
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:  # noqa: ARG002 (numba's signature)
        """There is no machine code to point to."""
        return 0

    @property
    def codegen(self) -> Any:
        return WithoutEnvironment


class WithoutEnvironment:
    """What numba asks of a finished library: here there is no code that could need an environment."""

    @staticmethod
    def set_env(env_name: str, env: Any) -> None: ...


@register_pass(mutates_CFG=False, analysis_only=False)
class IntoLinkedLibrary(LoweringPass):
    """Have the next pass lower the function into a `LinkedLibrary`."""

    _name = "into_linked_library"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        state.library = LinkedLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        return True


#: What plain loops need; the passes for closures, comprehensions, array expressions and references are left
#: out.
PASSES = (
    untyped.TranslateByteCode,
    untyped.FixupArgs,
    untyped.IRProcessing,
    untyped.RewriteSemanticConstants,
    untyped.GenericRewrites,
    untyped.ReconstructSSA,
    KnowNone,
    untyped.DeadBranchPrune,
    typed.NopythonTypeInference,
    typed.PreLowerStripPhis,
    typed.AnnotateTypes,
    IntoLinkedLibrary,
    typed.NativeLowering,
    typed.NoPythonBackend,
)


class Known(types.Function):
    """A function or an operator of numba's own, which works out once what it gives for which arguments."""

    answers: dict[Any, Any] = {}

    def get_call_type(self, context: Any, args: Any, kws: Any) -> Any:
        if kws:
            return super().get_call_type(context, args, kws)
        call = self, tuple(args)
        if call not in self.answers:
            self.answers[call] = super().get_call_type(context, args, kws)
        return self.answers[call]


register_model(Known)(models.OpaqueModel)


class Remembering:
    """A typing context whose functions are `Known`."""

    def __init__(self, context: Any) -> None:
        self._context = context

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    def resolve_value_type(self, value: Any) -> Any:
        kind = self._context.resolve_value_type(value)
        return Known(kind.templates) if type(kind) is types.Function else kind

    def resolve_function_type(self, function: Any, args: Any, kws: Any) -> Any:
        if isinstance(function, BuiltinFunctionType):
            function = self.resolve_value_type(function)
        if isinstance(function, Known):
            return function.get_call_type(self._context, args, kws)
        return self._context.resolve_function_type(function, args, kws)


class WithMemory(CompilerBase):
    """A compiler that types and lowers with `Known` functions."""

    def __init__(self, context: Any, *rest: Any) -> None:
        super().__init__(Remembering(context), *rest)
        self.state.targetctx.typing_context = self.state.typingctx  # this context is the compiler's own copy


class Plain(Compiler):
    """numba's own compiler, with one more pass, which leaves out what is for None."""

    def define_pipelines(self) -> list[PassManager]:
        (passes,) = super().define_pipelines()
        passes.add_pass_after(KnowNone, untyped.IRProcessing)
        passes.finalize()
        return [passes]


class Entered(WithMemory, Plain):
    """The same with a memory, for kernels that Python calls."""


class Linked(WithMemory):
    """The compiler for kernels that only kernels call: numba's own passes, into a library of ours."""

    def define_pipelines(self) -> list[PassManager]:
        passes = PassManager("linked")
        for kind in PASSES:
            passes.add_pass(kind, kind.__name__)
        passes.finalize()
        return [passes]
