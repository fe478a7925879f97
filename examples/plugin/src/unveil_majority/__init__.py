"""The majority attack: guess that everybody has the most frequent value of their class.

This module is imported by ``unveil --help``, so it imports nothing heavy. The attack itself is in
``majority.py``.
"""

from unveil.findings import Figure, Question
from unveil.registry import Declaration

__all__ = ["DECLARATION", "MAJORITY"]

MAJORITY = Figure(
    name="majority",
    title="guessed by majority",
    says="share of the people whose sensitive value is the most frequent one of their class",
    question=Question.INFERENCE,
    share=True,
)

DECLARATION = Declaration(
    name="majority",
    function="unveil_majority.majority:majority",
    title="Majority: whose value is the most frequent one of their class",
    help="Guess the most frequent value of each class: how often is that right?",
    questions=(Question.INFERENCE,),
    fits=("cells",),
    figures=(MAJORITY,),
    means="The attacker finds the class of a person and guesses its most frequent sensitive value. "
    "Guessing the most frequent value of the whole table needs no release, and is the baseline.",
    assumes="The attacker knows the class of everybody.",
    examples="""
    unveil majority survey.csv --quasi age,zip,sex --sensitive income --sanitizer mondrian:k=5
    unveil majority --release published.csv --quasi age,zip,sex --sensitive income --at-least 0.8
""",
)
