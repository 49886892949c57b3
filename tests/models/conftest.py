"""Skip the tests of callbacks before version 1.9 of scikit-learn, which introduced them."""

from importlib.util import find_spec

collect_ignore = [] if find_spec("sklearn.callback") else ["test_callbacks.py"]
