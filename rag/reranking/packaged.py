"""`reranker-de`: the shipped adapter merged into the packaged multilingual-e5-small."""

import warnings
from functools import partial
from pathlib import Path

from rag.embedding.packaged_e5 import e5_small
from rag.model_files import built_once, file_hash, quiet_loading

ADAPTER = Path(__file__).parent / "reranker-de"


def reranker_de() -> Path:
    """The merged cross-encoder's folder, 490 MB in the user's cache."""
    base = e5_small()
    adapter = file_hash(ADAPTER / "adapter_model.safetensors")[:16]
    return built_once(f"reranker-de-{adapter}-{base.name}", partial(_merge, base))


def _merge(base: Path, folder: Path) -> None:
    from peft import PeftModel
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    with quiet_loading(), warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # peft uses a name that transformers is about to drop
        model = AutoModelForSequenceClassification.from_pretrained(str(base), num_labels=1, local_files_only=True)
        PeftModel.from_pretrained(model, str(ADAPTER)).merge_and_unload().save_pretrained(folder)
        AutoTokenizer.from_pretrained(str(base), local_files_only=True).save_pretrained(folder)


PACKAGED = {"reranker-de": reranker_de}
