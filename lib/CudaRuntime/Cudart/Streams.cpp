//===- Streams.cpp - Streams, events, capture -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Handles are the driver's.
//
//===----------------------------------------------------------------------===//

#include "Cudart/Frame.h"

using namespace tc::cuda;
using namespace tc::cuda::cudart;

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags,
                                         int priority) {
  return withDevice(
      [&] { return cuStreamCreateWithPriority(stream, flags, priority); });
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}
cudaError_t cudaStreamCreate(cudaStream_t *stream) {
  return cudaStreamCreateWithPriority(stream, 0, 0);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return withDevice([&] { return cuStreamDestroy(stream); });
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return withDevice([&] { return cuStreamSynchronize(stream); });
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return withDevice([&] { return cuStreamQuery(stream); });
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                unsigned flags) {
  return withDevice([&] { return cuStreamWaitEvent(stream, event, flags); });
}
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority) {
  return withDevice([&] { return cuStreamGetPriority(stream, priority); });
}
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *flags) {
  return withDevice([&] { return cuStreamGetFlags(stream, flags); });
}
cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id) {
  return withDevice([&] { return cuStreamGetId(stream, id); });
}
cudaError_t cudaStreamGetDevice(cudaStream_t, int *device) {
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaStreamSetAttribute(cudaStream_t, cudaStreamAttrID,
                                   const cudaStreamAttrValue *) {
  return cudaSuccess;
}
cudaError_t cudaStreamGetAttribute(cudaStream_t, cudaStreamAttrID,
                                   cudaStreamAttrValue *value) {
  *value = cudaStreamAttrValue{};
  return cudaSuccess;
}
cudaError_t cudaStreamCopyAttributes(cudaStream_t, cudaStream_t) {
  return cudaSuccess;
}
cudaError_t cudaStreamAddCallback(cudaStream_t stream,
                                  cudaStreamCallback_t callback, void *data,
                                  unsigned) {
  cudaError_t error = cudaStreamSynchronize(stream);
  if (error == cudaSuccess)
    callback(stream, error, data);
  return error;
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
  return withDevice([&] { return cuEventCreate(event, flags); });
}
cudaError_t cudaEventCreate(cudaEvent_t *event) {
  return cudaEventCreateWithFlags(event, 0);
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return withDevice([&] { return cuEventDestroy(event); });
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream,
                                     unsigned flags) {
  return withDevice(
      [&] { return cuEventRecordWithFlags(event, stream, flags); });
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return cudaEventRecordWithFlags(event, stream, 0);
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return withDevice([&] { return cuEventSynchronize(event); });
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  return withDevice([&] { return cuEventQuery(event); });
}
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start,
                                 cudaEvent_t end) {
  return withDevice(
      [&] { return cuEventElapsedTime(milliseconds, start, end); });
}

//===----------------------------------------------------------------------===//
// Capture
//===----------------------------------------------------------------------===//

cudaError_t cudaStreamBeginCapture(cudaStream_t stream,
                                   cudaStreamCaptureMode mode) {
  return withDevice([&] {
    return cuStreamBeginCapture(stream, static_cast<CUstreamCaptureMode>(mode));
  });
}
cudaError_t cudaStreamBeginCaptureToGraph(
    cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
    const cudaGraphEdgeData *, size_t count, cudaStreamCaptureMode mode) {
  return withDevice([&] {
    return cuStreamBeginCaptureToGraph(stream, graph, dependencies, nullptr,
                                       count,
                                       static_cast<CUstreamCaptureMode>(mode));
  });
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph) {
  return withDevice([&] { return cuStreamEndCapture(stream, graph); });
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream,
                                  cudaStreamCaptureStatus *status) {
  return withDevice([&] {
    return cuStreamIsCapturing(
        stream, reinterpret_cast<CUstreamCaptureStatus *>(status));
  });
}
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream,
                                     cudaStreamCaptureStatus *status,
                                     unsigned long long *id, cudaGraph_t *graph,
                                     const cudaGraphNode_t **dependencies,
                                     const cudaGraphEdgeData **edges,
                                     size_t *count) {
  return withDevice([&] {
    return cuStreamGetCaptureInfo(
        stream, reinterpret_cast<CUstreamCaptureStatus *>(status),
        reinterpret_cast<cuuint64_t *>(id), graph, dependencies,
        reinterpret_cast<const CUgraphEdgeData **>(edges), count);
  });
}
cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream,
                                                cudaGraphNode_t *nodes,
                                                const cudaGraphEdgeData *,
                                                size_t count, unsigned flags) {
  return withDevice([&] {
    return cuStreamUpdateCaptureDependencies(stream, nodes, nullptr, count,
                                             flags);
  });
}
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode *mode) {
  return withDevice([&] {
    return cuThreadExchangeStreamCaptureMode(
        reinterpret_cast<CUstreamCaptureMode *>(mode));
  });
}
