"""Tests that accents are stripped as by scikit-learn."""

import sys

from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction import text as sklearn_text

from laconic.text.accents import strip_accents_ascii, strip_accents_unicode


@given(st.text())
def test_any_text(text):
    assert strip_accents_ascii(text) == sklearn_text.strip_accents_ascii(text)
    assert strip_accents_unicode(text) == sklearn_text.strip_accents_unicode(text)


def test_every_character():
    text = "".join(chr(i) for i in range(sys.maxunicode + 1) if not 0xD800 <= i < 0xE000)
    assert strip_accents_ascii(text) == sklearn_text.strip_accents_ascii(text)
    assert strip_accents_unicode(text) == sklearn_text.strip_accents_unicode(text)
