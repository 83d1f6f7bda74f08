"""Which torch a repository names, file by file and line by line; every row of the tables of images and toolkits."""

from __future__ import annotations

from codemods.project import Project
from codemods.transforms.dist_launcher.torch_version import Named, depth, is_about, named_versions, oldest_for
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row

Version = tuple[int, int]


def named(path: str, text: str) -> list[Named]:
    return named_versions(Project(MemoryFiles({path: text.encode()})))


def versions(path: str, line: str) -> list[Version]:
    return [found.oldest for found in named(path, line)]


@each_row(
    ("line", "oldest"),
    [
        ("torch==1.7.1", (1, 7)),
        ("torch>=1.8", (1, 8)),
        ("torch>1.8", (1, 8)),
        ("torch >= 1.4, <2", (1, 4)),
        ("pytorch=1.7", (1, 7)),
        ("  - pytorch::pytorch=1.9.0=py3.8_cuda11", (1, 9)),
        ("torch~=1.9.0", (1, 9)),
        ("torch~1.5", (1, 5)),
        ("torch^1.6", (1, 6)),
        ("torch==1.*", (1, 0)),
        ("torch==2.1.0+cu118", (2, 1)),
        ("torch<1.9", (1, 8)),  # only how new: the newest of those
        ("torch<=1.9", (1, 9)),
        ("torch!=1.8.0", (2, 19)),
        ("torch<2,!=1.13.*", (1, 12)),
        ("torch>=0.4", (0, 4)),
        ("torch>=0.1", (0, 4)),
        ("torch==0.1", None),
        ("torch>=9", None),
        ("torch", None),
        ("torchvision==0.8.2", None),
        ("mytorch==1.7", None),
        ("my-torch==1.7", None),
        ("my.torch==1.7", None),
        ("# torch==1.7", None),
        ("  # torch==1.7", None),
        ("torch==1.7 # but torch==1.6 works", (1, 6)),
        ("torch>=1.8; python_version < '3.9'", (1, 8)),
        ("torch==" + "1" * 301, None),
        ("FROM pytorch/pytorch:1.6.0-cuda10.1-cudnn7-devel", (1, 6)),
        ("https://h.org/whl/torch-1.8.1-cp38.whl", (1, 8)),
        ("https://h.org/mmcv/dist/cu111/torch1.9.0/index.html", (1, 9)),
        ("https://h.org/mmcv/dist/cu111/torch1.9/index.html", (1, 9)),
        ('ARG PYTORCH="1.6.0"', (1, 6)),
        ("ENV TORCH_VERSION 1.10", (1, 10)),
        ("ARG TORCH = 1.5", None),
        ("x ARG TORCH=1.5", None),
        ("RUN cd /opt/pytorch && git checkout -f v1.8.1 && \\", (1, 8)),
        ("RUN git clone -b v1.6.0 --depth 1 https://h.org/pytorch/pytorch /opt", (1, 6)),
        ("RUN git clone -b v0.8.0 https://h.org/pytorch/vision", None),
        ("RUN cd /opt/pytorch && git checkout main", None),
        ('torch = "1.7.0"', (1, 7)),
        ('torch = "^1.7"', (1, 7)),
        ('"torch" = ">=1.8"', (1, 8)),
        ('torch = {version = "1.9.0", source = "x"}', (1, 9)),
        ('torch = "*"', None),
    ],
)
def test_a_line_of_requirements(line: str, oldest: Version | None) -> None:
    assert versions("requirements.txt", f"numpy\n{line}\n") == ([] if oldest is None else [oldest])


@each_row(
    ("image", "oldest"),
    [
        ("17.12", None),
        ("18.01", (1, 0)),
        ("19.04", (1, 0)),
        ("19.05", (1, 1)),
        ("19.06", (1, 1)),
        ("19.07", (1, 2)),
        ("19.09", (1, 2)),
        ("19.10", (1, 3)),
        ("19.12", (1, 3)),
        ("20.01", (1, 4)),
        ("20.02", (1, 5)),
        ("20.05", (1, 5)),
        ("20.06", (1, 6)),
        ("20.07", (1, 6)),
        ("20.08", (1, 7)),
        ("20.10", (1, 7)),
        ("20.11", (1, 8)),
        ("21.02", (1, 8)),
        ("21.03", (1, 9)),
        ("21.06", (1, 9)),
        ("21.07", None),
        ("23.01", None),
    ],
)
def test_images_of_nvidia(image: str, oldest: Version | None) -> None:
    found = named("Dockerfile", f"FROM nvcr.io/nvidia/pytorch:{image}-py3\n")
    assert [(each.oldest, each.by) for each in found] == (
        [] if oldest is None else [(oldest, f"the image nvidia/pytorch:{image}")]
    )


