//===- Emulator.h - run kernels on the emulator or a GPU ----------*- C -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C interface of the emulator and the runtime (libTCEmulator-C). It needs
// no LLVM. A session binds PTX and a kernel description
// (docs/KernelDescription.md) to sizes, data and a device, and runs any number
// of times.
//
// Functions that can fail return NULL or false and, where `error` is not NULL,
// set it to an error that the caller destroys. What a kernel did wrong is no
// such error: it is in the reports of a run. Strings that are returned belong
// to the object that they come from. A session may be used by one thread at a
// time.
//
// An object or a text that is NULL, or an index past the end, is an error too:
// functions with `error` fail and name the parameter; setters of options have
// no error, tcSessionCreate fails instead; others return NULL, 0 or false
// (TcBufferIn), or do nothing. Where NULL is allowed, the function says so.
//
//===----------------------------------------------------------------------===//

#ifndef TC_C_EMULATOR_H
#define TC_C_EMULATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TcError TcError;
typedef struct TcOptions TcOptions;
typedef struct TcSession TcSession;
typedef struct TcRun TcRun;
typedef struct TcCheck TcCheck;
typedef struct TcProgress TcProgress;
typedef struct TcBundle TcBundle;

typedef enum TcDevice {
  TcDeviceEmulator, ///< the CPU
  TcDeviceCuda      ///< a GPU (tcOptionsSetGpu); takes cubins, too
} TcDevice;

/// Whether kernels read or write a buffer.
typedef enum TcBufferRole {
  TcBufferIn,
  TcBufferInOut,
  TcBufferOut,
  TcBufferTemporary
} TcBufferRole;

//===----------------------------------------------------------------------===//
// Version, errors, schedules
//===----------------------------------------------------------------------===//

/// The version of the project, as "0.1.0".
const char *tcEmulatorVersion(void);
/// The PTX ISA that the emulator reads, as "6.0 to 9.4".
const char *tcEmulatorPtxVersions(void);

/// "" without an error.
const char *tcErrorMessage(const TcError *error);
/// The line of the PTX text that is at fault, from 1; 0: none.
int tcErrorLine(const TcError *error);
void tcErrorDestroy(TcError *error);

/// The orders of asynchronous work that can be asked for, by the names that
/// tcSessionRun takes. tcSchedule(i) is NULL past the end.
size_t tcNumSchedules(void);
const char *tcSchedule(size_t index);

//===----------------------------------------------------------------------===//
// Bundles
//===----------------------------------------------------------------------===//

/// Maps a file that tc-compile --bundle wrote: kernels by name and chip. Takes
/// microseconds, however many there are.
TcBundle *tcBundleOpen(const char *path, TcError **error);
void tcBundleDestroy(TcBundle *bundle);
/// Kernels are in the order of their names, then of their chips.
size_t tcBundleNumKernels(const TcBundle *bundle);
/// The number of the kernel `name` for `chip`. A name that is NULL: of the only
/// kernel; a chip that is NULL: the only one of it, "native": that of the first
/// GPU.
bool tcBundleFind(const TcBundle *bundle, const char *name, const char *chip,
                  size_t *kernel, TcError **error);
const char *tcBundleName(const TcBundle *bundle, size_t kernel);
const char *tcBundleChip(const TcBundle *bundle, size_t kernel);
/// Which function of its description it is; "": the only one.
const char *tcBundleFunction(const TcBundle *bundle, size_t kernel);
/// The sizes that it was configured for, as "M=64,N=128", of those that the
/// description takes; it is right for any other, too.
const char *tcBundleSizes(const TcBundle *bundle, size_t kernel);
/// What tcSessionCreate takes. A zero follows, which `length` does not count.
const char *tcBundleCode(const TcBundle *bundle, size_t kernel, size_t *length);
const char *tcBundleDescription(const TcBundle *bundle, size_t kernel,
                                size_t *length);

//===----------------------------------------------------------------------===//
// Options of a session
//===----------------------------------------------------------------------===//

/// Races are looked for, on one OS thread per core.
TcOptions *tcOptionsCreate(void);
void tcOptionsDestroy(TcOptions *options);
/// The value of a size or of a scalar of the description.
void tcOptionsSetSize(TcOptions *options, const char *name, int64_t value);
void tcOptionsSetScalar(TcOptions *options, const char *name, double value);
/// The first contents of a buffer, `bytes` bytes, which are copied. Buffers
/// without contents start as the description says, else with zeros.
void tcOptionsSetBuffer(TcOptions *options, const char *name, const void *data,
                        size_t bytes);
/// "off", "default" or "strict", which takes nothing for granted beyond the
/// text of the PTX ISA.
bool tcOptionsSetRaces(TcOptions *options, const char *mode, TcError **error);
/// The buffer is memory of the caller on a GPU: tcSessionLaunch gets its
/// address, and nothing is allocated or filled for it.
void tcOptionsSetCallersBuffer(TcOptions *options, const char *name);
/// OS threads; 0: one per core.
void tcOptionsSetThreads(TcOptions *options, unsigned threads);
/// Which GPU a session on one uses, as the driver counts them; 0: the first.
void tcOptionsSetGpu(TcOptions *options, unsigned number);
/// Warp instructions after which a launch is stopped with a report.
void tcOptionsSetMaxInstructions(TcOptions *options, uint64_t count);
/// Changes to what a run takes for granted, "+NAME,-NAME" (docs/Emulator.md).
void tcOptionsSetAssume(TcOptions *options, const char *changes);

//===----------------------------------------------------------------------===//
// Sessions
//===----------------------------------------------------------------------===//

