"""Where compiled kernels are kept, so that a machine compiles each of them once.

numba keeps them beside the source or, where that cannot be written, in the user's cache folder. Two
things it leaves to others: with neither it refuses to define the function at all, so that a
read-only install without a home could not even be imported; and a file that was cut short, by a
full disk or a lost power supply, is an error in the middle of a fit. Here a folder of this user
below the temporary one comes last, then none, and what cannot be read is compiled again.
"""

import os
import stat
import tempfile
from contextlib import suppress
from typing import Any

from numba.core import caching
from numba.core.caching import CompileResultCacheImpl, FunctionCache, NullCache

# Private in older versions of numba.
LOCATORS = vars(caching)
InTreeLocator: Any = LOCATORS.get("InTreeCacheLocator") or LOCATORS["_InTreeCacheLocator"]


def own_temporary_folder():
    """A folder below the temporary one that only this user can write to; None where there is none.

    What lies in a cache is run. So the folder has to be a real one, ours, and closed to others, and
    nobody else may be able to put another in its place.
    """
    if not hasattr(os, "getuid"):  # on Windows the temporary folder is that of the user
        return None
    user = os.getuid()
    try:
        parent = tempfile.gettempdir()
        above = os.stat(parent)
        shared = above.st_mode & (stat.S_IWGRP | stat.S_IWOTH) or above.st_uid not in (0, user)
        if shared and not above.st_mode & stat.S_ISVTX:
            return None
        folder = os.path.join(parent, f"laconic-kernels-{user}")
        with suppress(FileExistsError):
            os.mkdir(folder, 0o700)
        found = os.lstat(folder)
    except OSError:
        return None
    ours = stat.S_ISDIR(found.st_mode) and found.st_uid == user and not found.st_mode & 0o077
    return folder if ours else None


class TemporaryLocator(InTreeLocator):
    """In `own_temporary_folder`."""

    def __init__(self, function, file):
        super().__init__(function, file)
        subfolder = self.get_suitable_cache_subpath(file)
        self._cache_path = os.path.join(own_temporary_folder(), subfolder)

    @classmethod
    def from_function(cls, function, file):
        return None if own_temporary_folder() is None else super().from_function(function, file)


class KernelFiles(CompileResultCacheImpl):
    """numba's places, then the temporary folder."""

    _locator_classes = [*CompileResultCacheImpl._locator_classes, TemporaryLocator]


class KernelCache(FunctionCache):
    """A cache that is never the reason why a kernel does not run."""

    _impl_class = KernelFiles

    def load_overload(self, signature, context):
        try:
            return super().load_overload(signature, context)
        except Exception:  # whatever reading the pickle of a broken file may lead to
            self._forget()
            return None

    def save_overload(self, signature, result):
        try:
            super().save_overload(signature, result)
        except OSError:  # a full disk, a folder that was closed: compiled, but not kept
            self.disable()

    def _forget(self):
        try:
            self.flush()
        except OSError:
            self.disable()


def cache_of(function):
    """The cache of a kernel: files in the first folder that can be written, or nothing."""
    try:
        return KernelCache(function)
    except RuntimeError:  # numba found no such folder
        return NullCache()
