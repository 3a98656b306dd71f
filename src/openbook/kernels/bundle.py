"""Bundles: named tuples that kernels pass by reference.

numba passes a tuple by value: twenty arrays are more than a hundred words, copied at every call of an inner
kernel. With plain tuples, forests take a fifth to a third longer to fit, and kernels longer to compile. A
bundle is stored in memory once, when Python calls a kernel; after that only its address is passed.

A field is read from memory where it is used, so read the fields that a loop needs before the loop. A field
may be None; numba leaves out a branch for None only where an argument is None, so pass such a field as an
argument of its own. Kernels that take bundles count no references: `@jit(_nrt=False)`.

A bundle is a type defined by numba's extension interface (`numba.extending`); the compiler is unchanged.
"""

from functools import cache
from hashlib import blake2b
from typing import Any

from numba import typeof, types
from numba.core import cgutils
from numba.core.registry import cpu_target
from numba.core.typing.templates import AttributeTemplate
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
    """The numba type of a bundle: its class, and the types of its fields.

    The name depends on the types of the fields: numba names compiled functions by the names of their types,
    and could mistake two of the same name on disk for each other.
    """

    def __init__(self, name: str, fields: tuple[tuple[str, types.Type], ...]) -> None:
        self.kind, self.fields = name, dict(fields)
        super().__init__(f"{name}_{blake2b(str(fields).encode(), digest_size=8).hexdigest()}")

    @property
    def key(self) -> Any:
        return self.kind, tuple(self.fields.items())


def bundle(kind: Any) -> Any:
    """Make kernels take named tuples of this class as bundles (a class decorator)."""

    @typeof_impl.register(kind)
    def type_of(values: Any, context: Any) -> Bundle:
        types_of_values = (typeof(value, context.purpose) for value in values)
        return Bundle(kind.__name__, tuple(zip(kind._fields, types_of_values, strict=True)))

    return kind


@register_model(Bundle)
class Address(models.PrimitiveModel):
    """In a kernel, a bundle is an address."""

    def __init__(self, manager: Any, kind: Bundle) -> None:
        super().__init__(manager, kind, cgutils.voidptr_t)


@cache
def layout(kind: Bundle) -> tuple[dict[str, int], int]:
    """The first word of each field, and the number of words."""
    context, places, words = cpu_target.target_context, {}, 0
    for name, field in kind.fields.items():
        places[name] = words
        words += -(-context.get_abi_sizeof(context.get_value_type(field)) // WORD)
    return places, words


def place(context: Any, builder: Any, kind: Bundle, address: Any, name: str) -> Any:
    """The address of a field."""
    field, (places, _) = context.get_value_type(kind.fields[name]), layout(kind)
    return cgutils.pointer_add(builder, address, WORD * places[name], field.as_pointer())


@unbox(Bundle)
def store_fields(kind: Bundle, values: Any, call: Any) -> NativeValue:
    """Store the fields in memory for the duration of the call; the tuple keeps owning its arrays."""
    if call.context.enable_nrt:  # it would release arrays that it never acquired
        msg = f"{kind.kind} is a bundle, for kernels that count no references; say @jit(_nrt=False)"
        raise NotImplementedError(msg)
    builder, failed, natives = call.builder, cgutils.false_bit, []
    words = cgutils.alloca_once(builder, cgutils.intp_t, size=layout(kind)[1])
    address = builder.bitcast(words, cgutils.voidptr_t)
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
