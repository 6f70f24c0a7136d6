//===- Driver.cpp - The driver, loaded with the first call to it ----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tc-emulate puts this library into every program, and most of the time that
// this took went into the emulator below libcuda.so.1. So each call of the
// driver is a jump through a table here, which is filled when the first of them
// is made. Like the auditor, this is for x86-64.
//
//===----------------------------------------------------------------------===//

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

// cuda.h has other declarations of what is defined here.
namespace {
enum Call : unsigned {
#define TC_DRIVER_CALL(NAME) NAME##_call,
#include "Cudart/DriverCalls.def"
#undef TC_DRIVER_CALL
  callCount
};
constexpr const char *names[] = {
#define TC_DRIVER_CALL(NAME) #NAME,
#include "Cudart/DriverCalls.def"
#undef TC_DRIVER_CALL
};

/// Returns the exit status; `flush`: the program's own output, too.
using Finish = int (*)(int status, bool flush);
Finish finish = nullptr;
/// The process that made the first call. A child of it has nothing to report,
/// and one of vfork shares what is here.
pid_t owner = 0;
int quickStatus = 0;

/// Once.
int finishWith(int status, bool flush) {
  if (!finish || getpid() != owner)
    return status;
  const Finish callback = finish;
  finish = nullptr;
  return callback(status, flush);
}

[[noreturn]] void leave(int status) {
  while (true)
    syscall(SYS_exit_group, status);
}

/// Registered when this library is loaded, so it comes after what the program
/// registers itself.
__attribute__((constructor)) void watchExit() {
  on_exit(
      [](int status, void *) {
        const int real = finishWith(status, /*flush=*/true);
        if (real == status)
          return;
        std::fflush(nullptr);
        leave(real);
      },
      nullptr);
  at_quick_exit([] { leave(finishWith(quickStatus, /*flush=*/false)); });
}
} // namespace

extern "C" {

/// The driver has something to do at the end of the program.
__attribute__((visibility("default"))) void __cudaTcWatchExit(Finish callback) {
  finish = callback;
  owner = getpid();
}

// What the C library calls at the end of a program is not called by these, so
// they come here first: libcudart.map gives them the C library's versions.
__attribute__((visibility("default"))) void _exit(int status) {
  leave(finishWith(status, /*flush=*/false));
}
__attribute__((visibility("default"))) void _Exit(int status) noexcept {
  leave(finishWith(status, /*flush=*/false));
}
// Two versions, and no other name.
[[noreturn]] __attribute__((visibility("default"), used)) void
tcQuickExit(int status) {
  quickStatus = status;
  using Exit = void (*)(int);
  if (auto next = reinterpret_cast<Exit>(dlsym(RTLD_NEXT, "quick_exit")))
    next(status);
  leave(status);
}
asm(".symver tcQuickExit, quick_exit@GLIBC_2.10, remove");
[[noreturn]] __attribute__((visibility("default"), used)) void
tcQuickExitToo(int status) {
  tcQuickExit(status);
}
asm(".symver tcQuickExitToo, quick_exit@@GLIBC_2.24, remove");

__attribute__((visibility("hidden"))) void *tcDriverCalls[callCount];

__attribute__((visibility("hidden"))) void tcLoadDriver() {
  void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  const char *why = driver ? nullptr : dlerror();
  for (unsigned i = 0; i < callCount && !why; ++i)
    if (!(tcDriverCalls[i] = dlsym(driver, names[i])))
      why = dlerror();
  if (!why)
    return;
  std::fprintf(stderr, "tc-emulate: the driver cannot be loaded: %s\n", why);
  _exit(2);
}

// The index of the call is in %eax, which no call of the driver takes anything
// in: none has a variable number of arguments.
asm(R"(
  .text
  .hidden tcFirstCall
  .type tcFirstCall, @function
tcFirstCall:
  pushq %rbp
  movq %rsp, %rbp
  pushq %rdi
  pushq %rsi
  pushq %rdx
  pushq %rcx
  pushq %r8
  pushq %r9
  pushq %rax
  subq $136, %rsp
  movups %xmm0, (%rsp)
  movups %xmm1, 16(%rsp)
  movups %xmm2, 32(%rsp)
  movups %xmm3, 48(%rsp)
  movups %xmm4, 64(%rsp)
  movups %xmm5, 80(%rsp)
  movups %xmm6, 96(%rsp)
  movups %xmm7, 112(%rsp)
  call tcLoadDriver
  movups (%rsp), %xmm0
  movups 16(%rsp), %xmm1
  movups 32(%rsp), %xmm2
  movups 48(%rsp), %xmm3
  movups 64(%rsp), %xmm4
  movups 80(%rsp), %xmm5
  movups 96(%rsp), %xmm6
  movups 112(%rsp), %xmm7
  addq $136, %rsp
  popq %rax
  popq %r9
  popq %r8
  popq %rcx
  popq %rdx
  popq %rsi
  popq %rdi
  popq %rbp
  leaq tcDriverCalls(%rip), %r11
  jmp *(%r11,%rax,8)
  .size tcFirstCall, .-tcFirstCall
)");

#define TC_DRIVER_CALL(NAME)                                                   \
  __attribute__((naked, visibility("hidden"))) void NAME() {                   \
    asm("movl %0, %%eax\n\t"                                                   \
        "leaq tcDriverCalls(%%rip), %%r11\n\t"                                 \
        "movq (%%r11,%%rax,8), %%r11\n\t"                                      \
        "testq %%r11, %%r11\n\t"                                               \
        "jz tcFirstCall\n\t"                                                   \
        "jmp *%%r11"                                                           \
        :                                                                      \
        : "i"(NAME##_call));                                                   \
  }
#include "Cudart/DriverCalls.def"
}
