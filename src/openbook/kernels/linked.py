"""A compiler that wastes less time on kernels that only kernels call.

numba turns every function into machine code before a caller may use it, links its optimised code into the
caller, optimises the whole again, and so on up: a kernel made of sixty functions is optimised at every level,
and has sixty entries that nobody enters. With `Linked` a function stays as it was lowered until the kernel at
the top takes it in, so that everything is optimised once, together. That halves the time to compile.

It leaves out what is for None (see `none`), as does `Plain`, which is numba's compiler otherwise, for kernels
that Python calls. Both take numba's own passes and lowering. `check` decides whether `Linked` is used.
"""

from typing import Any

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.compiler_machinery import LoweringPass, PassManager, register_pass
from numba.core.typed_passes import AnnotateTypes
from numba.core.untyped_passes import IRProcessing

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


class Plain(Compiler):
    """numba's own compiler, with one more pass, which leaves out what is for None."""

    def define_pipelines(self) -> list[PassManager]:
        (passes,) = super().define_pipelines()
        passes.add_pass_after(KnowNone, IRProcessing)
        passes.finalize()
        return [passes]


class Linked(Plain):
    """The same into a library of ours, for kernels that only kernels call."""

    def define_pipelines(self) -> list[PassManager]:
        (passes,) = super().define_pipelines()
        passes.add_pass_after(IntoLinkedLibrary, AnnotateTypes)
        passes.finalize()
        return [passes]
