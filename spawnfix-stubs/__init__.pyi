# For type checkers: a module that is a single file can't carry `py.typed`.
from codemods.api import Confidence as Confidence
from codemods.api import Diagnosis as Diagnosis
from codemods.api import Edit as Edit
from codemods.api import Finding as Finding
from codemods.api import Fix as Fix
from codemods.api import Hop as Hop
from codemods.api import Obstacle as Obstacle
from codemods.api import Plan as Plan
from codemods.api import Problem as Problem
from codemods.api import Report as Report
from codemods.api import Rule as Rule
from codemods.api import Settings as Settings
from codemods.api import Span as Span
from codemods.api import check as check
from codemods.api import diagnose as diagnose
from codemods.api import explain as explain
from codemods.api import migrate as migrate
from codemods.api import plan as plan
from codemods.api import read_settings as read_settings
from codemods.api import rules as rules
from codemods.version import __version__ as __version__

def main() -> None: ...
