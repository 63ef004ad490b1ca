"""Sixteen questions about the tiny corpus: enough for a paired test to see that ten of them have become worse."""

import json
from pathlib import Path

ASKED = [
    ("Wie oft werden Druckbehälter innen geprüft?", "Alle fünf Jahre.", "pruefung#druckbehälter", "fristen"),
    ("Wann muss der Druckbehälter zur Prüfung?", "Alle fünf Jahre.", "pruefung#druckbehälter", "fristen"),
    ("Wer ist für Druckbehälter zuständig?", "Die Sicherheitsfachkraft Birgit Lohse.", "pruefung#druckbehälter", "wer"),
    ("Wen frage ich wegen Kesselprüfungen?", "Die Sicherheitsfachkraft Birgit Lohse.", "pruefung#druckbehälter", "wer"),
    ("Was macht Birgit Lohse?", "Sie ist für Druckbehälter zuständig.", "pruefung#druckbehälter", "wer"),
    ("Wie oft wird eine Anlegeleiter geprüft?", "Alle 12 Monate.", "pruefung#leitern", "fristen"),
    ("Frist für Anlegeleitern?", "12 Monate.", "pruefung#leitern", "fristen"),
    ("Wie oft wird eine Podestleiter geprüft?", "Alle 6 Monate.", "pruefung#leitern", "fristen"),
    ("Frist für Podestleitern?", "6 Monate.", "pruefung#leitern", "fristen"),
    ("Welche Leitern müssen geprüft werden?", "Anlegeleiter und Podestleiter.", "pruefung#leitern", "was"),
    ("Für welche Werke gelten die Prüffristen?", "Für alle Werke.", "pruefung#prüffristen", "was"),
    ("Gelten die Fristen auch bei uns im Werk?", "Ja, für alle Werke.", "pruefung#prüffristen", "was"),
    ("Wieviel Urlaub habe ich?", "30 Tage im Jahr.", "urlaub", "urlaub"),
    ("Wo beantrage ich meinen Urlaub?", "In ZeitFix.", "urlaub", "urlaub"),
    ("Wann verfällt mein Resturlaub?", "Am 31. März des Folgejahres.", "urlaub", "urlaub"),
    ("Kann ich Urlaubstage ins neue Jahr mitnehmen?", "Ja, bis zum 31. März.", "urlaub", "urlaub"),
]


def write(file: Path, asked: list[tuple[str, str, str, str]] = ASKED) -> Path:
    rows = [
        {
            "id": f"g{n:02}",
            "question": question,
            "expected_answer": answer,
            "expected_contexts": [where],
            "category": kind,
        }
        for n, (question, answer, where, kind) in enumerate(asked, 1)
    ]
    file.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), encoding="utf-8")
    return file
