"""What a new user gets wrong: a table of commands, and the one sentence that each of them gets.

The sentence has the value that was given, and what is allowed or what to do next.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from conftest import forget

from normgrad import cli

CASE = "rms_norm_grad:ascend910b4:bf16:33x129:seed1"
OTHER = "rms_norm_grad:ascend910b4:fp32:3x7:seed1"
RMS, LN = "rms_norm_grad:ascend910b4", "layer_norm_grad_v3:ascend910b4"
QUANT = "rms_norm_grad_quant:ascend950pr_9599:bf16:4x8"
NPZ = ("--op", "rms_norm_grad", "--soc", "ascend910b4")


@dataclass(frozen=True)
class Wrong:
    """A command line, the value that its sentence repeats, and the way out that it names."""

    line: str  # words with one space between; '' is an empty one
    value: str
    says: str
    code: int = 2
    env: Mapping[str, str] = field(default_factory=dict)

    @property
    def words(self) -> list[str]:
        return ["" if word == "''" else word.replace("~", " ") for word in self.line.split(" ")]


TABLE = [
    # commands
    Wrong("verfy", "'verfy'", "did you mean verify?"),
    Wrong("Verify", "'Verify'", "did you mean verify?"),
    Wrong("tuner", "'tuner'", "allowed: verify, run, plan"),
    Wrong("help", "'help'", "allowed: verify, run, plan"),
    Wrong("--versoin", "--versoin", "did you mean --version?"),
    Wrong("-v", "-v", "allowed: --help, --version"),
    Wrong("run", "CASE", "see `normgrad run --help`"),
    Wrong("plan", "CASE", "see `normgrad plan --help`"),
    Wrong("compare old.json", "NEW.json", "see `normgrad compare --help`"),
    Wrong("client", "build|run", "see `normgrad client --help`"),
    Wrong("client builds x.c", "'builds'", "did you mean build?"),
    Wrong("client build", "FILE", "see `normgrad client --help`"),
    Wrong("doctor now", "'now'", "see `normgrad doctor --help`"),
    Wrong(f"run {CASE} {OTHER}", OTHER, "see `normgrad run --help`"),
    # options of verify
    Wrong("verify --chek all", "--chek", "did you mean --check?"),
    Wrong("verify --check al", "'al'", "did you mean all?"),
    Wrong("verify --check", "--check", "see `normgrad verify --help`"),
    Wrong("verify --jobs 0", "'0'", "whole number of at least 1"),
    Wrong("verify --jobs two", "'two'", "whole number of at least 1"),
    Wrong("verify --jobs 1.5", "'1.5'", "whole number of at least 1"),
    Wrong("verify --suite smok", "'smok'", "did you mean smoke?"),
    Wrong("verify --suite ''", "''", "allowed: ci, edge"),
    Wrong("verify --suite ../smoke", "../smoke", "cannot be read: No such file"),
    Wrong("verify --suite no/such.txt", "no/such.txt", "cannot be read: No such file"),
    Wrong("verify --suite folder/", "folder", "cannot be read: Is a directory"),
    Wrong("verify --suite binary.txt", "binary.txt", "not a text file"),
    Wrong("verify --suite empty.txt", "empty.txt", "`normgrad list` shows more"),
    Wrong("verify --suite brace.txt", "brace.txt:2", "before the next one"),
    Wrong("verify --suite huge.txt", "huge.txt:1", "narrow its ranges"),
    Wrong("verify --suite typo.txt", "typo.txt:3", "did you mean rms_norm_grad?"),
    Wrong("verify --op rms_norm_gard", "'rms_norm_gard'", "did you mean rms_norm_grad?"),
    Wrong("verify --op ''", "''", "allowed: rms_norm_grad"),
    Wrong("verify --op RmsNormGrad", "'RmsNormGrad'", "allowed: rms_norm_grad"),
    Wrong("verify --soc ascend910b5", "'ascend910b5'", "did you mean ascend910b"),
    Wrong("verify --soc 910b", "'910b'", "its name here is ascend910b"),
    Wrong("verify --dtype bf61", "'bf61'", "did you mean bf16?"),
    Wrong("verify --dtype float32", "'float32'", "allowed: fp16, bf16, fp32"),
    Wrong(f"verify {CASE} --dtype fp32", "--dtype", "`normgrad list` shows what there is"),
    Wrong(f"verify {CASE} --report /proc/no/way", "/proc/no/way", "choose another with --report"),
    Wrong(f"verify {CASE} --report empty.txt", "empty.txt", "choose another with --report"),
    Wrong(f"verify {CASE} --report ''", "--report", "give the name of a folder"),
    Wrong("verify --sync autosink", "'autosink'", "did you mean autosync?"),
    Wrong("verify --shuffle-runs -1", "'-1'", "whole number of at least 0"),
    Wrong("verify --shuffle-runs ²", "'²'", "whole number of at least 0"),
    Wrong(f"verify {CASE} --baseline none.json", "none.json", "cannot be read"),
    Wrong(f"verify {CASE} --baseline empty.txt", "empty.txt", "results.json"),
    Wrong(f"verify {CASE} --baseline norows.json", "norows.json", "results.json"),
    Wrong(f"verify {CASE} --baseline ''", "--baseline", "give the name of a file"),
    Wrong("verify --backend npu", "'npu'", "allowed: twin, aclnn"),
    Wrong("verify --backend aclnn --shuffle-runs 2", "--shuffle-runs", "use --backend twin"),
    Wrong("verify --json=yes", "'yes'", "see `normgrad verify --help`"),
    # the text of a case
    Wrong("verify nonsense", "'nonsense'", "write OP:SOC:DTYPE:SHAPE"),
    Wrong("verify ''", "''", "write OP:SOC:DTYPE:SHAPE"),
    Wrong(f"plan {RMS}:bf16", f"'{RMS}:bf16'", "write OP:SOC:DTYPE:SHAPE"),
    Wrong("plan rms-norm-grad:ascend910b4:bf16:4x8", "'rms-norm-grad'", "did you mean rms_norm"),
    Wrong("plan softmax:ascend910b4:bf16:4x8", "'softmax'", "allowed: rms_norm_grad"),
    Wrong("plan rms_norm_grad:ascend9:bf16:4x8", "'ascend9'", "allowed: ascend"),
    Wrong("plan rms_norm_grad:ascend910c:bf16:4x8", "'ascend910c'", "here is ascend910_93"),
    Wrong("plan rms_norm_grad:910b4!:bf16:4x8", "'910b4!'", "a name such as ascend910b4"),
    Wrong(f"plan {RMS}:float16:4x8", "'float16'", "allowed: fp16, bf16, fp32"),
    Wrong(f"plan {RMS}:{{bf16,fp32}}:4x8", "{bf16,fp32}", "allowed: fp16, bf16, fp32"),
    Wrong(f"plan {RMS}:bf16:4096*1024", "'4096*1024'", "such as 4096x1024"),
    Wrong(f"plan {RMS}:bf16:4096x", "'4096x'", "such as 4096x1024"),
    Wrong(f"plan {RMS}:bf16:-4x8", "'-4x8'", "such as 4096x1024"),
    Wrong(f"plan {RMS}:bf16:4~x~8", "'4 x 8'", "such as 4096x1024"),
    Wrong(f"plan {RMS}:bf16:1x1x1x1x1x1x1x1x8", "9 axes", "1 to 8 axes"),
    Wrong(f"plan {RMS}:bf16:4x8:axes=3", "axes=3", "lower axes"),
    Wrong(f"plan {RMS}:bf16:4x8:axes=0", "axes=0", "at least 1"),
    Wrong(f"plan {RMS}:bf16:4x8:gama=fp32", "'gama=fp32'", "did you mean gamma=?"),
    Wrong(f"plan {RMS}:bf16:4x8:gamma=int8", "gamma=int8", "allowed: fp16, bf16, fp32, none"),
    Wrong(f"plan {RMS}:bf16:4x8:gamma=none", "gamma", "write gamma=fp32"),
    Wrong(f"plan {RMS}:bf16:4x8:mask=111", "mask=", "it takes axes"),
    Wrong(f"plan {LN}:bf16:4x8:mask=12", "mask=12", "three digits 0 or 1"),
    Wrong(f"plan {LN}:bf16:4x8:stats=int8", "stats=int8", "allowed: fp16, bf16, fp32"),
    Wrong(f"plan {RMS}:bf16:4x8:dist=norma", "dist=norma", "did you mean normal?"),
    Wrong(f"plan {RMS}:bf16:4x8:seed=7", "'seed=7'", "seedN"),
    Wrong(f"plan {RMS}:bf16:4x8:seed", "'seed'", "seedN"),
    Wrong(f"plan {RMS}:bf16:4x8:seed1:seed2", "seed", "keep one"),
    Wrong(f"plan {RMS}:bf16:4x8:cores=0", "cores=0", "at least 1"),
    Wrong(f"plan {RMS}:bf16:4x8:ub=64K", "ub=64K", "whole number of at least 1"),
    Wrong(f"plan {RMS}:bf16:4x8:chunk=x", "chunk=x", "whole number of at least 1"),
    Wrong(f"plan {RMS}:bf16:4x8:expect=ok", "expect=ok", "whole number of at least 1"),
    Wrong(f"plan {RMS}:bf16:4x8:strategy=Dx-Whole", "strategy=Dx-Whole", "such as DxWholeRow"),
    Wrong(f"plan {RMS}:bf16:4x8:noncontig=z", "'z'", "allowed: dy, x, rstd"),
    Wrong(f"plan {RMS}:bf16:4x8:null=gama", "'gama'", "did you mean gamma?"),
    Wrong(f"plan {RMS}:bf16:4x8:det=weak", "det=weak", "allowed: strong"),
    Wrong(f"plan {QUANT}:scale=", "scale= is not valid", "write a number, inf, nan, a dtype"),
    Wrong(f"plan {QUANT}:scale=1e400", "scale=1e400", "in fp32 it is inf: write that"),
    Wrong(f"plan {QUANT}:scale=-70000@fp16", "70000@fp16", "in fp16 it is -inf: write that"),
    Wrong(f"plan {QUANT}:scale=1e-50", "scale=1e-50", "in fp32 it is 0: write that"),
    Wrong(f"plan {QUANT}:scale=1_0", "scale=1_0", "write a number, inf, nan, a dtype"),
    Wrong(f"plan {QUANT}:null=offset_x:offset=3", "offset=3", "keep one of the two"),
    # files of tensors
    Wrong("run a.npz", "a.npz", "add --op rms_norm_grad, for example"),
    Wrong(" ".join(("run a.npz", *NPZ)), "a.npz", "give the path of an .npz file"),
    Wrong(" ".join(("run bad.npz", *NPZ)), "bad.npz", "write it with numpy.savez"),
    Wrong(" ".join(("run x.npz", *NPZ)), "x.npz lacks dy, rstd, gamma", "needs arrays named dy"),
    Wrong(" ".join(("run wide.npz", *NPZ)), "float64", "store float32 or float16"),
    Wrong("run x.npz --op rms --soc ascend910b4", "'rms'", "allowed: rms_norm_grad"),
    Wrong("run a.npy --op rms_norm_grad", "a.npy", "leave --op away"),
    Wrong(f"run {CASE} --soc ascend910b4", CASE, "leave --soc away"),
    Wrong("run npz:rms_norm_grad", "'npz:rms_norm_grad'", "write npz:OP:SOC:FILE"),
    Wrong("run npz:rms:ascend910b4:x.npz", "'rms'", "allowed: rms_norm_grad"),
    Wrong("verify x.npz", "'x.npz'", "write npz:OP:SOC:x.npz"),
    # run and plan
    Wrong(f"run {CASE} --ub -1", "'-1'", "whole number of at least 1"),
    Wrong(f"run {CASE} --ub 192KB", "'192KB'", "whole number of at least 1"),
    Wrong(f"run {CASE} --trace x.csv", "x.csv", "name this one .json"),
    Wrong(f"run {CASE} --trace no/such/x.json", "no/such/x.json", "choose another file"),
    Wrong(f"run {CASE} --save empty.txt", "empty.txt", "choose another folder"),
    Wrong(f"run {CASE} --save ''", "--save", "give the name of a folder"),
    Wrong(f"plan {CASE} --set", "--set", "see `normgrad plan --help`"),
    Wrong(f"plan {CASE} --set cors=2", "'cors'", "did you mean cores?"),
    Wrong(f"plan {CASE} --set cores=x", "'x'", "whole number of at least 1"),
    Wrong(f"plan {CASE} --set cores=0", "'0'", "whole number of at least 1"),
    Wrong(f"plan {CASE} --set cores=٣", "'٣'", "whole number of at least 1"),
    Wrong(f"plan {CASE} --set rows_per_tile=1.5", "'1.5'", "whole number of at least 1"),
    Wrong(f"plan {CASE} --set ub", "--set ub", "write --set ub=VALUE"),
    Wrong(f"plan {CASE} --set cores=2 --set cores=3", "cores=3", "keep one"),
    # list, compare, bench, selftest, client
    Wrong("list --sucs", "--sucs", "did you mean --socs?"),
    Wrong("list --suite smok", "'smok'", "did you mean smoke?"),
    Wrong("compare none.json norows.json", "norows.json", "results.json"),
    Wrong("compare good.json none.json", "none.json", "cannot be read"),
    Wrong("compare good.json failed.json --accept", "FAILED", "mend it"),
    Wrong(f"bench --self {CASE}", CASE, "takes no case"),
    Wrong("bench --calibrate none.csv", "none.csv", "give the path of a .csv file"),
    Wrong("bench --calibrate folder", "folder", "give the path of a .csv file"),
    Wrong("bench --calibrate binary.txt", "binary.txt", "not a text file"),
    Wrong("bench --calibrate empty.txt", "empty.txt", "kernel_details.csv"),
    Wrong("bench --calibrate ''", "--calibrate", "give the name of a file"),
    Wrong("bench --calibrate rows.csv", "rows.csv", "with a kernel here are Add"),
    Wrong("bench --soc ascend910b4", "--soc", "give one with --calibrate"),
    Wrong(f"bench --calibrate rows.csv {CASE}", "bench --calibrate", "no case, no --self"),
    Wrong("selftest adds_the_maen", "adds_the_maen", "did you mean"),
    Wrong("selftest --jobs 0", "'0'", "whole number of at least 1"),
    Wrong("client build empty.txt", "empty.txt", "rename it"),
    Wrong("client build none.c", "none.c", "give the path of a C or C++ file"),
    Wrong("client run none", "none", "`normgrad client build` made"),
    Wrong("client run none.c -o app", "-o", "`client run` keeps no program"),
    Wrong("client build none.c -- 3", "arguments", "`client run`"),
    Wrong("client run none.c --soc b4", "'b4'", "allowed: ascend"),
    # operators from outside
    Wrong("verify --ops-from none.py", "none.py", "give the Python file"),
    Wrong("verify --ops-from empty.txt", "empty.txt", "name it empty.py"),
    Wrong("list --ops-from raises.py", "raises.py", "mend it there"),
    Wrong("plan --ops-from nothing.py x", "nothing.py", "write OPS = [OwnOp(...)]"),
    Wrong("plan --ops-from number.py x", "OPS = 3", "write OPS = [OwnOp(...)]"),
    Wrong("list --ops-from kinds.py", "tensors of mine is 'x'", "write a list of Tensor("),
    Wrong("verify --ops-from leaves.py", "os._exit(0)", "mend it there"),
    Wrong("bench my_op:ascend910b4:fp32:4x8", "'my_op'", "comes with --ops-from"),
    # surroundings
    Wrong(f"verify {CASE}", "/proc/x", "set NORMGRAD_CACHE", env={"NORMGRAD_CACHE": "/proc/x"}),
    Wrong(f"verify {CASE}", "~nobody-at-all", "write the path out",
          env={"NORMGRAD_CACHE": "~nobody-at-all/x"}),
    Wrong(f"verify {CASE}", "no-such-compiler", "unset CXX or install it",
          env={"CXX": "no-such-compiler"}),
    Wrong(f"verify {CASE}", "false", "set CXX to g++ or clang++", env={"CXX": "false"}),
]  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a user is: files of every wrong kind."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "empty.txt").write_text("")
    (tmp_path / "binary.txt").write_bytes(bytes(range(128, 256)))
    (tmp_path / "brace.txt").write_text(f"{OTHER}\n{RMS}:{{bf16:4x8\n")
    (tmp_path / "huge.txt").write_text(f"{RMS}:bf16:{{1..1000}}x{{1..1000}}\n")
    (tmp_path / "typo.txt").write_text("# mine\n\nrms_norm_gard:ascend910b4:bf16:4x8\n")
    (tmp_path / "norows.json").write_text("{}")
    row = {"case": CASE, "status": "PASSED", "expected": True}
    (tmp_path / "good.json").write_text(json.dumps({"rows": [row]}))
    wrong = {**row, "status": "FAILED", "expected": False}
    (tmp_path / "failed.json").write_text(json.dumps({"rows": [wrong]}))
    (tmp_path / "bad.npz").write_text("not a zip file")
    np.savez(tmp_path / "x.npz", x=np.zeros((3, 7), np.float32))
    plain = np.zeros((3, 7))
    np.savez(tmp_path / "wide.npz", dy=plain, x=plain, rstd=plain[:, 0], gamma=plain[0])
    (tmp_path / "rows.csv").write_text(
        "op,soc,block_dim,input_shapes,input_dtypes,output_shapes,output_dtypes,aiv_time_us,"
        "vec_ratio\nSoftmax,910B4,40,4096,FLOAT,4096,FLOAT,10.0,0.5\n"
    )
    (tmp_path / "raises.py").write_text("1 / 0\n")
    (tmp_path / "nothing.py").write_text("OPS = []\n")
    (tmp_path / "number.py").write_text("OPS = 3\n")
    (tmp_path / "leaves.py").write_text("import os\nos._exit(0)\n")
    (tmp_path / "kinds.py").write_text(
        "from normgrad.own import OwnOp\n"
        "OPS = [OwnOp(name='mine', tensors='x', kernel=1, plan=2, golden=3, chips=4)]\n"
    )
    return tmp_path


def test_the_table_has_a_hundred_different_ones() -> None:
    assert len({(wrong.line, *wrong.env.items()) for wrong in TABLE}) == len(TABLE) >= 100


@pytest.mark.parametrize("wrong", TABLE, ids=lambda w: " ".join((w.line, *w.env)))
def test_a_wrong_input_gets_one_sentence(
    wrong: Wrong,
    in_fake_cache: Path,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name, value in wrong.env.items():
        monkeypatch.setenv(name, value)
    forget()
    assert cli.main(wrong.words) == wrong.code
    err = capsys.readouterr().err
    assert err.startswith("normgrad: ")
    assert err.count("\n") == 1, err
    assert len(err) < 600, err  # a reader of one sentence, not of a log
    assert "Traceback" not in err
    assert "Errno" not in err
    assert "Error(" not in err
    assert wrong.value in err
    assert wrong.says in err
