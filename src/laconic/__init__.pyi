# The names of `_HOMES` in __init__.py, for type checkers and editors.

from laconic import datasets as datasets
from laconic import metrics as metrics
from laconic import plots as plots
from laconic.corpus.corpus import Corpus as Corpus
from laconic.corpus.corpus import Document as Document
from laconic.corpus.vocabulary import Vocabulary as Vocabulary
from laconic.errors import LaconicError as LaconicError
from laconic.errors import ModelFileError as ModelFileError
from laconic.errors import ReadError as ReadError
from laconic.evaluation.compare import Comparison as Comparison
from laconic.evaluation.compare import compare as compare
from laconic.evaluation.evaluate import Evaluation as Evaluation
from laconic.evaluation.evaluate import evaluate as evaluate
from laconic.fitted.graph import topic_graph as topic_graph
from laconic.fitted.senses import senses as senses
from laconic.fitted.similar_documents import similar as similar
from laconic.fitted.similar_documents import top_documents as top_documents
from laconic.fitted.topics import topics as topics
from laconic.io.read import read as read
from laconic.io.write import write as write
from laconic.keyphrases.keywords import Keyword as Keyword
from laconic.keyphrases.keywords import keywords as keywords
from laconic.models.pcp.estimator import PCP as PCP
from laconic.models.penalties import project_simplex as project_simplex
from laconic.models.pipeline import pipeline as pipeline
from laconic.models.plsa.estimator import PLSA as PLSA
from laconic.models.sctm.estimator import SCTM as SCTM
from laconic.models.sparse_lsa.estimator import SparseLSA as SparseLSA
from laconic.models.stc.medstc import MedSTC as MedSTC
from laconic.models.stc.stc import STC as STC
from laconic.retrieval.hits import Hit as Hit
from laconic.retrieval.index import SearchIndex as SearchIndex
from laconic.retrieval.search import search as search
from laconic.saving.describe import describe as describe
from laconic.saving.models import load as load
from laconic.saving.models import save as save
from laconic.text.vectorizer import Vectorizer as Vectorizer
from laconic.tuning.prediction import held_out_score as held_out_score
from laconic.tuning.result import Tuning as Tuning
from laconic.tuning.tune import tune as tune
from laconic.web.explore import Explorer as Explorer
from laconic.web.explore import explore as explore
from laconic.web.report import report as report
from laconic.weighting import Weighting as Weighting

__version__: str
