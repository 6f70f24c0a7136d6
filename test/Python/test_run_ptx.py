"""Third-party PTX."""
import json

import numpy as np
import pytest
import tc


def test_launch_file(inputs):
    x = np.arange(1000, dtype=np.float32)
    results = tc.run_ptx(inputs / "scale.ptx", inputs / "scale.json", {"X": x}, alpha=0.5, schedule="all")
    np.testing.assert_array_equal(results["Y"], 0.5 * x)


def test_race(inputs):
    launch = json.loads((inputs / "race.json").read_text())
    with pytest.raises(tc.RaceError, match="nothing orders") as caught:
        tc.run_ptx(inputs / "race.ptx", launch)
    error = caught.value
    assert (error.kind, error.line, error.edge, error.schedule) == ("race", 12, (12, 12), "eager")
    assert "last events of warp 0" in error.history
    assert json.loads(error.timeline())["traceEvents"]


def test_races_can_be_left_out(inputs):
    with tc.races("off"):
        assert tc.run_ptx(inputs / "race.ptx", inputs / "race.json")["out"].shape == (1, )
    with pytest.raises(tc.RaceError):
        tc.run_ptx(inputs / "race.ptx", inputs / "race.json")


KERNEL = """.version 8.6
.target sm_100a
.address_size 64
.visible .entry k(.param .u64 out)
{{
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  .reg .pred %p;
  .shared .align 8 .b64 bar;
  ld.param.u64 %rd1, [out];
{body}
  ret;
}}
"""
LAUNCH = {"entry": "k", "grid": [1, 1, 1], "block": [1, 1, 1], "buffers": {"out": {"dtype": "u32", "shape": [1]}},
          "params": [{"pointer": "out"}]}


def test_deadlock():
    body = """  mov.u32 %r1, bar;
  mbarrier.init.shared.b64 [%r1], 1;
WAIT:
  mbarrier.try_wait.parity.shared.b64 %p, [%r1], 0;
  @!%p bra WAIT;"""
    with pytest.raises(tc.DeadlockError) as caught:
        tc.run_ptx(KERNEL.format(body=body), LAUNCH)
    assert caught.value.edge is None and caught.value.line > 0


def test_memory_error_names_its_line():
    with pytest.raises(tc.KernelError) as caught:
        tc.run_ptx(KERNEL.format(body="  st.global.u32 [%rd1+4], 1;"), LAUNCH)
    assert caught.value.kind == "memory error" and caught.value.line == 11


def test_limit():
    with pytest.raises(tc.KernelError, match="instruction limit"):
        tc.run_ptx(KERNEL.format(body="LOOP:\n  bra LOOP;"), LAUNCH, max_instructions=1000)


def test_unsupported_instruction_is_named():
    with pytest.raises(tc.InputError, match="unsupported"):
        tc.run_ptx(KERNEL.format(body="  tensormap.frobnicate.b64 [%rd1], 1;"), LAUNCH)
