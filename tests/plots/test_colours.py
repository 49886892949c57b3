"""Tests that topic colours have enough contrast and differ even with colour blindness."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import laconic.identity
import laconic.web

STYLE = Path(laconic.identity.__file__).with_name("identity.css")
READING = Path(laconic.web.__file__).parent / "static" / "reading.css"
TOPICS = [f"c{number}" for number in range(7)]
LEAST_CONTRAST = 3.0  # minimum contrast of lines and marks according to WCAG 2
LEAST_DISTANCE = 17.0  # minimum distance in CIE Lab, where a distance of 2 is barely visible

# Matrices that simulate colour blindness in linear RGB: Machado, Oliveira and Fernandes (2009).
EYES = {
    "usual": np.eye(3),
    "without red": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "without green": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "without blue": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)


def colours(dark: bool) -> dict[str, np.ndarray]:
    """Return the colours among the page's custom properties as RGB values from 0 to 1."""
    light, night = re.findall(r":root \{(.*?)\}", STYLE.read_text(), flags=re.DOTALL)[:2]
    found = dict(re.findall(r"--(\w+): #([0-9a-f]{6})", light))
    if dark:
        found |= dict(re.findall(r"--(\w+): #([0-9a-f]{6})", night))
    return {name: np.array([*bytes.fromhex(code)]) / 255 for name, code in found.items()}


def tint(colour: np.ndarray, card: np.ndarray) -> np.ndarray:
    """Return the background colour of a topic's word."""
    (part,) = re.findall(r"--tint: color-mix\(in srgb, var\(--topic\) (\d+)%", READING.read_text())
    return card + int(part) / 100 * (colour - card)


def linear(colour: np.ndarray) -> np.ndarray:
    return np.where(colour <= 0.04045, colour / 12.92, ((colour + 0.055) / 1.055) ** 2.4)


def contrast(one: np.ndarray, other: np.ndarray) -> float:
    low, high = sorted(float(XYZ[1] @ linear(each)) for each in (one, other))
    return (high + 0.05) / (low + 0.05)


def lab(colour: np.ndarray, eyes: str) -> np.ndarray:
    seen = np.clip(np.array(EYES[eyes]) @ linear(colour), 0, 1)
    ratios = XYZ @ seen / XYZ.sum(axis=1)
    x, y, z = np.where(ratios > 216 / 24389, np.cbrt(ratios), (24389 / 27 * ratios + 16) / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def test_colours_are_measured_as_the_standards_do():
    black, white = np.zeros(3), np.ones(3)
    assert contrast(black, white) == pytest.approx(21)
    assert contrast(np.full(3, 0x77 / 255), white) == pytest.approx(4.48, abs=0.01)
    assert lab(white, "usual") == pytest.approx([100, 0, 0], abs=0.01)
    assert lab(np.array([1.0, 0, 0]), "usual") == pytest.approx([53.24, 80.09, 67.20], abs=0.02)
    for eyes in EYES:  # grey looks grey with any kind of colour vision
        assert lab(np.full(3, 0.5), eyes)[1:] == pytest.approx([0, 0], abs=0.01)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("name", TOPICS)
def test_the_line_below_a_word_is_seen(name, dark):
    known = colours(dark)
    line = known[name]
    for ground in (known["paper"], known["card"], tint(line, known["card"])):
        assert contrast(line, ground) >= LEAST_CONTRAST


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("eyes", EYES)
def test_topics_are_told_apart(eyes, dark):
    known = colours(dark)
    for one, other in combinations(TOPICS, 2):
        apart = np.linalg.norm(lab(known[one], eyes) - lab(known[other], eyes))
        assert apart >= LEAST_DISTANCE, (one, other)
