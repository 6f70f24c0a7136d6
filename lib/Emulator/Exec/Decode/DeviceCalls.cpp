//===- DeviceCalls.cpp - functions that the device provides ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// vprintf formats into the launch's output; __assertfail ends it; malloc and
// free, which operators new and delete call, change device memory.
//
//===----------------------------------------------------------------------===//

#include "Exec/Decode/DeviceCalls.h"

#include "Exec/Decode/FunctionDecoder.h"
#include "Exec/Decode/Lanes.h"
#include "State/Access.h"

#include <array>
#include <cstdio>

namespace tc::emu {

namespace {
struct DeviceCall : Payload {
  std::vector<uint64_t> places; ///< local memory offsets
};

/// Reads a value of local or generic memory of one lane.
bool readBytes(Warp &w, const DecodedInst &i, uint64_t address, Space space,
               unsigned lane, void *to, uint32_t bytes) {
  Accessor accessor(w, i, AccessKind::Read);
  const uint8_t *from = accessor.resolve(address, space, lane, bytes);
  if (!from)
    return false;
  memcpy(to, from, bytes);
  return true;
}

bool readString(Warp &w, const DecodedInst &i, uint64_t address, unsigned lane,
                std::string &text) {
  while (text.size() < 4096) {
    char c;
    if (!readBytes(w, i, address++, Space::Generic, lane, &c, 1))
      return false;
    if (!c)
      return true;
    text += c;
  }
  return true;
}

/// One conversion specification of a printf format with its argument.
bool formatOne(Warp &w, const DecodedInst &i, unsigned lane, std::string spec,
               uint64_t arguments, uint64_t &offset, std::string &out) {
  char kind = spec.back();
  if (kind == '%') {
    out += '%';
    return true;
  }
  bool wide = spec.find("ll") != std::string::npos ||
              spec.find('l') != std::string::npos ||
              spec.find('z') != std::string::npos || kind == 's' ||
              kind == 'p' || strchr("aAeEfFgG", kind);
  uint32_t bytes = wide ? 8 : 4;
  offset = (offset + bytes - 1) / bytes * bytes;
  uint64_t value = 0;
  if (!readBytes(w, i, arguments + offset, Space::Generic, lane, &value, bytes))
    return false;
  offset += bytes;
  std::string modifiers;
  for (char c : spec)
    if (!strchr("lhzjt", c))
      modifiers += c;
  char text[512];
  if (kind == 's') {
    std::string string;
    if (!readString(w, i, value, lane, string))
      return false;
    snprintf(text, sizeof(text), modifiers.c_str(), string.c_str());
  } else if (strchr("aAeEfFgG", kind)) {
    snprintf(text, sizeof(text), modifiers.c_str(), bitCast<double>(value));
  } else if (strchr("diouxXcp", kind)) {
    if (kind == 'p') {
      modifiers = "0x%llx";
    } else if (kind != 'c') {
      modifiers.insert(modifiers.size() - 1, "ll");
      if ((kind == 'd' || kind == 'i') && !wide)
        value = uint64_t(int64_t(int32_t(value)));
    }
    if (kind == 'c')
      snprintf(text, sizeof(text), modifiers.c_str(), int(value));
    else
      snprintf(text, sizeof(text), modifiers.c_str(),
               (unsigned long long)value);
  } else {
    snprintf(text, sizeof(text), "%s", spec.c_str());
  }
  out += text;
  return true;
}

Step execPrintf(Warp &w, const DecodedInst &i, uint32_t active) {
  const DeviceCall &call = i.as<DeviceCall>();
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctz(rest));
    uint64_t format, arguments;
    std::string text, out;
    if (!readBytes(w, i, call.places[0], Space::Local, l, &format, 8) ||
        !readBytes(w, i, call.places[1], Space::Local, l, &arguments, 8) ||
        !readString(w, i, format, l, text))
      return Step::Stop;
    uint64_t offset = 0;
    for (size_t p = 0; p < text.size(); ++p) {
      if (text[p] != '%') {
        out += text[p];
        continue;
      }
      size_t end = text.find_first_of("diouxXcspaAeEfFgG%", p + 1);
      if (end == std::string::npos)
        break;
      if (!formatOne(w, i, l, text.substr(p, end - p + 1), arguments, offset,
                     out))
        return Step::Stop;
      p = end;
    }
    w.machine.print(out);
    Accessor accessor(w, i, AccessKind::Write);
    if (uint8_t *result =
            accessor.resolve(call.places[2], Space::Local, l, 4)) {
      int32_t one = 1;
      memcpy(result, &one, 4);
    }
  }
  return Step::Next;
}

