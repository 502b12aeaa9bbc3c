"""The typed stub matches the extension module exactly."""

import ast
import inspect
from pathlib import Path

from sojourn import _sojourn

STUB = ast.parse((Path(__file__).parents[2] / "python/sojourn/_sojourn.pyi").read_text())


def public(names: object) -> set[str]:
    return {name for name in names if not name.startswith("_")}


def parameters(definition: ast.FunctionDef) -> list[str]:
    return [argument.arg for argument in definition.args.args]


def test_the_stub_names_every_function_of_the_module_with_its_parameters() -> None:
    stubbed = {node.name: parameters(node) for node in STUB.body if isinstance(node, ast.FunctionDef)}
    functions = {name: value for name, value in vars(_sojourn).items() if inspect.isbuiltin(value)}
    assert stubbed == {name: list(inspect.signature(value).parameters) for name, value in functions.items()}


def test_the_stub_names_every_class_of_the_module() -> None:
    stubbed = {node.name for node in STUB.body if isinstance(node, ast.ClassDef)}
    typed_only = {"SampleColumns", "TraceColumns", "HistogramColumns"}
    classes = {name for name, value in vars(_sojourn).items() if inspect.isclass(value)}
    assert stubbed - typed_only == classes


def test_the_stub_names_every_method_of_a_job_with_its_parameters() -> None:
    (job,) = (node for node in STUB.body if isinstance(node, ast.ClassDef) and node.name == "Job")
    stubbed = {node.name: parameters(node) for node in job.body if isinstance(node, ast.FunctionDef)}
    methods = {name: getattr(_sojourn.Job, name) for name in public(vars(_sojourn.Job))}
    assert stubbed == {name: list(inspect.signature(method).parameters) for name, method in methods.items()}
