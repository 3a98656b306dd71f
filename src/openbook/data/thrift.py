"""A reader of Thrift's compact protocol, in which Parquet writes its footer and its page headers.

A struct is a run of (field number, type, value) that ends with a zero byte. Structs become dicts by field
number, lists lists; every length is checked against the bytes that are there.
"""

from typing import Any

_STOP, _TRUE, _FALSE, _BYTE, _I16, _I32, _I64, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = range(13)
_DEEPEST = 32


class Cursor:
    """A place in some bytes. What is no Thrift raises ValueError, what ends too early IndexError."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.at = 0

    def struct(self, depth: int = 0) -> dict[int, Any]:
        """The struct at the cursor."""
        fields: dict[int, Any] = {}
        number = 0
        while (head := self._byte()) != _STOP:
            number = number + (head >> 4) if head >> 4 else self._integer()
            kind = head & 15
            fields[number] = kind == _TRUE if kind in (_TRUE, _FALSE) else self._value(kind, depth)
        return fields

    def _value(self, kind: int, depth: int) -> Any:
        if depth > _DEEPEST:
            raise ValueError(depth)
        if kind in (_I16, _I32, _I64):
            return self._integer()
        if kind in (_BINARY, _DOUBLE):
            return self._bytes(self._varint() if kind == _BINARY else 8)
        if kind in (_LIST, _SET):
            return self._list(depth)
        if kind == _STRUCT:
            return self.struct(depth + 1)
        if kind in (_TRUE, _FALSE, _BYTE):  # in a list, a boolean is a byte
            return self._byte()
        raise ValueError(kind)  # maps do not occur in Parquet

    def _list(self, depth: int) -> list[Any]:
        head = self._byte()
        count = self._varint() if head >> 4 == 15 else head >> 4
        if count > len(self.content) - self.at:  # every item takes a byte at least
            raise IndexError(count)
        return [self._value(head & 15, depth + 1) for _ in range(count)]

    def _byte(self) -> int:
        value = self.content[self.at]
        self.at += 1
        return value

    def _bytes(self, length: int) -> bytes:
        if length > len(self.content) - self.at:
            raise IndexError(length)
        self.at += length
        return self.content[self.at - length : self.at]

    def _varint(self) -> int:
        value = 0
        for shift in range(0, 70, 7):
            part = self._byte()
            value |= (part & 127) << shift
            if part < 128:
                return value
        raise ValueError(value)

    def _integer(self) -> int:
        value = self._varint()
        return (value >> 1) ^ -(value & 1)
