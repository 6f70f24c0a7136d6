# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PTX of FlashAttention 4's forward kernel: compile.py FOLDER CAUSAL. The wheel
compiles tensors without memory; it asks the driver for nothing but the device,
which is tc-emulate's."""

import os
import sys

os.environ.update(FLASH_ATTENTION_ARCH="sm_100", FLASH_ATTENTION_NUM_SMS="148", FA_DISABLE_2CTA="1",
                  CUTE_DSL_ARCH="sm_100a", CUTE_DSL_KEEP_PTX="1", CUTE_DSL_DUMP_DIR=sys.argv[1])

import torch  # noqa: E402
from torch._subclasses.fake_tensor import FakeTensorMode  # noqa: E402
from flash_attn.cute.interface import _flash_attn_fwd  # noqa: E402

with FakeTensorMode():
    # Sizes are arguments of the kernel. It is one of two tiles of Q for more than 128 rows.
    q, k, v = (torch.empty(1, 512, 4, 128, dtype=torch.bfloat16, device="cuda") for _ in range(3))
    _flash_attn_fwd(q, k, v, causal=sys.argv[2] == "1")
