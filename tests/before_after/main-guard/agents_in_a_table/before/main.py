from core.agents import AGENTS
from core.options import Options

opt = Options()

# the agent of the configuration
agent = AGENTS[opt.kind](opt)
if opt.mode == 1:
    agent.fit_model()
else:
    agent.test_model()
