"""The report: a model as one self-contained page."""

from laconic.web.report.write import report as report
