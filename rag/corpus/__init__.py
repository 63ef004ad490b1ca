"""Where documents come from: folders of files, SQuAD files, BEIR folders and data sets."""

from rag.corpus.folder import load_folder
from rag.corpus.hashing import corpus_hash

__all__ = ["corpus_hash", "load_folder"]
