"""Kernels and errors in threads, in child processes and after what they came from is gone."""
import gc
import os
import pickle
import threading

import numpy as np
import pytest
import tc

A, B = np.ones((64, 64), "f2"), np.ones((64, 32), "f2")


@pytest.fixture
def kernel():
    return tc.matmul(64, 32, 64, a="f16")


def test_threads(kernel):
    failures = []

    def work():
        try:
            for _ in range(3):
                np.testing.assert_array_equal(kernel.emulate(A, B), np.full((64, 32), 64))
                tc.compile(kernel.text, name=str(threading.get_ident()))
        except BaseException as error:
            failures.append(error)

    workers = [threading.Thread(target=work) for _ in range(6)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not failures


def test_fork(kernel):
    kernel.emulate(A, B)
    child = os.fork()
    if child == 0:
        right = False
        try:
            right = (kernel.emulate(A, B) == 64).all() and ".entry" in tc.compile(kernel.text, name="child").ptx
        finally:
            os._exit(0 if right else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_results_and_errors_outlive_their_kernels(kernel, inputs):
    d = kernel.emulate(A.copy(), B.copy())
    with pytest.raises(tc.RaceError) as caught:
        tc.run_ptx(inputs / "race.ptx", inputs / "race.json")
    del kernel
    gc.collect()
    assert (d == 64).all() and "traceEvents" in caught.value.timeline()


def test_views(kernel):
    strided = np.ones((128, 128), "f2")[::2, ::-2]
    read_only = B.copy()
    read_only.setflags(write=False)
    for b in (np.asfortranarray(B), read_only):
        assert (kernel.emulate(strided, b) == 64).all()


def test_kernels_and_errors_go_to_other_processes(kernel, inputs):
    assert (pickle.loads(pickle.dumps(kernel)).emulate(A, B) == 64).all()
    with pytest.raises(tc.RaceError) as caught:
        tc.run_ptx(inputs / "race.ptx", inputs / "race.json")
    copy = pickle.loads(pickle.dumps(caught.value))
    assert str(copy) == str(caught.value) and copy.edge == caught.value.edge and copy.history == caught.value.history
    with pytest.raises(tc.InputError, match="a copy from another one"):
        copy.timeline()
    with pytest.raises(tc.CompileError) as caught:
        tc.compile("module {")
    copy = pickle.loads(pickle.dumps(caught.value))
    assert copy.diagnostics == caught.value.diagnostics and str(copy) == str(caught.value)
