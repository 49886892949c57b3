# The names of `_HOMES` in __init__.py, for type checkers and editors.

from laconic.plots.comparison import speed_against_quality as speed_against_quality
from laconic.plots.files import write_chart as write_chart
from laconic.plots.graph import topic_graph as topic_graph
from laconic.plots.groups import topics_over_groups as topics_over_groups
from laconic.plots.map import topic_map as topic_map
from laconic.plots.matrix import topic_word_matrix as topic_word_matrix
from laconic.plots.objective import convergence as convergence
from laconic.plots.penalties import penalty_path as penalty_path
from laconic.plots.registry import CHARTS as CHARTS
from laconic.plots.registry import ChartKind as ChartKind
from laconic.plots.registry import applicable as applicable
from laconic.plots.senses import word_senses as word_senses
from laconic.plots.spectrum import singular_values as singular_values
from laconic.plots.tree import topic_dendrogram as topic_dendrogram
from laconic.plots.word_groups import topic_groups as topic_groups
from laconic.plots.words import topic_words as topic_words
