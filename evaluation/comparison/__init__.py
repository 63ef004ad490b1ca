"""Many finished runs side by side, from what each said to each question: docs/decisions.md, "The command"."""