Step execAssertFail(Warp &w, const DecodedInst &i, uint32_t active) {
  const DeviceCall &call = i.as<DeviceCall>();
  unsigned l = unsigned(__builtin_ctz(active));
  uint64_t pointers[4] = {};
  uint32_t line = 0;
  std::string message, file;
  if (!readBytes(w, i, call.places[0], Space::Local, l, &pointers[0], 8) ||
      !readBytes(w, i, call.places[1], Space::Local, l, &pointers[1], 8) ||
      !readBytes(w, i, call.places[2], Space::Local, l, &line, 4) ||
      !readString(w, i, pointers[0], l, message) ||
      !readString(w, i, pointers[1], l, file))
    return Step::Stop;
  return w.fail(ReportKind::Assertion, i,
                "device assertion '" + message + "' failed, " + file + ":" +
                    std::to_string(line));
}

/// malloc(bytes), and __nv_aligned_device_malloc(bytes, alignment) by the name
/// that the headers of CUDA give it, which operator new of what is aligned to
/// more calls as well.
Step execMalloc(Warp &w, const DecodedInst &i, uint32_t active) {
  const std::vector<uint64_t> &places = i.as<DeviceCall>().places;
  const std::array<unsigned, 3> &grid = w.machine.config.grid;
  const std::array<unsigned, 3> &at = w.cta.ctaid;
  const uint64_t cta = (uint64_t(at[2]) * grid[1] + at[1]) * grid[0] + at[0];
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    const unsigned l = unsigned(__builtin_ctz(rest));
    uint64_t bytes = 0, alignment = 16;
    if (!readBytes(w, i, places[0], Space::Local, l, &bytes, 8) ||
        (places.size() == 3 &&
         !readBytes(w, i, places[1], Space::Local, l, &alignment, 8)))
      return Step::Stop;
    if (!alignment || alignment & (alignment - 1))
      return w.fail(ReportKind::Trap, i,
                    "expected an alignment that is a power of two, got " +
                        std::to_string(alignment));
    const uint64_t thread = cta * w.machine.threadsPerCta + w.index * 32 + l;
    const uint64_t block = w.machine.heap.allocate(
        thread, bytes, std::max<uint64_t>(alignment, 16));
    Accessor accessor(w, i, AccessKind::Write);
    uint8_t *result = accessor.resolve(places.back(), Space::Local, l, 8);
    if (!result)
      return Step::Stop;
    memcpy(result, &block, 8);
  }
  return Step::Next;
}

Step execFree(Warp &w, const DecodedInst &i, uint32_t active) {
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    const unsigned l = unsigned(__builtin_ctz(rest));
    uint64_t address = 0;
    if (!readBytes(w, i, i.as<DeviceCall>().places[0], Space::Local, l,
                   &address, 8))
      return Step::Stop;
    if (Status status = w.machine.heap.free(address, i.line); !status) {
      char text[64];
      snprintf(text, sizeof(text),
               "free of address 0x%llx: ", (unsigned long long)address);
      return w.fail(ReportKind::Memory, i,
                    text + status.error().message + ", lane " +
                        std::to_string(l));
    }
  }
  return Step::Next;
}

Step execUnknown(Warp &w, const DecodedInst &i, uint32_t active) {
  return w.fail(ReportKind::Unsupported, i,
                "call of a function that the module does not define");
}
} // namespace

void makeDeviceCall(std::string_view name, std::vector<uint64_t> places,
                    DecodedInst &inst) {
  if (name == "vprintf" && places.size() == 3)
    inst.fn = execPrintf;
  else if (name == "__assertfail" && places.size() == 5)
    inst.fn = execAssertFail;
  else if ((name == "malloc" && places.size() == 2) ||
           ((name == "__cuda_syscall_aligned_malloc" ||
             name == "__nv_aligned_device_malloc") &&
            places.size() == 3)) {
    inst.fn = execMalloc;
    inst.choice = Choice::Heap;
  } else if (name == "free" && places.size() == 1)
    inst.fn = execFree;
  else
    inst.fn = execUnknown;
  auto call = std::make_shared<DeviceCall>();
  call->places = std::move(places);
  inst.payload = std::move(call);
}

bool usesHeap(const KernelCode &kernel) {
  for (const DecodedInst &inst : kernel.code)
    if (inst.fn == execMalloc || inst.fn == execFree)
      return true;
  return false;
}

} // namespace tc::emu
