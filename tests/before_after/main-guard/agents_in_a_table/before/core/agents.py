from core.shared import SharedAgent
from core.single import SingleAgent

AGENTS = {"shared": SharedAgent, "single": SingleAgent}
