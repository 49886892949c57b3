"""On-disk cache of compiled kernels, so that each kernel is compiled once per machine.

numba stores compiled kernels in the folder of the source or, if that folder is not writeable, in
the user's cache folder. In two cases, numba raises an error. If neither folder is writeable, the
error is raised when a kernel is defined, so that a read-only installation without a home folder
could not be imported. If a cache file is truncated, because the disk is full or the power failed,
the error is raised in the middle of a fit. This module avoids both errors. If numba's folders are
not writeable, the module uses a private folder inside the temporary folder; if the private folder
cannot be used either, nothing is cached. If a cache file is unreadable, the kernel is compiled
again.

numba compiles a kernel again if the time or the size of its own file has changed. This is not
enough: kernels contain the compiled code of kernels from other files, and all files of a wheel have
the same time. Therefore a kernel is compiled again if the text of any kernel has changed.
"""

import hashlib
import os
import stat
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from numba.core import caching
from numba.core.caching import CompileResultCacheImpl, FunctionCache, NullCache

# In older versions of numba, the name of the class InTreeCacheLocator begins with an underscore.
LOCATORS = vars(caching)
InTreeLocator: Any = LOCATORS.get("InTreeCacheLocator") or LOCATORS["_InTreeCacheLocator"]


def own_temporary_folder():
    """Return a temporary folder that only this user can write to, or None if there cannot be one.

    Files in the cache are executed. Therefore the folder must be a real folder (not a link), must
    be owned by this user and inaccessible to other users, and no other user may be able to replace
    it.
    """
    if not hasattr(os, "getuid"):  # On Windows, the temporary folder already belongs to the user.
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
    """Cache locator that tells numba to use the folder returned by `own_temporary_folder`."""

    def __init__(self, function, file):
        super().__init__(function, file)
        subfolder = self.get_suitable_cache_subpath(file)
        self._cache_path = os.path.join(own_temporary_folder(), subfolder)

    @classmethod
    def from_function(cls, function, file):
        return None if own_temporary_folder() is None else super().from_function(function, file)


class KernelFiles(CompileResultCacheImpl):
    """Cache files in numba's folders or, if these are not writeable, in the temporary folder."""

    _locator_classes = [*CompileResultCacheImpl._locator_classes, TemporaryLocator]


@cache
def digest_of_sources(folder=Path(__file__).parent):
    """Return a digest of all Python files in the folder of the kernels."""
    digest = hashlib.sha256()
    for file in sorted(folder.glob("*.py")):
        digest.update(file.name.encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()


class KernelCache(FunctionCache):
    """Cache of a kernel; if the cache fails, the kernel still runs."""

    _impl_class = KernelFiles

    def __init__(self, function):
        super().__init__(function)
        self._cache_file._source_stamp = digest_of_sources()

    def load_overload(self, signature, context):
        try:
            return super().load_overload(signature, context)
        except Exception:  # Unpickling a broken file may raise any exception.
            self._clear()
            return None

    def save_overload(self, signature, result):
        try:
            super().save_overload(signature, result)
        except OSError:  # If the disk is full or not writeable, use the kernel without a cache.
            self.disable()

    def _clear(self):
        try:
            self.flush()
        except OSError:
            self.disable()


def cache_of(function):
    """Return a cache for a kernel in the first writeable folder.

    If no folder is writeable, the cache stores nothing.
    """
    try:
        return KernelCache(function)
    except RuntimeError:  # numba has found no writeable folder.
        return NullCache()
