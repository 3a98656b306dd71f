"""Plain loops over arrays, lowered to a third of the instructions.

numba writes some forty instructions for `a[i]` and a hundred for `for k in range(n)`, since arrays may have
any layout and ranges any step; most are optimised away again, and that is most of the time it takes to
compile. Here an element of a contiguous array is found, and a range of step 1 is walked, in as few
instructions as it takes. Everything else is left to numba.
"""

from typing import Any

from numba.core import ir, types
from numba.core import typed_passes as typed
from numba.core.cgutils import alloca_once_value
from numba.core.compiler_machinery import register_pass
from numba.core.lowering import Lower
from numba.np.arrayobj import load_item, store_item

__all__ = ["LeanLowering"]

#: Where the pointer to the elements, and the shape, stand in an array.
DATA, SHAPE = 4, 5

#: How numba asks what `next` has given: the number, and whether there was one.
PAIR = {"pair_first": 0, "pair_second": 1}
RANGE_PAIRS = {types.Pair(kind, types.boolean) for kind in (types.int32, types.int64, types.uint64)}


def indices_of(kind: Any) -> tuple[Any, ...]:
    """The types of one index, or of a tuple of several."""
    return getattr(kind, "types", (kind,))


def is_element(array: Any, index: Any) -> bool:
    """Whether whole numbers, one for each dimension, say which element of a contiguous array is meant."""
    indices = indices_of(index)
    return (
        type(array) is types.Array
        and array.layout == "C"
        and len(indices) == array.ndim
        and all(isinstance(kind, types.Integer) for kind in indices)
    )


class LeanLower(Lower):
    """numba's lowering, with short ways to elements of arrays and through ranges."""

    def lower_getitem(self, resty: Any, expr: Any, value: Any, index: Any, signature: Any) -> Any:
        array, kind = self.typeof(value.name), self.typeof(index.name)
        if not is_element(array, kind) or self.context.enable_boundscheck:
            return super().lower_getitem(resty, expr, value, index, signature)
        item = load_item(self.context, self.builder, array, self.place_of(value, index))
        return self.context.cast(self.builder, item, signature.return_type, resty)

    def lower_setitem(self, target_var: Any, index_var: Any, value_var: Any, signature: Any) -> Any:
        array, kind = self.typeof(target_var.name), self.typeof(index_var.name)
        given = self.typeof(value_var.name)
        is_number = isinstance(given, types.Number | types.Boolean)
        if not (is_element(array, kind) and is_number) or self.context.enable_boundscheck:
            return super().lower_setitem(target_var, index_var, value_var, signature)
        number = self.context.cast(self.builder, self.loadvar(value_var.name), given, array.dtype)
        return store_item(self.context, self.builder, array, number, self.place_of(target_var, index_var))

    def place_of(self, array_var: Any, index_var: Any) -> Any:
        """A pointer to an element; negative indices count from the end."""
        builder, array, index = self.builder, self.loadvar(array_var.name), self.loadvar(index_var.name)
        kind, place = self.typeof(index_var.name), None
        several = isinstance(kind, types.BaseTuple)
        for d, own in enumerate(indices_of(kind)):
            at = builder.extract_value(index, d) if several else index
            at = self.context.cast(builder, at, own, types.intp if own.signed else types.uintp)
            length = builder.extract_value(array, (SHAPE, d))
            if own.signed:
                from_end = builder.icmp_signed("<", at, at.type(0))
                at = builder.select(from_end, builder.add(at, length), at)
            place = at if place is None else builder.add(builder.mul(place, length), at)
        return builder.gep(builder.extract_value(array, DATA), [place])

    def lower_expr(self, resty: Any, expr: Any) -> Any:
        if expr.op == "getiter" and self.is_plain_range(expr.value):
            return self.start_of(expr)
        if expr.op == "iternext" and isinstance(self.typeof(expr.value.name), types.RangeIteratorType):
            return self.next_of(resty, expr)
        if expr.op in PAIR and self.typeof(expr.value.name) in RANGE_PAIRS:
            return self.builder.extract_value(self.loadvar(expr.value.name), PAIR[expr.op])
        return super().lower_expr(resty, expr)

    def is_plain_range(self, name: Any) -> bool:
        """Whether a name stands for range(n) or range(m, n)."""
        made = self.func_ir.get_definition(name)
        return (
            isinstance(self.typeof(name.name), types.RangeType)
            and isinstance(made, ir.Expr)
            and made.op == "call"
            and len(made.args) < 3
        )

    def start_of(self, expr: Any) -> Any:
        """An iterator: where the next number is, the stop, the step, and where it is how many are left."""
        builder, bounds = self.builder, self.loadvar(expr.value.name)
        start, stop, step = (builder.extract_value(bounds, i) for i in range(3))
        number_at, left_at = (alloca_once_value(builder, x) for x in (start, builder.sub(stop, start)))
        return self.together(self.fndesc.calltypes[expr].return_type, (number_at, stop, step, left_at))

    def next_of(self, resty: Any, expr: Any) -> Any:
        """The next number, and whether there is one; no loop asks again when there was none."""
        builder, iterator = self.builder, self.loadvar(expr.value.name)
        number_at, _, step, left_at = (builder.extract_value(iterator, i) for i in range(4))
        number, left = builder.load(number_at), builder.load(left_at)
        builder.store(builder.add(number, step), number_at)
        builder.store(builder.sub(left, left.type(1), flags=["nsw"]), left_at)
        return self.together(resty, (number, builder.icmp_signed(">", left, left.type(0))))

    def together(self, kind: Any, fields: Any) -> Any:
        """A value of several fields."""
        value = self.context.get_constant_undef(kind)
        for i, field in enumerate(fields):
            value = self.builder.insert_value(value, field, i)
        return value


@register_pass(mutates_CFG=True, analysis_only=False)
class LeanLowering(typed.NativeLowering):
    """numba's pass, with this lowering."""

    _name = "lean_lowering"

    @property
    def lowering_class(self) -> type[Lower]:
        return LeanLower
