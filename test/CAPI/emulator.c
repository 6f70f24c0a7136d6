/*===- emulator.c - every call of tc-c/Emulator.h -------------------------===*\
|*
|* Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
|* See LICENSE for license information.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===----------------------------------------------------------------------===*/

/* emulator FOLDER: runs the kernels of test/CAPI/Inputs; prints what
   emulator.test checks. */

#include "tc-c/Emulator.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kCount = 1000 };

typedef struct Text {
  char *data;
  size_t length;
} Text;

static Text readText(const char *folder, const char *name) {
  char path[4096];
  snprintf(path, sizeof(path), "%s/%s", folder, name);
  FILE *file = fopen(path, "rb");
  if (!file) {
    perror(path);
    exit(2);
  }
  fseek(file, 0, SEEK_END);
  Text text;
  text.length = (size_t)ftell(file);
  text.data = malloc(text.length + 1);
  rewind(file);
  text.length = fread(text.data, 1, text.length, file);
  text.data[text.length] = 0;
  fclose(file);
  return text;
}

static TcSession *create(TcDevice device, Text code, Text description,
                         const char *function, const TcOptions *options,
                         TcError **error) {
  return tcSessionCreate(device, code.data, code.length, "kernel.ptx",
                         description.data, description.length, "kernel.json",
                         function, options, error);
}

/* Prints and drops an error. */
static void expectError(const char *what, const void *result, TcError *error) {
  if (result || !error) {
    printf("%s: expected an error\n", what);
    exit(1);
  }
  printf("%s: %s (line %d)\n", what, tcErrorMessage(error), tcErrorLine(error));
  tcErrorDestroy(error);
}

static TcOptions *sized(int64_t count) {
  TcOptions *options = tcOptionsCreate();
  tcOptionsSetSize(options, "N", count);
  tcOptionsSetScalar(options, "alpha", 0.5);
  return options;
}

static void runScale(Text code, Text description) {
  float x[kCount];
  for (int i = 0; i < kCount; ++i)
    x[i] = (float)i;
  TcOptions *options = sized(kCount);
  tcOptionsSetBuffer(options, "X", x, sizeof(x));
  TcError *error = NULL;
  if (tcOptionsSetRaces(options, "maybe", &error) ||
      tcOptionsSetRaces(options, "maybe", NULL))
    exit(1);
  expectError("races", NULL, error);
  if (!tcOptionsSetRaces(options, "strict", &error))
    exit(1);
  tcOptionsSetThreads(options, 1);
  tcOptionsSetMaxInstructions(options, 100000);
  tcOptionsSetAssume(options, "");
  TcSession *session =
      create(TcDeviceEmulator, code, description, NULL, options, &error);
  tcOptionsDestroy(options);
  if (!session) {
    printf("%s\n", tcErrorMessage(error));
    exit(1);
  }
  printf("buffers:");
  for (size_t i = 0; i < tcSessionNumBuffers(session); ++i) {
    printf(" %s %s role %d", tcSessionBufferName(session, i),
           tcSessionBufferType(session, i), tcSessionBufferRole(session, i));
    for (size_t d = 0; d < tcSessionBufferRank(session, i); ++d)
      printf(" [%lld by %lld]", (long long)tcSessionBufferSize(session, i, d),
             (long long)tcSessionBufferStride(session, i, d));
    printf(" %zu bytes;", tcSessionBufferBytes(session, i));
  }
  printf(" launches %zu\n", tcSessionNumLaunches(session));

  TcRun *runs[2];
  TcProgress *progress = tcProgressCreate();
  for (int i = 0; i < 2; ++i) {
    runs[i] = tcSessionRun(session, i ? "random:7" : "eager", i == 1,
                           i ? NULL : progress, &error);
    if (!runs[i] || !tcRunOk(runs[i]))
      exit(1);
  }
  printf("progress: %llu of %llu CTAs, %s warp instructions\n",
         (unsigned long long)tcProgressCtasDone(progress),
         (unsigned long long)tcSessionNumCtas(session),
         tcProgressInstructions(progress) == tcRunWarpInstructions(runs[0])
             ? "all"
             : "other");
  tcProgressStop(progress);
  TcRun *stopped = tcSessionRun(session, "eager", false, progress, &error);
  printf("stopped: %s: %s\n", tcRunReportKind(stopped, 0),
         tcRunReportMessage(stopped, 0));
  tcRunDestroy(stopped);
  tcProgressDestroy(progress);
  const float *y = tcRunBuffer(runs[0], 1);
  for (int i = 0; i < kCount; ++i)
    if (y[i] != 0.5f * (float)i)
      exit(1);
  printf("y[999] = %g, %llu warp instructions in %s time, output '%s'\n",
         y[999], (unsigned long long)tcRunWarpInstructions(runs[0]),
         tcRunSeconds(runs[0]) > 0 ? "some" : "no", tcRunOutput(runs[0]));
  printf("timeline: %s, %s\n", tcRunTimeline(runs[0]) ? "some" : "none",
         strstr(tcRunTimeline(runs[1]), "traceEvents") ? "events" : "none");
  printf("differences: '%s'\n",
         tcSessionDifferences(session, runs[0], runs[1]));
  printf("reports: %zu\n", tcRunNumReports(runs[0]));
  expectError("schedule",
              tcSessionRun(session, "sideways", false, NULL, &error), error);
  /* Without a problem there is nothing to compare. */
  TcCheck *check = tcSessionCheck(session, runs[0], &error);
  printf("problems: %zu\n", tcCheckNumProblems(check));
  tcCheckDestroy(check);
  tcRunDestroy(runs[0]);
  tcRunDestroy(runs[1]);
  tcSessionDestroy(session);
}

