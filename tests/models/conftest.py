"""Which files there are depends on scikit-learn: it has callbacks since version 1.9."""

from importlib.util import find_spec

collect_ignore = [] if find_spec("sklearn.callback") else ["test_callbacks.py"]
