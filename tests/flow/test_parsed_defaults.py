"""What `set_defaults` of a parser keeps crosses with what `parse_args` gives."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import reported

TEXT = """\
import argparse
from multiprocessing import Process


def work(args):
    print(args)


def parser():
    parser = argparse.ArgumentParser()
    {made}
    return parser


if __name__ == "__main__":
    args = parser().{given}
    Process(target=work, args=({sent},)).start()
"""


@each_row(
    ("made", "given", "sent", "found"),
    [
        ("parser.set_defaults(step=lambda x: x)", "parse_args()", "args", True),
        ("parser.add_subparsers().add_parser('a').set_defaults(step=lambda x: x)", "parse_args()", "args", True),
        ("parser.set_defaults(step=lambda x: x)", "parse_args()", "args.size", False),
        ("parser.set_defaults(step=lambda x: x)", "print_help()", "args", False),
        ("parser.add_argument('--a', type=lambda x: x)", "parse_args()", "args", False),
        ("parser.set_defaults(step=len)", "parse_args()", "args", False),
    ],
)
def test_lambdas_among_the_defaults(made: str, given: str, sent: str, found: bool) -> None:
    assert bool(reported({"a.py": TEXT.format(made=made, given=given, sent=sent)}, "lambdas")) == found