/* Memory of the caller is for GPUs: the emulator has neither it nor streams. */
static void runCallers(Text code, Text description) {
  TcError *error = NULL;
  TcOptions *options = sized(10);
  tcOptionsSetCallersBuffer(options, "X");
  tcOptionsSetCallersBuffer(options, "Y");
  TcSession *session =
      create(TcDeviceEmulator, code, description, NULL, options, &error);
  tcOptionsDestroy(options);
  const uint64_t none[] = {0, 0}, some[] = {256, 512};
  expectError("no address",
              tcSessionLaunch(session, none, NULL, &error) ? session : NULL,
              error);
  expectError("stream",
              tcSessionLaunch(session, some, NULL, &error) ? session : NULL,
              error);
  expectError("run", tcSessionRun(session, "eager", false, NULL, &error),
              error);
  tcSessionDestroy(session);
}

static void runRace(Text code, Text description) {
  TcError *error = NULL;
  TcSession *session =
      create(TcDeviceEmulator, code, description, NULL, NULL, &error);
  TcRun *run = tcSessionRun(session, "eager", false, NULL, &error);
  if (!run || tcRunOk(run) || tcRunBuffer(run, 0))
    exit(1);
  printf("report: %s of %zu: %s\n", tcRunReportKind(run, 0),
         tcRunNumReports(run), tcRunReportMessage(run, 0));
  printf("lines:");
  for (size_t i = 0; i < tcRunReportNumLines(run, 0); ++i)
    printf(" %d", tcRunReportLine(run, 0, i));
  printf("\nhistory: %s\n", *tcRunReportHistory(run, 0) ? "some" : "none");
  expectError("check", tcSessionCheck(session, run, &error), error);
  printf("differences of failed runs: '%s'\n",
         tcSessionDifferences(session, run, run));
  tcRunDestroy(run);
  tcSessionDestroy(session);
}

static void runMatmul(Text code, Text description) {
  TcError *error = NULL;
  TcSession *session =
      create(TcDeviceEmulator, code, description, "matmul", NULL, &error);
  if (!session) {
    printf("%s\n", tcErrorMessage(error));
    exit(1);
  }
  TcRun *run = tcSessionRun(session, "lazy", false, NULL, &error);
  TcCheck *check = tcSessionCheck(session, run, &error);
  for (size_t i = 0; i < tcCheckNumProblems(check); ++i)
    printf("problem: %s: %llu of %llu wrong, ratio %s 1, error %s\n",
           tcCheckFormula(check, i),
           (unsigned long long)tcCheckNumMismatches(check, i),
           (unsigned long long)tcCheckNumElements(check, i),
           tcCheckMaxRatio(check, i) <= 1 ? "at most" : "above",
           tcCheckMaxError(check, i) >= 0 ? "finite" : "negative");
  tcCheckDestroy(check);
  tcRunDestroy(run);
  tcSessionDestroy(session);
}

