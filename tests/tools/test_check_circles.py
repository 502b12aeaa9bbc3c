"""The check for circles of imports among the modules of a crate."""

import importlib.util
from pathlib import Path

import pytest

TOOL = Path(__file__).resolve().parents[2] / "tools" / "check_circles.py"
SPEC = importlib.util.spec_from_file_location("check_circles", TOOL)
assert SPEC is not None
assert SPEC.loader is not None
check_circles = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(check_circles)


@pytest.fixture
def circle(tmp_path):
    def found(**files: str) -> list[str]:
        for name, text in files.items():
            file = tmp_path / f"{name.replace('__', '/')}.rs"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        return check_circles.circle(check_circles.imports(tmp_path))

    return found


def test_modules_that_import_in_one_direction_are_no_circle(circle):
    assert circle(lib="mod a; mod b;", a="use crate::b::{B, C as D};", b="pub struct B;") == []


def test_two_modules_that_import_each_other_are_a_circle(circle):
    assert set(circle(a="use crate::b::B;", b="use super::a::{self, A};")) == {"a", "b"}


def test_a_child_that_imports_what_its_parent_defines_is_a_circle_if_the_parent_imports_it(circle):
    assert set(circle(a__mod="mod b; use self::b::B; pub struct A;", a__b="use super::A;")) == {"a", "a::b"}
    assert set(circle(a__mod="mod b; use self::b::B;", a__b="fn f() { super::super::a::g() }")) == {"a", "a::b"}


def test_nested_lists_and_paths_in_code_count_and_comments_and_tests_do_not(circle):
    nested = {"a": "use crate::{c::{D, b::B}, d};", "c__b": "fn f() { crate::a::f(); }", "d": ""}
    assert set(circle(**nested)) == {"a", "c::b"}
    assert circle(**{**nested, "c__b": "// use crate::a::f;\n#[cfg(test)]\nmod tests { use crate::a::f; }"}) == []