@each_row(
    ("line", "oldest", "by"),
    [
        ("cudatoolkit=8.0", (1, 0), "cudatoolkit 8.0"),
        ("cudatoolkit=9.0", (1, 1), "cudatoolkit 9.0"),
        ("cudatoolkit=9.1", (1, 0), "cudatoolkit 9.1"),
        ("cudatoolkit=9.2", (1, 7), "cudatoolkit 9.2"),
        ("cudatoolkit==10.0.130", (1, 4), "cudatoolkit 10.0"),
        ('cudatoolkit = "10.1"', (1, 8), "cudatoolkit 10.1"),
        ("cudatoolkit<=11.0", (1, 7), "cudatoolkit 11.0"),
        ("python=2.7", (1, 4), "Python 2.7"),
        ("python=3.4", (1, 2), "Python 3.4"),
        ("python==3.5.2", (1, 5), "Python 3.5"),
    ],
)
def test_what_is_too_old_for_a_new_torch(line: str, oldest: Version, by: str) -> None:
    (found,) = named("environment.yml", f"dependencies:\n  - {line}\n")
    assert (found.line, found.oldest, found.by) == (2, oldest, by)
    assert found.says == (f"environment.yml:2 names {by}, for which there is no torch after {oldest[0]}.{oldest[1]}")


@each_row("line", ["cudatoolkit=11.1", "cudatoolkit>10.0", "python=3.6", "python>=3.5", "ipython=3.5", "my-python=3.5"])
def test_what_has_a_new_torch(line: str) -> None:
    assert named("environment.yml", f"dependencies:\n  - {line}\n") == []


@each_row(
    ("path", "read"),
    [
        ("requirements.txt", True),
        ("requirement.txt", True),
        ("requirements-dev.in", True),
        ("Requirements_gpu.TXT", True),
        ("requirements/base.txt", True),
        ("constraints-1.txt", True),
        ("setup.py", True),
        ("setup.cfg", True),
        ("pyproject.toml", True),
        ("Pipfile", True),
        ("conda.yaml", True),
        ("my_env.yml", True),
        ("dependencies.yml", True),
        ("requirements.yaml", True),
        ("docker/my.dockerfile.gpu", True),
        ("Dockerfile", True),
        ("install.sh", True),
        ("scripts/setup_env.bash", True),
        ("run.sh", False),
        ("notes.txt", False),
        ("train.py", False),
        ("my_setup.py", False),
        ("config.yml", False),
        ("requirements.json", False),
    ],
)
def test_files_that_are_read(path: str, read: bool) -> None:
    assert versions(path, "torch==1.7\n") == ([(1, 7)] if read else [])


@each_row(("path", "read"), [("any.yml", True), ("a/any.yaml", True), ("a/b/any.yml", False), ("any.txt", False)])
def test_an_environment_may_be_called_anything(path: str, read: bool) -> None:
    assert versions(path, "name: x\ndependencies:\n  - pytorch=1.7\n") == ([(1, 7)] if read else [])
    assert versions(path, "name: x\nother:\n  - pytorch=1.7\n") == []


@each_row(
    ("line", "found"),
    [
        ("- PyTorch 1.7.1", [(1, 7)]),
        ("* [PyTorch](https://pytorch.org) >= 1.7", [(1, 7)]),
        ("1. torch version: v1.8", [(1, 8)]),
        ("2) pytorch (1.4)", [(1, 4)]),
        ("| torch | 1.9 |", []),
        ("> - **PyTorch** `1.5`", [(1, 5)]),
        ("We require PyTorch 1.6 and torch 1.4", [(1, 6), (1, 4)]),
        ("Tested with pytorch==1.10", [(1, 10)]),
        ("Prerequisite: PyTorch ≥ 1.7", [(1, 7)]),
        ("torch &gt;= 1.7 is needed", [(1, 7)]),
        ("Install PyTorch release 1.3", [(1, 3)]),
        ("It once ran under PyTorch 1.2", []),
        ("- PyTorch >=1.4.0", [(1, 4)]),
        ("PyTorch >=1.4.0, torchvision >= 0.5.0", [(1, 4)]),
        ("PyTorch 1.4.0, torchvision >= 0.5.0", []),
        ("PyTorch (≥ 1.5), Python", [(1, 5)]),
        ("numpy == 1.2 and PyTorch 1.2", [(1, 2)]),
        ("Please first install PyTorch (we use 1.7.0) and apex", [(1, 7)]),
        ("![pytorch](https://img.shields.io/badge/pytorch-v1.7.0-green.svg?style=plastic)", [(1, 7)]),
        ("[![torch](https://img.shields.io/badge/PyTorch-%3E%3D1.8-blue)](https://pytorch.org)", [(1, 8)]),
        ("![](https://img.shields.io/badge/PyTorch%20version-1.10%2B-red)", [(1, 10)]),
        ("![](https://img.shields.io/badge/pytorch_lightning-1.7-blue) ![](https://x.org/badge/python-3.7-red)", []),
        ("- [PyTorch](https://pytorch.org) (tested with v1.4)", [(1, 4)]),
        ("install PyTorch (see 2.3 of the paper)", []),
        ("install PyTorch (built with cuda 10.2)", []),
        ("- PyTorch", []),
        ("- pytorch-lightning 1.7", []),
        ("pip install torch==1.7.1 torchvision", [(1, 7)]),
        ("conda install pytorch=1.6 cudatoolkit=10.0", [(1, 6), (1, 4)]),
        ("# pip3 install torch>=1.8", [(1, 8)]),
        ("- cudatoolkit=10.0 and torch", []),
    ],
)
def test_a_line_of_a_guide(line: str, found: list[Version]) -> None:
    assert versions("README.md", line) == found
    assert versions("docs/install.rst", line) == found


