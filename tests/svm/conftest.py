"""A model file with one of its arrays changed."""

import io
import zipfile

import numpy as np
import pytest


@pytest.fixture
def damaged():
    def change_one(path, name, change):
        with zipfile.ZipFile(path) as archive:
            members = {member: archive.read(member) for member in archive.namelist()}
        key = f"arrays/{name}.npy"
        buffer = io.BytesIO()
        np.save(buffer, np.ascontiguousarray(change(np.load(io.BytesIO(members[key])))))
        members[key] = buffer.getvalue()
        with zipfile.ZipFile(path, "w") as archive:
            for member, data in members.items():
                archive.writestr(member, data)
        return path

    return change_one
