"""Types of `import headlight`: type checkers read a module outside of a package from a package of stubs only."""

from encoder.attribution.carriers import Carriers as Carriers
from encoder.attribution.carriers import carriers as carriers
from encoder.attribution.cuts import LinkEffects as LinkEffects
from encoder.attribution.cuts import cut as cut
from encoder.attribution.explaining import WordValues as WordValues
from encoder.attribution.explaining import explain as explain
from encoder.attribution.head_ranking import HeadRanking as HeadRanking
from encoder.attribution.head_ranking import rank_heads as rank_heads
from encoder.attribution.questions import Question as Question
from encoder.catalogue import load as load
from encoder.catalogue import load_writer as load_writer
from encoder.collection.driving_words import DrivingWords as DrivingWords
from encoder.collection.driving_words import driving_words as driving_words
from encoder.errors import HeadlightError as HeadlightError
from encoder.measures.unit_attention import word_attention as word_attention
from encoder.models.base import Backend as Backend
from encoder.models.interventions import Patch as Patch
from encoder.models.training_steps import StepsCallback as StepsCallback
from encoder.models.wrapping import wrap as wrap
from encoder.offers import CATALOGUE as CATALOGUE
from encoder.runs.generation import Generation as Generation
from encoder.runs.links import Link as Link
from encoder.runs.predictions import Predictions as Predictions
from encoder.runs.trace import Prediction as Prediction
from encoder.runs.trace import Trace as Trace
from encoder.text.tokens import Tokens as Tokens
from viz.frames import Texts as Texts
from viz.frames import texts as texts
from viz.frames.pairs import pair_differences as pair_differences
from viz.frames.pairs import similar_because as similar_because
from viz.notebook_widget import Widget as Widget
from viz.notebooks.views import head_view as head_view
from viz.notebooks.views import heat_map as heat_map
from viz.notebooks.views import model_view as model_view
from viz.notebooks.views import neuron_view as neuron_view
from viz.notebooks.views import routes as routes
from viz.notebooks.views import tokens_view as tokens_view

__version__: str