@each_row(
    ("heading", "found"),
    [
        ("### Requirements", [(1, 4)]),
        ("## Prerequisites:", [(1, 4)]),
        ("Dependencies\n------------", [(1, 4)]),
        ("# Environment\n\nWe list it.\n", [(1, 4)]),
        ("### Results", []),
        ("Results\n=======", []),
        ("# Requirements\n\n# Results", []),
        ("Requirements\n===\n\nResults\n===", []),
        ("Requirements in a sentence", []),
    ],
)
def test_a_plain_line_counts_below_a_heading_about_what_is_needed(heading: str, found: list[Version]) -> None:
    assert versions("README.md", f"{heading}\n\nPython 3.6, PyTorch 1.4, CUDA 10.1\n") == found


def test_only_so_many_lines_of_a_file_count() -> None:
    assert len(versions("requirements.txt", "torch==1.7\n" * 300)) == 200


REQUIRED = Named("requirements.txt", 1, (1, 9), (1, 9))
BELOW = Named("pkg/requirements/base.txt", 2, (1, 7), (1, 7))
OTHER = Named("other/setup.py", 5, (1, 6), (1, 6))
GUIDE = Named("README.md", 3, (1, 4), (1, 4))
GUIDE_BELOW = Named("pkg/docs/README.md", 4, (1, 5), (1, 5))


@each_row(
    ("found", "path", "oldest"),
    [
        ([REQUIRED, BELOW], "pkg/run.sh", BELOW),
        ([REQUIRED, BELOW], "run.sh", REQUIRED),
        ([REQUIRED, BELOW], "pkg2/run.sh", REQUIRED),
        ([BELOW], "run.sh", BELOW),  # another part of the repository, where nothing nearer says anything
        ([BELOW, OTHER], "run.sh", OTHER),
        ([BELOW, OTHER], "pkg/run.sh", BELOW),
        ([BELOW, OTHER], "third/run.sh", OTHER),
        ([BELOW, OTHER, REQUIRED], "third/run.sh", REQUIRED),
        ([BELOW, OTHER, GUIDE], "third/run.sh", GUIDE),
        ([BELOW, GUIDE_BELOW], "third/run.sh", BELOW),
        ([GUIDE_BELOW], "third/run.sh", GUIDE_BELOW),
        ([REQUIRED, GUIDE], "run.sh", REQUIRED),  # requirements say more than a guide
        ([GUIDE], "run.sh", GUIDE),
        ([REQUIRED, GUIDE_BELOW], "pkg/a/run.sh", GUIDE_BELOW),  # but a guide of a folder below says more than those
        ([BELOW, GUIDE], "pkg/run.sh", BELOW),
        ([BELOW, GUIDE_BELOW], "pkg/run.sh", BELOW),
        ([], "run.sh", None),
    ],
)
def test_what_counts_for_a_file(found: list[Named], path: str, oldest: Named | None) -> None:
    assert oldest_for(found, path) == oldest


@each_row(
    ("naming", "path", "about"),
    [
        ("requirements.txt", "a/b.py", True),
        ("a/requirements.txt", "a/b.py", True),
        ("a/requirements.txt", "b.py", False),
        ("a/requirements.txt", "ab/c.py", False),
        *((f"a/{folder}/x.txt", "a/b.py", True) for folder in (
            "requirements", "docker", "dockers", "env", "envs", "environment", "conda", "install", "build",
            ".devcontainer", "doc", "docs", "documents", "script", "scripts", "Docker",
        )),
        ("a/other/x.txt", "a/b.py", False),
        ("a/docker/other/x.txt", "a/b.py", False),
        ("docs/docker/x.txt", "b.py", True),
    ],
)  # fmt: skip
def test_what_lies_in_side_folders_is_about_the_folder_above(naming: str, path: str, about: bool) -> None:
    assert is_about(naming, path) is about


def test_a_requirement_in_words() -> None:
    assert REQUIRED.says == "requirements.txt:1 names torch 1.9"


SIDE = "requirements docker dockers env envs environment conda install build .devcontainer doc docs documents script"


@each_row("folder", [*SIDE.split(), "scripts", "Docker", "docs/env"])
def test_every_side_folder(folder: str) -> None:
    assert is_about(f"kit/{folder}/requirements.txt", "kit/train.py")
    assert not is_about(f"kit/{folder}/requirements.txt", "train.py")
    assert is_about(f"{folder}/requirements.txt", "train.py")
    assert not is_about(f"{folder}/kit/requirements.txt", "train.py")
    assert depth(f"a/b/{folder}/requirements.txt") == 2
