"""Archives made to harm: members twice, paths, bombs, claims beyond the file, hostile headers."""

import io
import json
import zipfile

import numpy as np
import pytest

from openbook import load, open_model, save
from openbook.bayes import NaiveBayes
from openbook.decide import MinimumRisk
from openbook.errors import ModelFileError
from openbook.store import from_file

WEIGHTS = "arrays/classes.npy"


def npy(array):
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


def test_a_member_twice(saved, refused, rewritten):
    with pytest.warns(UserWarning, match="Duplicate name"):
        rewritten(saved, extra=[(WEIGHTS, npy(np.array([1.0, 99.0])))])
    refused(saved, r"it holds 'arrays/classes\.npy' 2 times")


@pytest.mark.parametrize(
    "name", ["../evil.npy", "/etc/evil.npy", "arrays", "arrays/x.npy.exe", "arrays\\..\\x", "x"]
)
def test_tricks_with_paths(saved, name, refused, rewritten):
    before = set(saved.parent.parent.iterdir())
    rewritten(saved, extra=[(name, npy(np.ones(2)))])
    refused(saved, "it holds '.*', which no model file does")
    assert set(saved.parent.parent.iterdir()) == before
    assert [path.name for path in saved.parent.iterdir()] == [saved.name]


def test_a_path_within_arrays_is_no_other_place(saved, rewritten):
    rewritten(saved, extra=[("arrays/../../evil.npy", npy(np.ones(2)))])
    open_model(saved)  # an array of a member that the model does not have: a name, and never a path
    assert [path.name for path in saved.parent.iterdir()] == [saved.name]


def test_a_compressed_array_is_refused(saved, refused, rewritten):
    rewritten(saved, compress=zipfile.ZIP_DEFLATED)
    refused(saved, "is compressed, and arrays never are")


def test_a_bomb_in_the_record(saved, refused):
    with zipfile.ZipFile(saved, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("model.json", b" " * (1 << 24))
    refused(saved, "model.json claims 16,777,216 bytes, more than any model needs")


def patched(path, old, new):
    data = path.read_bytes()
    assert data.count(old) >= 1
    path.write_bytes(data.replace(old, new))


@pytest.mark.parametrize("claim", [None, 1 << 31])
def test_a_claim_beyond_the_file(saved, refused, claim):
    """Of as many bytes as the file has in all, or of far more: the other arrays make either too many."""
    with zipfile.ZipFile(saved) as archive:
        info = archive.getinfo(WEIGHTS)
    size = info.file_size.to_bytes(4, "little")
    patched(saved, size * 2, (claim or saved.stat().st_size).to_bytes(4, "little") * 2)
    refused(saved, "its arrays claim [0-9,]+ bytes, but the file has")


def test_members_that_share_their_bytes(tmp_path, refused):
    """One array listed a thousand times: small as a file, large when unpacked."""
    path = tmp_path / "m.openbook"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("model.json", "{}")
        archive.writestr("arrays/big.npy", npy(np.zeros(10_000)))
        info = archive.getinfo("arrays/big.npy")
        for i in range(1000):
            copy = zipfile.ZipInfo(f"arrays/big{i}.npy")
            for field in ("CRC", "compress_size", "file_size", "header_offset"):
                setattr(copy, field, getattr(info, field))
            archive.filelist.append(copy)
    refused(path, "its arrays claim 80,[0-9,]+ bytes, but the file has|Overlapped")


def test_a_huge_header(saved, refused, rewritten):
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }" + b" " * 60_000 + b"\n"
    data = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bytes(16)
    rewritten(saved, change_arrays=lambda arrays: arrays.update({WEIGHTS: data}))
    refused(saved, "damaged or not a model file")


def test_a_length_without_cells_is_bounded(saved, refused, rewritten):
    """No byte of data, and room for a thousand million rows in whatever the learner makes of it."""
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000, 0), }"
    header += b" " * (53 + 64 - len(header)) + b"\n"
    data = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header
    rewritten(saved, change_arrays=lambda arrays: arrays.update({WEIGHTS: data}))
    refused(saved, "claims a length of 1,000,000,000")


def test_what_an_altered_model_raises_is_a_refusal_of_one_line():
    damaged = pytest.raises(ModelFileError, match=r"^m\.openbook is damaged .*\(ValueError: one two\)")
    with damaged as error, from_file("m.openbook"):
        raise ValueError("one\ntwo")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "header",
    [
        b"{'descr': '<f8', 'fortran_order': False, 'shape': (-1, -1), }",
        b"{'descr': '<U0', 'fortran_order': False, 'shape': (1000000000000,), }",
        b"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 10**18), }",
        b"{'descr': '|O', 'fortran_order': False, 'shape': (2,), }",
        b"{'descr': '<f8', 'fortran_order': 7, 'shape': (2,), }",
        b"__import__('os').system('true')",
        b"{'descr': [",
        b"\xff\xfe",
        b"",
    ],
)
def test_hostile_headers(saved, header, refused, rewritten):
    header += b"\n"
    data = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bytes(8)
    rewritten(saved, change_arrays=lambda arrays: arrays.update({WEIGHTS: data}))
    refused(saved, "play.openbook")


def test_members_without_end(tmp_path, refused, rewritten):
    path = save(MinimumRisk(NaiveBayes()).fit(*load("weather").split("play")), tmp_path / "m.openbook")

    def nest(record):
        record["model"]["members"]["estimator"] = json.loads(json.dumps(record["model"]))

    rewritten(path, nest)
    refused(path, "damaged or not a model file")
    deep = '{"learner": "minimum_risk", "parameters": {"estimator": ' * 20_000
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("model.json", '{"format": 1, "model": ' + deep + "1" + "}}" * 20_000 + "}")
    refused(path, "damaged or not a model file")
