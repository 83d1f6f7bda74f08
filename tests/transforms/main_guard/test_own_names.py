"""Files whose text alone shows that a name is theirs, so that nobody has to look at their tree."""

from __future__ import annotations

from codemods.transforms.main_guard.state.own_names import means_own
from harness.each_row import each_row


@each_row(
    "text",
    [
        "import logging\n\nlogger = logging.getLogger(__name__)\n\n\ndef load():\n    logger.info(1)\n",
        "logger = make()\n",
        "if ready:\n    logger.handlers.clear()\n",
        "my_logger = logger2\nlog.loggers\n",  # not this name at all
        "from utils.logger import make\n\nlogger = make(__name__)\n",  # a module of that name
    ],
)
def test_the_name_is_surely_of_the_file(text: str) -> None:
    assert means_own(text, "logger")


@each_row(
    "text",
    [
        "from log import logger\n",
        "from log import (\n    level,\n    logger,\n)\n",
        "from . import logger as note\n",
        "from .logger import level\n",
        "from utils.logger import logger\n",
        "from utils.logger import level as logger\n",
        "import utils.logger\n",
        "logger = base\n",
        "logger = log.logger\n",
        "logger = make(\n    1)\n",
        "logger = make().child\n",
        "logger = other = make()\n",
        "note = logger\n",
        "log.logger.info(1)\n",
        "log. logger.info(1)\n",
        "log.\\\n  logger.info(1)\n",
        "send(logger)\n",
        "logger = make(logger.info)\nlogger\n",
    ],
)
def test_the_name_may_be_of_another_file(text: str) -> None:
    assert not means_own(text, "logger")
