"""No view is clipped or scrolls sideways, whatever fonts the reader has."""

from __future__ import annotations

import pytest

from .conftest import drawn, follow, settled, shot
from .measuring import clipped, covering_names, too_wide
from .views import addresses


@pytest.mark.parametrize(
    "font",
    [
        "monospace",  # the widest
        pytest.param("serif", marks=pytest.mark.thorough),
        pytest.param("sans-serif", marks=pytest.mark.thorough),
    ],
)
def test_every_view_fits_with_any_font(visit, explorer, font):
    page = visit.open(explorer("stc"), viewport={"width": 360, "height": 740}, bypass_csp=True)
    page.add_init_script(
        f"""document.addEventListener("DOMContentLoaded", () => {{
            const style = document.createElement("style");
            style.textContent = ":root {{ --sans: {font}; --serif: {font}; }}";
            document.head.append(style);
        }});"""
    )
    page.goto("/")
    settled(page, "overview")
    for width in (360, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        for view, address in addresses().items():
            drawn(settled(follow(page, address), view))
            assert too_wide(page) == [], (view, width)
            assert clipped(page) == [], (view, width)
            if view == "overview" and width == 1280:
                assert covering_names(page) == []
                shot(page, f"font-{font}")
