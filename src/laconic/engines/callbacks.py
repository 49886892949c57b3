"""scikit-learn's callback support (version 1.9 and later), with no-op stand-ins before 1.9."""

from __future__ import annotations

from typing import Any

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:

    class NoCallbacks:
        """Callback context of a fit without callbacks."""

        def call_on_fit_task_begin(self, **context: Any) -> None:
            """Do nothing."""

        def call_on_fit_task_end(self, **context: Any) -> bool:
            """Do nothing; never request an early stop."""
            return False

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Stand-in for scikit-learn's mixin of the same name."""

        def _init_callback_context(self, **options: Any) -> NoCallbacks:
            return NoCallbacks()

    def with_callbacks(fit: Any) -> Any:
        """Return the method unchanged."""
        return fit


__all__ = ["CallbackSupportMixin", "with_callbacks"]
