"""scikit-learn's callbacks where it has them: since version 1.9. Older ones get stand-ins."""

from __future__ import annotations

from typing import Any

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:

    class NoCallbacks:
        """The context of a fit that calls nobody."""

        def call_on_fit_task_begin(self, **context: Any) -> None:
            """Nothing is called."""

        def call_on_fit_task_end(self, **context: Any) -> bool:
            """Nothing is called, and nobody asks for an early end."""
            return False

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Of estimators that could take callbacks if scikit-learn had them."""

        def _init_callback_context(self, **options: Any) -> NoCallbacks:
            return NoCallbacks()

    def with_callbacks(fit: Any) -> Any:
        """The method as it is."""
        return fit


__all__ = ["CallbackSupportMixin", "with_callbacks"]
