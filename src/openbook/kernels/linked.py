"""Numba compilers that waste less time, for kernels that Python calls and for those that only kernels call.

numba turns every function into machine code before a caller may use it, links its optimised code into the
caller, optimises the whole again, and so on up: a kernel made of sixty functions is optimised at every level,
and has sixty entries that nobody enters. With `Linked` a function stays as it was lowered until the kernel at
the top takes it in, so that everything is optimised once, together. That halves the time to compile.

numba also goes through everything that + can mean at every + there is. Both compilers remember the answers.
"""

from typing import Any

from numba.core import typed_passes as typed
from numba.core import types
from numba.core import untyped_passes as untyped
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompilerBase
from numba.core.compiler_machinery import LoweringPass, PassManager, register_pass

__all__ = ["Entered", "Linked"]


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


#: What plain loops need; the passes for closures, comprehensions and array expressions are left out.
PASSES = (
    untyped.TranslateByteCode,
    untyped.FixupArgs,
    untyped.IRProcessing,
    untyped.RewriteSemanticConstants,
    untyped.GenericRewrites,
    untyped.ReconstructSSA,
    untyped.DeadBranchPrune,
    typed.NopythonTypeInference,
    typed.PreLowerStripPhis,
    typed.IRLegalization,
    typed.AnnotateTypes,
    IntoLinkedLibrary,
    typed.NativeLowering,
    typed.NoPythonBackend,
)


class Remembering:
    """A typing context that works out once what numba's own functions give for arguments of some types."""

    known: dict[Any, Any] = {}

    def __init__(self, context: Any) -> None:
        self._context = context

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    def resolve_function_type(self, function: Any, args: Any, kws: Any) -> Any:
        if kws or isinstance(function, (types.Dispatcher, types.BoundFunction)):
            return self._context.resolve_function_type(function, args, kws)
        call = function, tuple(args)
        if call not in self.known:
            self.known[call] = self._context.resolve_function_type(function, args, kws)
        return self.known[call]


class Entered(Compiler):
    """numba's own compiler, for kernels that Python calls."""

    def __init__(self, context: Any, *rest: Any) -> None:
        super().__init__(Remembering(context), *rest)


class Linked(CompilerBase):
    """The compiler for kernels that only kernels call: numba's own passes, into a library of ours."""

    def __init__(self, context: Any, *rest: Any) -> None:
        super().__init__(Remembering(context), *rest)

    def define_pipelines(self) -> list[PassManager]:
        passes = PassManager("linked")
        for kind in PASSES:
            passes.add_pass(kind, kind.__name__)
        passes.finalize()
        return [passes]