/* Opens a bundle, finds a kernel and makes a session of it. */
static void readBundle(const char *folder) {
  char path[4096];
  snprintf(path, sizeof(path), "%s/two.tcb", folder);
  TcError *error = NULL;
  TcBundle *bundle = tcBundleOpen(path, &error);
  if (!bundle) {
    printf("bundle: %s\n", tcErrorMessage(error));
    exit(1);
  }
  const size_t count = tcBundleNumKernels(bundle);
  printf("bundle: %zu kernels", count);
  for (size_t i = 0; i < count; ++i)
    printf(", %s for %s '%s' '%s'", tcBundleName(bundle, i),
           tcBundleChip(bundle, i), tcBundleFunction(bundle, i),
           tcBundleSizes(bundle, i));
  printf(", %s past the end\n", tcBundleName(bundle, count) ? "some" : "none");
  size_t kernel = 0;
  if (!tcBundleFind(bundle, "second", NULL, &kernel, &error))
    exit(1);
  Text code, description;
  code.data = (char *)tcBundleCode(bundle, kernel, &code.length);
  description.data =
      (char *)tcBundleDescription(bundle, kernel, &description.length);
  TcOptions *options = tcOptionsCreate();
  tcOptionsSetSize(options, "M", 30);
  TcSession *session =
      create(TcDeviceEmulator, code, description, "", options, &error);
  printf("zeros end: %d %d, launches %zu\n", code.data[code.length],
         description.data[description.length], tcSessionNumLaunches(session));
  tcSessionDestroy(session);
  tcOptionsDestroy(options);
  expectError("no kernel",
              (void *)(size_t)tcBundleFind(bundle, "third", NULL, NULL, &error),
              error);
  expectError(
      "no chip",
      (void *)(size_t)tcBundleFind(bundle, "first", "sm_90a", NULL, &error),
      error);
  /* A machine with a GPU has one of another kind, or no GPU. */
  if (!tcBundleFind(bundle, "first", "native", NULL, &error))
    tcErrorDestroy(error);
  tcBundleDestroy(bundle);
}

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  printf("version %s, PTX %s\n", tcEmulatorVersion(), tcEmulatorPtxVersions());
  printf("schedules: %s, %s past the end\n", tcSchedule(0),
         tcSchedule(tcNumSchedules()) ? "some" : "none");
  readBundle(argv[2]);
  Text scale = readText(argv[1], "scale.ptx");
  Text description = readText(argv[1], "scale.json");
  runScale(scale, description);
  Text race = readText(argv[1], "race.ptx");
  Text raceLaunch = readText(argv[1], "race.json");
  runRace(race, raceLaunch);
  free(race.data);
  free(raceLaunch.data);
  Text matmul = readText(argv[2], "matmul.ptx");
  Text matmulDescription = readText(argv[2], "matmul.json");
  runMatmul(matmul, matmulDescription);
  free(matmul.data);
  free(matmulDescription.data);

  TcError *error = NULL;
  printf("description: %s\n",
         tcDescriptionCheck(scale.data, scale.length, description.data,
                            description.length, "kernel.json", "", &error)
             ? "fits"
             : tcErrorMessage(error));
  runCallers(scale, description);
  TcOptions *options = tcOptionsCreate();
  expectError(
      "no size",
      create(TcDeviceEmulator, scale, description, NULL, options, &error),
      error);
  tcOptionsDestroy(options);
  options = sized(10);
  tcOptionsSetBuffer(options, "X", "abc", 3);
  expectError(
      "bytes",
      create(TcDeviceEmulator, scale, description, NULL, options, &error),
      error);
  tcOptionsDestroy(options);
  options = sized(10);
  tcOptionsSetBuffer(options, "Z", "abc", 3);
  expectError(
      "name",
      create(TcDeviceEmulator, scale, description, NULL, options, &error),
      error);
  tcOptionsDestroy(options);
  options = sized(10);
  tcOptionsSetAssume(options, "+nonsense");
  expectError(
      "assume",
      create(TcDeviceEmulator, scale, description, NULL, options, &error),
      error);
  Text wrong = {".version 8.6\nno ptx", 19};
  expectError(
      "ptx",
      create(TcDeviceEmulator, wrong, description, NULL, options, &error),
      error);
  expectError("json",
              create(TcDeviceEmulator, scale, wrong, NULL, options, &error),
              error);
  expectError(
      "function",
      create(TcDeviceEmulator, scale, description, "other", options, &error),
      error);
  tcOptionsDestroy(options);
  /* A machine with a GPU runs it there, one without says why not. */
  options = sized(10);
  TcSession *session =
      create(TcDeviceCuda, scale, description, NULL, options, &error);
  printf("cuda: %s\n", session ? "a GPU" : tcErrorMessage(error));
  if (session)
    tcSessionDestroy(session);
  else
    tcErrorDestroy(error);
  /* No machine has as many. */
  tcOptionsSetGpu(options, 1000);
  if (create(TcDeviceCuda, scale, description, NULL, options, &error))
    return 1;
  printf("GPU 1000: %s\n", tcErrorMessage(error));
  tcErrorDestroy(error);
  /* Who does not ask for the error gets none. */
  if (create(TcDeviceEmulator, wrong, description, NULL, NULL, NULL))
    return 1;
  tcOptionsDestroy(options);
  free(scale.data);
  free(description.data);
  printf("done\n");
  return 0;
}
