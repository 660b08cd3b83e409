"""Learning, in NumPy alone: the induction task, a small model made of the pieces, Adam, and the loop."""

from bloque.training.loop import Examination, History, Training, flattened, unflattened
from bloque.training.model import (
    ModelParameters,
    ModelSettings,
    attention_maps,
    cross_entropy,
    model_backward,
    model_forward,
    model_parameters,
)
from bloque.training.optimiser import AdamState, adam_start, adam_step, paper_schedule, warm_up
from bloque.training.task import Batch, answer_places, induction_accuracy, induction_answer, induction_batch

__all__ = [
    "AdamState",
    "Batch",
    "Examination",
    "History",
    "ModelParameters",
    "ModelSettings",
    "Training",
    "adam_start",
    "adam_step",
    "answer_places",
    "attention_maps",
    "cross_entropy",
    "flattened",
    "induction_accuracy",
    "induction_answer",
    "induction_batch",
    "model_backward",
    "model_forward",
    "model_parameters",
    "paper_schedule",
    "unflattened",
    "warm_up",
]