/// Whether a description or launch file can be read and its launches fit the
/// kernels of `code`: what is wrong with it whatever the sizes are. Of a cubin,
/// or of PTX that the emulator does not read, the kernels are not known, and
/// only the description is looked at. The other parameters are those of
/// tcSessionCreate.
bool tcDescriptionCheck(const char *code, size_t codeLength,
                        const char *description, size_t descriptionLength,
                        const char *descriptionName, const char *function,
                        TcError **error);

/// PTX text (or a cubin for a GPU) and a description or launch file. `codeName`
/// and `descriptionName` start diagnostics; paths in the description are
/// relative to the folder of the latter. `function` chooses one of several
/// functions of the description, NULL: the only one. The names and `options`
/// may be NULL.
TcSession *tcSessionCreate(TcDevice device, const char *code, size_t codeLength,
                           const char *codeName, const char *description,
                           size_t descriptionLength,
                           const char *descriptionName, const char *function,
                           const TcOptions *options, TcError **error);
void tcSessionDestroy(TcSession *session);

/// Buffers are in the order of the description.
size_t tcSessionNumBuffers(const TcSession *session);
const char *tcSessionBufferName(const TcSession *session, size_t buffer);
/// The name of the element type in descriptions: "bf16", "e4m3", ...
const char *tcSessionBufferType(const TcSession *session, size_t buffer);
TcBufferRole tcSessionBufferRole(const TcSession *session, size_t buffer);
size_t tcSessionBufferRank(const TcSession *session, size_t buffer);
int64_t tcSessionBufferSize(const TcSession *session, size_t buffer,
                            size_t dimension);
/// The distance of neighbours along a dimension, in elements.
int64_t tcSessionBufferStride(const TcSession *session, size_t buffer,
                              size_t dimension);
size_t tcSessionBufferBytes(const TcSession *session, size_t buffer);
/// Launches that take place at these sizes.
size_t tcSessionNumLaunches(const TcSession *session);

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

/// How far a run on the emulator is: warp instructions and CTAs of all launches
/// so far. Other threads read it while it runs, and may end the run, which then
/// has a report of kind "instruction limit".
TcProgress *tcProgressCreate(void);
void tcProgressDestroy(TcProgress *progress);
uint64_t tcProgressInstructions(const TcProgress *progress);
uint64_t tcProgressCtasDone(const TcProgress *progress);
void tcProgressStop(TcProgress *progress);
/// The CTAs of all launches.
uint64_t tcSessionNumCtas(const TcSession *session);

/// Runs all launches, from the first contents of the buffers. `schedule` is
/// NAME or NAME:SEED. With `timeline` the run keeps one. `progress` may be
/// NULL.
TcRun *tcSessionRun(TcSession *session, const char *schedule, bool timeline,
                    TcProgress *progress, TcError **error);
void tcRunDestroy(TcRun *run);

/// Hands all launches to a stream of a GPU (a CUstream; NULL: the legacy
/// default one) and returns at once. `addresses`: of the first element of each
/// buffer in the order of the description, 0 for those that are not the
/// caller's. Temporaries that have first contents get them again. What a launch
/// takes is kept for the next call with the same addresses.
bool tcSessionLaunch(TcSession *session, const uint64_t *addresses,
                     void *stream, TcError **error);

bool tcRunOk(const TcRun *run);
/// The final contents of a buffer; NULL where the run is not ok, an address
/// that is not read where the buffer has no bytes.
const void *tcRunBuffer(const TcRun *run, size_t buffer);
uint64_t tcRunWarpInstructions(const TcRun *run);
double tcRunSeconds(const TcRun *run);
/// What kernels printed.
const char *tcRunOutput(const TcRun *run);
/// Events for chrome://tracing and Perfetto; NULL where none were asked for.
const char *tcRunTimeline(const TcRun *run);

size_t tcRunNumReports(const TcRun *run);
/// "race", "deadlock", "memory", ...
const char *tcRunReportKind(const TcRun *run, size_t report);
const char *tcRunReportMessage(const TcRun *run, size_t report);
/// What led there: the history of the memory, barriers and warps involved.
const char *tcRunReportHistory(const TcRun *run, size_t report);
/// Lines of the PTX text, the main one first.
size_t tcRunReportNumLines(const TcRun *run, size_t report);
int tcRunReportLine(const TcRun *run, size_t report, size_t index);

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

/// Compares what the run computed with float64, each element with a bound of
/// its own that follows from the data.
TcCheck *tcSessionCheck(const TcSession *session, const TcRun *run,
                        TcError **error);
void tcCheckDestroy(TcCheck *check);
size_t tcCheckNumProblems(const TcCheck *check);
/// As "D = A * B".
const char *tcCheckFormula(const TcCheck *check, size_t problem);
/// Why the results of rows were not compared, as "unknown operation 'shli'";
/// empty where they were.
const char *tcCheckObstacle(const TcCheck *check, size_t problem);
uint64_t tcCheckNumElements(const TcCheck *check, size_t problem);
uint64_t tcCheckNumMismatches(const TcCheck *check, size_t problem);
double tcCheckMaxError(const TcCheck *check, size_t problem);
/// The largest error / bound: above 1 is a mismatch.
double tcCheckMaxRatio(const TcCheck *check, size_t problem);

/// What two runs may not differ in, a line per buffer, and bytes between
/// elements that the second run has changed; empty where there is nothing, or a
/// run has reports. The text belongs to the session until the next call.
const char *tcSessionDifferences(TcSession *session, const TcRun *first,
                                 const TcRun *second);

#ifdef __cplusplus
}
#endif

#endif // TC_C_EMULATOR_H
