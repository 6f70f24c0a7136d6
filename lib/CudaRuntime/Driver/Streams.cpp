//===- Streams.cpp - Streams, events, capture -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Work is done when it is submitted, so that every stream is empty and every
// event has happened. A stream is needed for what a capture depends on.
//
//===----------------------------------------------------------------------===//

#include "Driver/Handles.h"

#include <algorithm>

using namespace tc;
using namespace tc::cuda;
using namespace tc::cuda::driver;

// Never destroyed: programs free streams after main.
static std::set<CUstream> &streams = *new std::set<CUstream>;
static uint64_t streamCount = 2, captureCount = 0;

CUstream driver::resolve(CUstream handle) {
  static CUstream_st everybody;
  if (!handle || handle == CU_STREAM_LEGACY || handle == CU_STREAM_PER_THREAD) {
    everybody.id = 1;
    return &everybody;
  }
  return streams.count(handle) ? handle : nullptr;
}

/// Calls on one stream.
template <class Body>
static CUresult onStream(CUstream handle, Body body) {
  return inContext([&](State &state) {
    CUstream stream = resolve(handle);
    return stream ? body(state, *stream) : CUDA_ERROR_INVALID_HANDLE;
  });
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags,
                                    int priority) {
  return inContext([&](State &) {
    if (!stream)
      return CUDA_ERROR_INVALID_VALUE;
    *stream = new CUstream_st;
    (*stream)->context = currentContext();
    (*stream)->flags = flags;
    (*stream)->priority = std::min(0, std::max(priority, -5));
    (*stream)->id = ++streamCount;
    streams.insert(*stream);
    return CUDA_SUCCESS;
  });
}
CUresult cuStreamCreate(CUstream *stream, unsigned flags) {
  return cuStreamCreateWithPriority(stream, flags, 0);
}
CUresult cuStreamDestroy(CUstream stream) {
  return inContext([&](State &) {
    if (!streams.erase(stream))
      return CUDA_ERROR_INVALID_HANDLE;
    delete stream;
    return CUDA_SUCCESS;
  });
}
CUresult cuStreamSynchronize(CUstream handle) {
  return onStream(handle, [](State &, CUstream_st &stream) {
    return stream.capture
               ? endCaptures(&stream, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED)
               : CUDA_SUCCESS;
  });
}
CUresult cuStreamQuery(CUstream handle) { return cuStreamSynchronize(handle); }
CUresult cuStreamGetPriority(CUstream handle, int *priority) {
  return onStream(handle, [&](State &, CUstream_st &stream) {
    *priority = stream.priority;
    return CUDA_SUCCESS;
  });
}
CUresult cuStreamGetFlags(CUstream handle, unsigned *flags) {
  return onStream(handle, [&](State &, CUstream_st &stream) {
    *flags = stream.flags;
    return CUDA_SUCCESS;
  });
}
CUresult cuStreamGetId(CUstream handle, unsigned long long *id) {
  return onStream(handle, [&](State &, CUstream_st &stream) {
    *id = stream.id;
    return CUDA_SUCCESS;
  });
}
CUresult cuStreamGetDevice(CUstream handle, CUdevice *device) {
  return onStream(handle, [&](State &, CUstream_st &) {
    *device = 0;
    return CUDA_SUCCESS;
  });
}
CUresult cuStreamGetCtx(CUstream handle, CUcontext *context) {
  return onStream(handle, [&](State &, CUstream_st &stream) {
    *context = stream.context ? stream.context : currentContext();
    return CUDA_SUCCESS;
  });
}
// Windows of caches and domains of memory synchronisation: hints.
CUresult cuStreamSetAttribute(CUstream handle, CUstreamAttrID,
                              const CUstreamAttrValue *) {
  return onStream(handle, [](State &, CUstream_st &) { return CUDA_SUCCESS; });
}
CUresult cuStreamGetAttribute(CUstream handle, CUstreamAttrID,
                              CUstreamAttrValue *value) {
  *value = CUstreamAttrValue{};
  return onStream(handle, [](State &, CUstream_st &) { return CUDA_SUCCESS; });
}
CUresult cuStreamCopyAttributes(CUstream, CUstream) { return CUDA_SUCCESS; }

CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback,
                             void *data, unsigned) {
  return onStream(stream, [&](State &, CUstream_st &found) {
    if (found.capture)
      return endCaptures(&found, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    callback(stream, CUDA_SUCCESS, data);
    return CUDA_SUCCESS;
  });
}

//===----------------------------------------------------------------------===//
// Values in memory that streams wait for and write
//===----------------------------------------------------------------------===//

static CUresult writeValue(CUstream stream, CUdeviceptr address, uint64_t value,
                           unsigned bytes) {
  return onStream(stream, [&](State &state, CUstream_st &) {
    return check(state, state.memory.device.write(address, &value, bytes),
                 "cuStreamWriteValue");
  });
}
CUresult cuStreamWriteValue32(CUstream stream, CUdeviceptr address,
                              cuuint32_t value, unsigned) {
  return writeValue(stream, address, value, 4);
}
CUresult cuStreamWriteValue64(CUstream stream, CUdeviceptr address,
                              cuuint64_t value, unsigned) {
  return writeValue(stream, address, value, 8);
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

CUresult cuEventCreate(CUevent *event, unsigned flags) {
  return inContext([&](State &) {
    if (!event)
      return CUDA_ERROR_INVALID_VALUE;
    *event = new CUevent_st;
    (*event)->flags = flags;
    return CUDA_SUCCESS;
  });
}
CUresult cuEventDestroy(CUevent event) {
  return inContext([&](State &) {
    if (!event)
      return CUDA_ERROR_INVALID_HANDLE;
    delete event;
    return CUDA_SUCCESS;
  });
}
CUresult cuEventRecordWithFlags(CUevent event, CUstream handle,
                                unsigned flags) {
  return onStream(handle, [&](State &state, CUstream_st &stream) {
    if (!event)
      return CUDA_ERROR_INVALID_HANDLE;
    event->capture = stream.capture;
    event->captureId = stream.captureId;
    event->tail = stream.tail;
    if (stream.capture && !(flags & CU_EVENT_RECORD_EXTERNAL))
      return CUDA_SUCCESS;
    return submit(state, handle, EventWork{event, false});
  });
}
CUresult cuEventRecord(CUevent event, CUstream stream) {
  return cuEventRecordWithFlags(event, stream, 0);
}
CUresult cuEventSynchronize(CUevent event) {
  return inContext([&](State &) {
    if (!event)
      return CUDA_ERROR_INVALID_HANDLE;
    for (CUstream stream : streams)
      if (event->capture && stream->captureId == event->captureId)
        return endCaptures(stream, CUDA_ERROR_CAPTURED_EVENT);
    return CUDA_SUCCESS;
  });
}
CUresult cuEventQuery(CUevent event) { return cuEventSynchronize(event); }

extern "C" {
#undef cuEventElapsedTime
/// The time of the host that the emulator took.
CUresult cuEventElapsedTime_v2(float *milliseconds, CUevent start,
                               CUevent end) {
  return inContext([&](State &) {
    if (!milliseconds)
      return CUDA_ERROR_INVALID_VALUE;
    if (!start || !end)
      return CUDA_ERROR_INVALID_HANDLE;
    if (!start->isRecorded || !end->isRecorded ||
        ((start->flags | end->flags) & CU_EVENT_DISABLE_TIMING))
      return CUDA_ERROR_INVALID_HANDLE;
    std::chrono::duration<float, std::milli> time = end->time - start->time;
    *milliseconds = std::max(time.count(), 1e-3f);
    return CUDA_SUCCESS;
  });
}
CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end) {
  return cuEventElapsedTime_v2(milliseconds, start, end);
}
}

CUresult cuStreamWaitEvent(CUstream handle, CUevent event, unsigned flags) {
  return onStream(handle, [&](State &state, CUstream_st &stream) {
    if (!event)
      return CUDA_ERROR_INVALID_HANDLE;
    if (stream.capture && (flags & CU_EVENT_WAIT_EXTERNAL))
      return submit(state, handle, EventWork{event, true});
    if (!event->capture)
      return CUDA_SUCCESS;
    // The stream joins the capture that the event was recorded in.
    if (stream.capture && stream.captureId != event->captureId)
      return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    if (!stream.capture) {
      stream.capture = event->capture;
      stream.captureId = event->captureId;
      stream.isCaptureOrigin = stream.ownsCapture = false;
      stream.tail.clear();
    }
    stream.tail.insert(stream.tail.end(), event->tail.begin(),
                       event->tail.end());
    return CUDA_SUCCESS;
  });
}

//===----------------------------------------------------------------------===//
// Capture
//===----------------------------------------------------------------------===//

static thread_local CUstreamCaptureMode threadMode =
    CU_STREAM_CAPTURE_MODE_GLOBAL;

CUresult driver::endCaptures(CUstream stream, CUresult error) {
  for (CUstream other : streams)
    if (other->capture && (!stream || other->captureId == stream->captureId))
      other->isInvalid = true;
  return error;
}

/// CUDA Runtime API, cudaThreadExchangeStreamCaptureMode: who may not make
/// calls that are potentially unsafe.
CUresult driver::checkUnsafe() {
  CUresult result = CUDA_SUCCESS;
  for (CUstream stream : streams) {
    const bool isOwn = stream->captureThread == std::this_thread::get_id();
    if (stream->capture && stream->isCaptureOrigin &&
        threadMode != CU_STREAM_CAPTURE_MODE_RELAXED &&
        (isOwn ? stream->captureMode != CU_STREAM_CAPTURE_MODE_RELAXED
               : stream->captureMode == CU_STREAM_CAPTURE_MODE_GLOBAL &&
                     threadMode == CU_STREAM_CAPTURE_MODE_GLOBAL))
      result = endCaptures(stream, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  }
  return result;
}

CUresult driver::checkLegacy(CUstream handle) {
  if (handle && handle != CU_STREAM_LEGACY)
    return CUDA_SUCCESS;
  CUresult result = CUDA_SUCCESS;
  for (CUstream stream : streams)
    if (stream->capture && !(stream->flags & CU_STREAM_NON_BLOCKING))
      result = endCaptures(stream, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  return result;
}

static CUresult beginCapture(CUstream handle, CUgraph graph,
                             const CUgraphNode *dependencies, size_t count,
                             CUstreamCaptureMode mode) {
  return onStream(handle, [&](State &, CUstream_st &stream) {
    if (!handle || handle == CU_STREAM_LEGACY)
      return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    if (stream.capture)
      return CUDA_ERROR_ILLEGAL_STATE;
    stream.isInvalid = false;
    stream.captureMode = mode;
    stream.captureThread = std::this_thread::get_id();
    stream.ownsCapture = !graph;
    stream.capture = graph ? graph : new CUgraph_st;
    stream.isCaptureOrigin = true;
    stream.captureId = ++captureCount;
    stream.tail.assign(dependencies, dependencies + count);
    return CUDA_SUCCESS;
  });
}
extern "C" {
#undef cuStreamBeginCapture
CUresult cuStreamBeginCapture(CUstream stream) {
  return beginCapture(stream, nullptr, nullptr, 0,
                      CU_STREAM_CAPTURE_MODE_GLOBAL);
}
CUresult cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode) {
  return beginCapture(stream, nullptr, nullptr, 0, mode);
}
}
CUresult cuStreamBeginCaptureToGraph(CUstream stream, CUgraph graph,
                                     const CUgraphNode *dependencies,
                                     const CUgraphEdgeData *, size_t count,
                                     CUstreamCaptureMode mode) {
  return beginCapture(stream, graph, dependencies, count, mode);
}
/// Whether `node` comes before one of `tail`, or is one.
static bool isBefore(CUgraphNode node, std::vector<CUgraphNode> tail) {
  std::set<CUgraphNode> seen(tail.begin(), tail.end());
  while (!tail.empty() && !seen.count(node)) {
    CUgraphNode last = tail.back();
    tail.pop_back();
    for (CUgraphNode from : last->dependencies)
      if (seen.insert(from).second)
        tail.push_back(from);
  }
  return seen.count(node);
}
/// Whether all streams of a capture have been joined to the first.
static bool isJoined(const CUstream_st &origin) {
  for (CUstream other : streams)
    if (other->capture && other->captureId == origin.captureId)
      for (CUgraphNode node : other->tail)
        if (!isBefore(node, origin.tail))
          return false;
  return true;
}
CUresult cuStreamEndCapture(CUstream handle, CUgraph *graph) {
  return onStream(handle, [&](State &, CUstream_st &stream) {
    if (!stream.capture)
      return CUDA_ERROR_ILLEGAL_STATE;
    if (!stream.isCaptureOrigin)
      return endCaptures(&stream, CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
    const CUresult result =
        stream.isInvalid    ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED
        : !isJoined(stream) ? CUDA_ERROR_STREAM_CAPTURE_UNJOINED
                            : CUDA_SUCCESS;
    *graph = result == CUDA_SUCCESS ? stream.capture : nullptr;
    if (result != CUDA_SUCCESS && stream.ownsCapture)
      destroyGraph(stream.capture);
    const uint64_t id = stream.captureId;
    for (CUstream other : streams)
      if (other->captureId == id) {
        other->capture = nullptr;
        other->captureId = 0;
        other->isCaptureOrigin = false;
        other->isInvalid = false;
        other->tail.clear();
      }
    return result;
  });
}
static CUstreamCaptureStatus statusOf(const CUstream_st &stream) {
  return !stream.capture    ? CU_STREAM_CAPTURE_STATUS_NONE
         : stream.isInvalid ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                            : CU_STREAM_CAPTURE_STATUS_ACTIVE;
}
CUresult cuStreamIsCapturing(CUstream handle, CUstreamCaptureStatus *status) {
  return onStream(handle, [&](State &, CUstream_st &stream) {
    *status = statusOf(stream);
    return CUDA_SUCCESS;
  });
}
static CUresult captureInfo(CUstream handle, CUstreamCaptureStatus *status,
                            cuuint64_t *id, CUgraph *graph,
                            const CUgraphNode **tail, size_t *count) {
  return onStream(handle, [&](State &, CUstream_st &stream) {
    *status = statusOf(stream);
    if (id)
      *id = stream.captureId;
    if (graph)
      *graph = stream.capture;
    if (tail)
      *tail = stream.tail.data();
    if (count)
      *count = stream.tail.size();
    return CUDA_SUCCESS;
  });
}
extern "C" {
#undef cuStreamGetCaptureInfo
CUresult cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus *status,
                                cuuint64_t *id) {
  return captureInfo(stream, status, id, nullptr, nullptr, nullptr);
}
CUresult cuStreamGetCaptureInfo_v2(CUstream stream,
                                   CUstreamCaptureStatus *status,
                                   cuuint64_t *id, CUgraph *graph,
                                   const CUgraphNode **tail, size_t *count) {
  return captureInfo(stream, status, id, graph, tail, count);
}
CUresult cuStreamGetCaptureInfo_v3(CUstream stream,
                                   CUstreamCaptureStatus *status,
                                   cuuint64_t *id, CUgraph *graph,
                                   const CUgraphNode **tail,
                                   const CUgraphEdgeData **edges,
                                   size_t *count) {
  if (edges)
    *edges = nullptr;
  return captureInfo(stream, status, id, graph, tail, count);
}
}
static CUresult updateCapture(CUstream handle, const CUgraphNode *nodes,
                              size_t count, unsigned flags) {
  return onStream(handle, [&](State &, CUstream_st &stream) {
    if (!stream.capture)
      return CUDA_ERROR_ILLEGAL_STATE;
    if (stream.isInvalid)
      return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    if (flags > CU_STREAM_SET_CAPTURE_DEPENDENCIES || (count && !nodes) ||
        std::any_of(nodes, nodes + count, [&](CUgraphNode node) {
          return !node || node->graph != stream.capture;
        }))
      return CUDA_ERROR_INVALID_VALUE;
    if (flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES)
      stream.tail.clear();
    stream.tail.insert(stream.tail.end(), nodes, nodes + count);
    return CUDA_SUCCESS;
  });
}
extern "C" {
#undef cuStreamUpdateCaptureDependencies
CUresult cuStreamUpdateCaptureDependencies(CUstream stream, CUgraphNode *nodes,
                                           size_t count, unsigned flags) {
  return updateCapture(stream, nodes, count, flags);
}
CUresult cuStreamUpdateCaptureDependencies_v2(CUstream stream,
                                              CUgraphNode *nodes,
                                              const CUgraphEdgeData *,
                                              size_t count, unsigned flags) {
  return updateCapture(stream, nodes, count, flags);
}
}
CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode) {
  std::swap(*mode, threadMode);
  return CUDA_SUCCESS;
}
