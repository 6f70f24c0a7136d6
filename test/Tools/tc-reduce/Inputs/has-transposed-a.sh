#!/bin/sh
# 1: interesting (mlir-reduce).
! grep -q 'tmm.matmul transpose_a' "$1"
