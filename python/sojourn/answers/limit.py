"""The answer of a search in a sentence."""

from __future__ import annotations

from typing import Any


def limit(answer: dict[str, Any]) -> str:
    """How far a key can go while the condition holds, and between which values that surely lies."""
    key, text = answer["key"], answer["text"]
    fixed = {
        "always": f"{text} holds over the whole range of {key}",
        "never": f"{text} holds nowhere in the range of {key}",
        "undecided": f"{text} is undecided over the range of {key}: more --replications would tell",
    }
    if answer["outcome"] in fixed:
        return fixed[answer["outcome"]]
    ends = answer.get("interval_text")
    between = f"; it surely lies between {ends[0]} and {ends[1]}" if ends else ""
    return f"the {answer['direction']} {key} with {text} is {answer['value_text']}{between}"
