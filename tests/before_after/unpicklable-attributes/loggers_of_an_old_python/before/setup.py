from setuptools import setup

setup(name="mm", python_requires=">=3.6")
