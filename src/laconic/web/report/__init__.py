"""HTML report of a model, in one self-contained file."""

from laconic.web.report.write import report as report
