"""Callback support of scikit-learn 1.9 and later; in older versions, substitutes do nothing."""

from __future__ import annotations

from typing import Any

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:

    class NoCallbacks:
        """Substitute for the callback context of a fit, without any callbacks."""

        def call_on_fit_task_begin(self, **context: Any) -> None:
            """Do nothing."""

        def call_on_fit_task_end(self, **context: Any) -> bool:
            """Do nothing; never request an early stop."""
            return False

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Substitute for scikit-learn's mixin of the same name."""

        def _init_callback_context(self, **options: Any) -> NoCallbacks:
            return NoCallbacks()

    def with_callbacks(fit: Any) -> Any:
        """Return the method `fit` unchanged."""
        return fit


__all__ = ["CallbackSupportMixin", "with_callbacks"]
