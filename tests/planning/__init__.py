"""Tests of the estimates of a fit."""
