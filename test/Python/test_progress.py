"""Progress of long runs: callbacks, the line on a terminal, and ends that callers ask for."""
import io

import numpy as np
import pytest
import tc
from tc import _progress

# Counts to a number that the launch gives, in each of 6 CTAs.
LOOP = """.version 8.6
.target sm_100a
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 count)
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  .reg .pred %p;
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r1, [count];
  mov.u32 %r2, 0;
LOOP:
  add.u32 %r2, %r2, 1;
  setp.lt.u32 %p, %r2, %r1;
  @%p bra LOOP;
  mov.u32 %r3, %ctaid.x;
  mul.wide.u32 %rd2, %r3, 4;
  add.u64 %rd1, %rd1, %rd2;
  st.global.u32 [%rd1], %r2;
  ret;
}
"""


def launch(count):
    return {"entry": "k", "grid": [6, 1, 1], "block": [1, 1, 1], "buffers": {"out": {"dtype": "u32", "shape": [6]}},
            "params": [{"pointer": "out"}, {"u32": count}]}


@pytest.fixture
def often(monkeypatch):
    monkeypatch.setattr(_progress, "_INTERVAL", 0.005)


def test_callback(often):
    states = []
    results = tc.run_ptx(LOOP, launch(2_000_000), progress=states.append, threads=1, schedule=["eager", "lazy"])
    np.testing.assert_array_equal(results["out"], [2_000_000] * 6)
    assert {state.schedule for state in states} == {"eager", "lazy"} and {state.ctas for state in states} == {6}
    for schedule in ("eager", "lazy"):
        of = [state for state in states if state.schedule == schedule]
        for before, after in zip(of, of[1:]):
            assert before.instructions <= after.instructions and before.ctas_done <= after.ctas_done
            assert before.seconds < after.seconds
        assert of[-1].instructions > 0 and of[-1].ctas_done <= 6


def test_an_exception_ends_the_run(often):
    class Enough(Exception):
        pass

    def stop(state):
        raise Enough(state.schedule)

    with pytest.raises(Enough, match="eager"):
        tc.run_ptx(LOOP, launch(2_000_000_000), progress=stop)


def test_ctrl_c_ends_the_run(often):
    def interrupt(state):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), tc.progress(interrupt):
        tc.run_ptx(LOOP, launch(2_000_000_000))


def test_the_line(often, monkeypatch):
    monkeypatch.setattr(_progress, "_PATIENCE", 0.0)
    stderr = io.StringIO()
    monkeypatch.setattr("sys.stderr", stderr)
    tc.run_ptx(LOOP, launch(2_000_000))
    assert not stderr.getvalue()  # no terminal
    stderr.isatty = lambda: True
    tc.run_ptx(LOOP, launch(2_000_000))
    shown = stderr.getvalue()
    assert "eager: " in shown and "of 6 CTAs" in shown and shown.endswith("\r") and "\n" not in shown
    stderr.truncate(0)
    with tc.progress(False):
        tc.run_ptx(LOOP, launch(2_000_000))
    assert not stderr.getvalue()
    with tc.progress(True):
        stderr.isatty = lambda: False
        tc.run_ptx(LOOP, launch(2_000_000))
    assert "of 6 CTAs" in stderr.getvalue()


def test_errors_of_a_run_are_those_without_progress(often, inputs):
    with pytest.raises(tc.RaceError), tc.progress(lambda state: None):
        tc.run_ptx(inputs / "race.ptx", inputs / "race.json")
    with pytest.raises(tc.InputError, match="got 'sideways'"), tc.progress(lambda state: None):
        tc.run_ptx(LOOP, launch(1), schedule="sideways")


@pytest.mark.parametrize("wanted", [1, "yes", []])
def test_refused(wanted):
    with pytest.raises(TypeError, match="progress: expected True, False or a function, got"):
        tc.run_ptx(LOOP, launch(1), progress=wanted)
    with pytest.raises(TypeError, match="progress: expected"), tc.progress(wanted):
        pass
