"""What the package says to input that it does not take."""
import pytest
from misuse import CALLS


def test_there_are_many():
    assert len(CALLS) >= 40


@pytest.mark.parametrize("call, error, text", [call[1:] for call in CALLS], ids=[call[0] for call in CALLS])
def test_misuse(call, error, text):
    with pytest.raises(error, match=text) as caught:
        call()
    assert str(caught.value)
