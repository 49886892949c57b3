"""On-disk cache of compiled kernels, so that each kernel is compiled once per machine.

numba stores compiled kernels beside the source or, if that folder is not writeable, in the user's
cache folder. numba does not handle two cases. If neither folder is writeable, it raises an error
when the function is defined, so a read-only installation without a home folder could not even be
imported. If a file is truncated (full disk, power failure), it raises an error in the middle of a
fit. This module therefore tries a private folder inside the temporary folder last and otherwise
works without a cache; it compiles a kernel again if its file is unreadable.
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
    """Return a temporary folder that only this user can write to, or None if that is impossible.

    Files in a cache are executed, so the folder must be a real folder (not a link), owned by this
    user and inaccessible to others, and nobody else may be able to replace it.
    """
    if not hasattr(os, "getuid"):  # Windows: the temporary folder already belongs to the user
        return None
    user = os.getuid()
    try:
        parent = tempfile.gettempdir()
        parent_stat = os.stat(parent)
        writeable_by_others = parent_stat.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
        shared = writeable_by_others or parent_stat.st_uid not in (0, user)
        if shared and not parent_stat.st_mode & stat.S_ISVTX:
            return None
        folder = os.path.join(parent, f"laconic-kernels-{user}")
        with suppress(FileExistsError):
            os.mkdir(folder, 0o700)
        status = os.lstat(folder)
    except OSError:
        return None
    is_private = stat.S_ISDIR(status.st_mode) and status.st_uid == user
    is_private = is_private and not status.st_mode & 0o077
    return folder if is_private else None


class TemporaryLocator(InTreeLocator):
    """Cache locator of numba for the folder `own_temporary_folder`."""

    def __init__(self, function, file):
        super().__init__(function, file)
        subfolder = self.get_suitable_cache_subpath(file)
        self._cache_path = os.path.join(own_temporary_folder(), subfolder)

    @classmethod
    def from_function(cls, function, file):
        return None if own_temporary_folder() is None else super().from_function(function, file)


class KernelFiles(CompileResultCacheImpl):
    """Cache files in the folders of numba or, if none is writeable, in the temporary folder."""

    _locator_classes = [*CompileResultCacheImpl._locator_classes, TemporaryLocator]


class KernelCache(FunctionCache):
    """Cache whose failures never prevent a kernel from running."""

    _impl_class = KernelFiles

    def load_overload(self, signature, context):
        try:
            return super().load_overload(signature, context)
        except Exception:  # unpickling a broken file may raise anything
            self._clear()
            return None

    def save_overload(self, signature, result):
        try:
            super().save_overload(signature, result)
        except OSError:  # full disk or lost permission: use the kernel without caching it
            self.disable()

    def _clear(self):
        try:
            self.flush()
        except OSError:
            self.disable()


def cache_of(function):
    """Return the cache of a kernel in the first writeable folder; if there is none, no cache."""
    try:
        return KernelCache(function)
    except RuntimeError:  # numba found no writeable folder
        return NullCache()
