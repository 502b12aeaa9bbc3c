"""Executes the notebooks of examples/ and keeps their outputs, without what another machine would have otherwise.

usage: execute_notebooks.py      after a change of a notebook, of what it shows or of the results that it has
"""

import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


def main() -> int:
    """Executes and writes each."""
    with tempfile.TemporaryDirectory() as home:
        os.environ |= {"HOME": home, "XDG_DATA_HOME": home, "XDG_CACHE_HOME": home}
        for path in sorted(EXAMPLES.glob("*.ipynb")):
            nbformat.write(executed(path), path)
    return 0


def executed(path: Path) -> Any:
    """A notebook, executed from top to bottom: its cells, each with its number and outputs."""
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    client = NotebookClient(notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": EXAMPLES}})
    client.execute()
    for cell in notebook.cells:
        cell.metadata = {}
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    return notebook


if __name__ == "__main__":
    sys.exit(main())
