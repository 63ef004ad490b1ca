"""One small German golden set a format, as bytes, and a handbook that references can point into."""

import json
from pathlib import Path

from rag.records import Document, Section

FRAGEN = json.dumps(
    [
        {
            "frage": "Wie hoch ist die Mahngebühr?",
            "referenz_abschnitte": ["BA-2024-017#s3"],
            "referenz_antwort": "2,50 Euro",
            "kategorie": "Gebühren",
        },
        {"frage": "Wer leitet die Kantine?", "referenz_abschnitte": [], "referenz_antwort": "", "kategorie": "Lücke"},
    ],
    ensure_ascii=False,
).encode()

ZEILEN = (
    '{"id": "urlaub-1", "question": "Wie viele Urlaubstage gibt es?", "expected": "30 Tage", "doc": "urlaub", '
    '"groups": ["personal"], "answerable": true}\r\n'
    '{"id": "urlaub-2", "question": "Zeile\u0085mit\u2028Trennern?", "expected": "", "doc": "", "groups": [], '
    '"answerable": false}\r\n'
).encode()

KONTEXTE = json.dumps(
    [
        {
            "id": "versand-12",
            "question": "Was kostet der Versand?",
            "expected_answer": "4,90 Euro",
            "expected_contexts": ["faq_versand.md#frage-12", {"document": "faq_versand", "quote": "4,90 Euro"}],
            "category": "Versand",
            "difficulty": "leicht",
            "groups": ["kunden"],
            "answerable": True,
            "metadata": {"created_by": "Petra", "last_validated": "2024-11-02"},
            "validated": True,
        }
    ],
    ensure_ascii=False,
).encode()

EXCEL = (
    "ID;Frage;Referenz-Antwort;Referenz Abschnitte;Kategorie;Beantwortbar\r\n"
    '1;Größe?;"sagt ""groß""; sehr";"a#s1; b#s2";Maße;WAHR\r\n'
    '2;Preis in €?;"zwei\r\nZeilen";a|b;Geld;FALSCH\r\n'
)
KOMMA = 'id,question,expected,doc\n1,"Wo, bitte?",Hier,haus.md#eingang\n2,Und wann?,Jetzt,"haus.md\nhof.md"\n'

ABSATZ = "Die Bücherei öffnet um 9 Uhr. Samstags um 10 Uhr."
SQUAD = json.dumps(
    {
        "version": "v2.0",
        "data": [
            {
                "title": "Bücherei_Nord",
                "paragraphs": [
                    {
                        "context": ABSATZ,
                        "qas": [
                            {
                                "id": "a1",
                                "question": "Wann öffnet die Bücherei?",
                                "answers": [{"text": "9 Uhr", "answer_start": 23}],  # "Die Bücherei öffnet um " has 23
                                "is_impossible": False,
                            },
                            {"id": "a2", "question": "Wann schließt sie?", "answers": [], "is_impossible": True},
                        ],
                    }
                ],
            }
        ],
    }
).encode()

BEIR = {
    "corpus.jsonl": (
        '{"_id": "d1", "title": "Öffnung", "text": "Um 9 Uhr."}\n{"_id": "d#2", "title": "Nur Titel", "text": ""}\n'
    ),
    "queries.jsonl": '{"_id": "f1", "text": "Wann öffnet sie?"}\n{"_id": "f2", "text": "Nur im Training?"}\n',
    "qrels/test.tsv": "query-id\tcorpus-id\tscore\nf1\td1\t2\nf1\td#2\t0\n",
    "qrels/train.tsv": "query-id\tcorpus-id\tscore\nf2\td#2\t1\n",
}


def write_beir(folder: Path, files: dict[str, str] = BEIR) -> str:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text.encode())
    return str(folder)


def document(document_id: str, *parts: tuple[str, str, str], groups: tuple[str, ...] = ()) -> Document:
    """A document of (slug, heading line, body) sections, numbered from s1."""
    text, sections = "", []
    for number, (slug, heading, body) in enumerate(parts, 1):
        start = len(text)
        text += f"{heading}\n{body}"
        title = heading.lstrip("# ")
        sections.append(Section(f"{document_id}#s{number}", slug, title, (title,), start, len(text)))
    return Document(document_id, document_id, text, tuple(sections), groups=groups)
