//===- SessionLaunch.cpp - Launches on memory of the caller -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a framework calls once per step: buffers are on the device already, the
// launches go to the framework's stream, and nothing waits. Parameters are
// packed and tensor maps encoded once for each set of addresses.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Session/SessionImpl.h"

#include <algorithm>

using namespace tc;
using namespace tc::runtime;

/// Sets of addresses that are kept. Allocators of frameworks give the same ones
/// again; one that never does must not fill the memory.
static constexpr size_t kMostBound = 256;

/// Fills the session's own buffers, and keeps the contents of those that each
/// launch starts with.
Status Session::Impl::prepareRefills() {
  for (size_t i = 0; i < buffers.size(); ++i) {
    Buffer &buffer = buffers[i];
    const BufferSpec &spec = description.buffers[i];
    if (buffer.isCallers || buffer.initial.empty())
      continue;
    if (Status status = device.write(buffer.address, buffer.initial); !status)
      return status;
    // What a kernel does not count on has no first contents.
    buffer.isRefilled =
        spec.role != BufferRole::In && spec.init.kind != InitKind::Poison;
    bool isZero = std::all_of(buffer.initial.begin(), buffer.initial.end(),
                              [](uint8_t byte) { return byte == 0; });
    if (!buffer.isRefilled || isZero)
      continue;
    Expected<uint64_t> source =
        device.allocate(buffer.initial.size(), 0, spec.name);
    if (!source)
      return makeError(spec.where, source.error().message);
    buffer.pristine = *source;
    if (Status status = device.write(*source, buffer.initial); !status)
      return status;
  }
  return {};
}

/// Prepares the launches for `addresses`.
Status Session::Impl::bind(const std::vector<uint64_t> &addresses) {
  if (addresses.size() != buffers.size())
    return makeError("expected " + std::to_string(buffers.size()) +
                     " addresses, one per buffer, got " +
                     std::to_string(addresses.size()));
  for (size_t i = 0; i < buffers.size(); ++i) {
    const std::string &name = description.buffers[i].name;
    if (!buffers[i].isCallers) {
      if (addresses[i])
        return makeError("buffer '" + name +
                         "': expected no address, as it is "
                         "not the caller's");
      continue;
    }
    if (!addresses[i] && buffers[i].layout.bytes())
      return makeError("buffer '" + name + "': expected an address, got none");
    buffers[i].address = addresses[i];
  }
  launches.clear();
  launchNumbers.clear();
  for (const LaunchSpec &launch : description.launches)
    if (Status status = prepareLaunch(launch); !status)
      return status;
  if (bound.size() >= kMostBound)
    bound.clear();
  bound[addresses] = launches;
  return {};
}

Status Session::launch(const std::vector<uint64_t> &addresses, void *stream) {
  auto found = impl->bound.find(addresses);
  if (found == impl->bound.end()) {
    if (Status status = impl->bind(addresses); !status)
      return status;
    found = impl->bound.find(addresses);
  }
  for (const Buffer &buffer : impl->buffers)
    if (buffer.isRefilled)
      if (Status status = impl->device.enqueueCopy(
              buffer.address, buffer.pristine, buffer.initial.size(), stream);
          !status)
        return status;
  for (const emu::LaunchConfig &launch : found->second)
    if (Status status = impl->device.enqueue(launch, stream); !status)
      return status;
  return {};
}
