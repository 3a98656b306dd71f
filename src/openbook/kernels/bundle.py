"""Named tuples that kernels hand on by their address.

numba takes a tuple apart at every call and puts it together again behind it: seventeen arrays are more than a
hundred words to pass, at every node and column, and make most of the code that there is to compile. A bundle
is laid out in memory once, when Python calls a kernel; from there on it is one word.

A field is read from memory where it is asked for, so ahead of a loop, read into names what the loop needs.
Kernels that take bundles count no references: `@jit(_nrt=False)`.
"""

from functools import cache
from hashlib import blake2b
from typing import Any

from numba import types
from numba.core import cgutils
from numba.core.registry import cpu_target
from numba.core.typing.templates import AttributeTemplate
from numba.core.typing.typeof import typeof
from numba.extending import (
    NativeValue,
    infer_getattr,
    lower_getattr_generic,
    models,
    register_model,
    typeof_impl,
    unbox,
)

WORD = 8


class Bundle(types.Type):
    """What numba knows a bundle by: its class, and the types of its fields.

    The name tells the fields apart, since numba names the compiled functions by the names of their types: two
    of the same name that other processes compiled and put on disk could be taken for each other.
    """

    def __init__(self, name: str, fields: tuple[tuple[str, types.Type], ...]) -> None:
        self.kind, self.fields = name, dict(fields)
        super().__init__(f"{name}_{blake2b(str(fields).encode(), digest_size=8).hexdigest()}")

    @property
    def key(self) -> Any:
        return self.kind, tuple(self.fields.items())


def bundle(kind: Any) -> Any:
    """Have kernels take named tuples of this class as bundles."""

    @typeof_impl.register(kind)
    def type_of(values: Any, context: Any) -> Bundle:
        types_of_values = (typeof(value, context.purpose) for value in values)
        return Bundle(kind.__name__, tuple(zip(kind._fields, types_of_values, strict=True)))

    return kind


@register_model(Bundle)
class Address(models.PrimitiveModel):
    """A bundle, in a kernel."""

    def __init__(self, manager: Any, kind: Bundle) -> None:
        super().__init__(manager, kind, cgutils.voidptr_t)


@cache
def layout(kind: Bundle) -> tuple[dict[str, int], int]:
    """The word with which each field begins, and how many words there are."""
    context, places, words = cpu_target.target_context, {}, 0
    for name, field in kind.fields.items():
        places[name] = words
        words += -(-context.get_abi_sizeof(context.get_value_type(field)) // WORD)
    return places, words


def place(context: Any, builder: Any, kind: Bundle, address: Any, name: str) -> Any:
    """Where a field lies."""
    field, (places, _) = context.get_value_type(kind.fields[name]), layout(kind)
    return cgutils.pointer_add(builder, address, WORD * places[name], field.as_pointer())


@unbox(Bundle)
def lay_out_fields(kind: Bundle, values: Any, call: Any) -> NativeValue:
    """Put the fields in memory, for as long as the call takes: arrays are the tuple's, and only lent."""
    if call.context.enable_nrt:  # names that hold arrays would give back what they never took
        msg = f"{kind.kind} is a bundle, for kernels that count no references; say @jit(_nrt=False)"
        raise NotImplementedError(msg)
    builder, failed, natives = call.builder, cgutils.false_bit, []
    room = cgutils.alloca_once(builder, cgutils.intp_t, size=layout(kind)[1])
    address = builder.bitcast(room, cgutils.voidptr_t)
    for i, (name, field) in enumerate(kind.fields.items()):
        value, at = call.pyapi.tuple_getitem(values, i), place(call.context, builder, kind, address, name)
        if isinstance(field, types.Array):
            refused = call.pyapi.numba_array_adaptor(value, builder.bitcast(at, cgutils.voidptr_t))
            failed = builder.or_(failed, cgutils.is_not_null(builder, refused))
            continue
        native = call.unbox(field, value)
        builder.store(native.value, at)
        failed = builder.or_(failed, native.is_error)
        natives.append(native)

    def clean_up() -> None:
        for native in reversed(natives):
            if native.cleanup is not None:
                native.cleanup()

    return NativeValue(address, is_error=failed, cleanup=clean_up)


@infer_getattr
class Field(AttributeTemplate):
    """The type of a field."""

    key = Bundle

    def generic_resolve(self, kind: Bundle, name: str) -> types.Type | None:  # type: ignore[override]
        return kind.fields.get(name)


@lower_getattr_generic(Bundle)
def read_field(context: Any, builder: Any, kind: Bundle, address: Any, name: str) -> Any:
    """Read a field."""
    return builder.load(place(context, builder, kind, address, name))
