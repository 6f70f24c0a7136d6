/*===- emulator-misuse.c - wrong calls of tc-c/Emulator.h -----------------===*\
|*
|* Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
|* See LICENSE for license information.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===----------------------------------------------------------------------===*/

/* Calls every function with NULL and with indices past the end. */

#include "Misuse.h"
#include "tc-c/Emulator.h"

#include <string.h>

static const char *kCode = ".version 8.6\n"
                           ".target sm_90a\n"
                           ".address_size 64\n"
                           ".visible .entry f(.param .u64 X) { ret; }\n";
static const char *kDescription =
    "{\"buffers\": {\"X\": {\"dtype\": \"f32\", \"shape\": [4]}},"
    " \"block\": [32, 1, 1], \"params\": [{\"pointer\": \"X\"}]}";
static const char *kTwoBuffers =
    "{\"buffers\": {\"X\": {\"dtype\": \"f32\", \"shape\": [4]},"
    " \"Y\": {\"dtype\": \"f32\", \"shape\": [4]}},"
    " \"block\": [32, 1, 1], \"params\": [{\"pointer\": \"X\"}]}";

/* Whether there is an error with this message; drops it. */
static int failed(TcError **error, const char *message) {
  const int found = *error && !strcmp(tcErrorMessage(*error), message);
  if (!found)
    printf("got '%s'\n", tcErrorMessage(*error));
  tcErrorDestroy(*error);
  *error = NULL;
  return found;
}

static TcSession *create(const char *description, const TcOptions *options,
                         TcError **error) {
  return tcSessionCreate(TcDeviceEmulator, kCode, strlen(kCode), NULL,
                         description, strlen(description), NULL, NULL, options,
                         error);
}

static void misuseOptions(void) {
  TcError *error = NULL;
  CALL(tcOptionsDestroy, NULL);
  CALL(tcOptionsSetSize, NULL, "N", 1);
  CALL(tcOptionsSetScalar, NULL, "alpha", 1);
  CALL(tcOptionsSetBuffer, NULL, "X", "", 0);
  EXPECT(tcOptionsSetRaces,
         !tcOptionsSetRaces(NULL, "off", &error) &&
             failed(&error, "options: expected an object, got NULL"));
  EXPECT(tcOptionsSetRaces, !tcOptionsSetRaces(NULL, "off", NULL));
  CALL(tcOptionsSetCallersBuffer, NULL, "X");
  CALL(tcOptionsSetThreads, NULL, 1);
  CALL(tcOptionsSetGpu, NULL, 1);
  CALL(tcOptionsSetMaxInstructions, NULL, 1);
  CALL(tcOptionsSetAssume, NULL, "");

  TcOptions *options = tcOptionsCreate();
  EXPECT(
      tcOptionsSetRaces,
      !tcOptionsSetRaces(options, NULL, &error) &&
          failed(&error, "races: expected off, default or strict, got NULL"));
  /* A setter has no error of its own: the session has it. */
  tcOptionsSetSize(options, NULL, 1);
  tcOptionsSetScalar(options, NULL, 1);
  EXPECT(tcSessionCreate,
         !create(kDescription, options, &error) &&
             failed(&error, "tcOptionsSetSize: expected a name, got NULL"));
  tcOptionsDestroy(options);
  options = tcOptionsCreate();
  tcOptionsSetScalar(options, NULL, 1);
  EXPECT(tcSessionCreate,
         !create(kDescription, options, &error) &&
             failed(&error, "tcOptionsSetScalar: expected a name, got NULL"));
  tcOptionsDestroy(options);
  options = tcOptionsCreate();
  tcOptionsSetBuffer(options, "X", NULL, 16);
  EXPECT(tcSessionCreate,
         !create(kDescription, options, &error) &&
             failed(&error, "tcOptionsSetBuffer: expected contents, got NULL"));
  tcOptionsDestroy(options);
  options = tcOptionsCreate();
  tcOptionsSetBuffer(options, NULL, "", 0);
  EXPECT(tcSessionCreate,
         !create(kDescription, options, &error) &&
             failed(&error, "tcOptionsSetBuffer: expected a name, got NULL"));
  tcOptionsDestroy(options);
  options = tcOptionsCreate();
  tcOptionsSetCallersBuffer(options, NULL);
  EXPECT(tcSessionCreate,
         !create(kDescription, options, &error) &&
             failed(&error,
                    "tcOptionsSetCallersBuffer: expected a name, got NULL"));
  tcOptionsDestroy(options);
  options = tcOptionsCreate();
  tcOptionsSetAssume(options, NULL);
  EXPECT(tcSessionCreate,
         !create(kDescription, options, &error) &&
             failed(&error, "tcOptionsSetAssume: expected changes, got NULL"));
  tcOptionsDestroy(options);
}

static void misuseCreate(void) {
  TcError *error = NULL;
  EXPECT(tcSessionCreate,
         !tcSessionCreate((TcDevice)7, kCode, strlen(kCode), "", kDescription,
                          strlen(kDescription), "", NULL, NULL, &error) &&
             failed(&error, "device: expected TcDeviceEmulator or "
                            "TcDeviceCuda, got 7"));
  EXPECT(tcSessionCreate,
         !tcSessionCreate(TcDeviceEmulator, NULL, 1, "", kDescription,
                          strlen(kDescription), "", NULL, NULL, &error) &&
             failed(&error, "code: expected an object, got NULL"));
  EXPECT(tcSessionCreate,
         !tcSessionCreate(TcDeviceEmulator, kCode, strlen(kCode), "", NULL, 1,
                          "", NULL, NULL, &error) &&
             failed(&error, "description: expected an object, got NULL"));
  EXPECT(tcSessionCreate, !tcSessionCreate(TcDeviceEmulator, NULL, 0, NULL,
                                           NULL, 0, NULL, NULL, NULL, NULL));
}

static void misuseDescription(void) {
  TcError *error = NULL;
  EXPECT(tcDescriptionCheck,
         !tcDescriptionCheck(NULL, 1, kDescription, strlen(kDescription), "",
                             NULL, &error) &&
             failed(&error, "code: expected an object, got NULL"));
  EXPECT(tcDescriptionCheck,
         !tcDescriptionCheck(kCode, strlen(kCode), NULL, 1, "", NULL, &error) &&
             failed(&error, "description: expected an object, got NULL"));
  EXPECT(tcDescriptionCheck,
         !tcDescriptionCheck(kCode, strlen(kCode), "{}", 2, "x.json", NULL,
                             &error) &&
             failed(&error, "x.json: kernel 'f': expected 1 parameters, got 0 "
                            "(the PTX names: X)"));
  EXPECT(tcDescriptionCheck,
         !tcDescriptionCheck(NULL, 0, "[]", 2, "x.json", NULL, &error) &&
             failed(&error, "x.json: expected an object, got an array of 0"));
  const char *required = ".version 8.6\n.target sm_90a\n.address_size 64\n"
                         ".visible .entry f() .reqntid 64 { ret; }\n";
  EXPECT(tcDescriptionCheck,
         !tcDescriptionCheck(required, strlen(required), "{}", 2, "x.json",
                             NULL, &error) &&
             failed(&error, "x.json: kernel 'f': expected block 64 x 1 x 1 "
                            "(.reqntid), got 1 x 1 x 1"));
  /* Nothing is known of these kernels. */
  EXPECT(tcDescriptionCheck,
         tcDescriptionCheck(NULL, 0, "{}", 2, NULL, NULL, &error) &&
             tcDescriptionCheck(kCode, strlen(kCode), kDescription,
                                strlen(kDescription), NULL, NULL, NULL));
}

static void misuseSession(void) {
  TcError *error = NULL;
  TcSession *session = create(kDescription, NULL, &error);
  if (!session) {
    printf("%s\n", tcErrorMessage(error));
    exit(1);
  }
  CALL(tcSessionDestroy, NULL);
  EXPECT(tcSessionNumBuffers, tcSessionNumBuffers(NULL) == 0);
  EXPECT(tcSessionNumLaunches, tcSessionNumLaunches(NULL) == 0);
  EXPECT(tcSessionNumCtas, tcSessionNumCtas(NULL) == 0);
  for (int i = 0; i < 3; ++i) {
    const TcSession *which = i ? session : NULL;
    const size_t buffer = i == 0 ? 0 : i == 1 ? 1 : SIZE_MAX;
    EXPECT(tcSessionBufferName, !tcSessionBufferName(which, buffer));
    EXPECT(tcSessionBufferType, !tcSessionBufferType(which, buffer));
    EXPECT(tcSessionBufferRole,
           tcSessionBufferRole(which, buffer) == TcBufferIn);
    EXPECT(tcSessionBufferRank, tcSessionBufferRank(which, buffer) == 0);
    EXPECT(tcSessionBufferSize, tcSessionBufferSize(which, buffer, 0) == 0);
    EXPECT(tcSessionBufferStride, tcSessionBufferStride(which, buffer, 0) == 0);
    EXPECT(tcSessionBufferBytes, tcSessionBufferBytes(which, buffer) == 0);
  }
  EXPECT(tcSessionBufferSize, tcSessionBufferSize(session, 0, 1) == 0);
  EXPECT(tcSessionBufferStride, tcSessionBufferStride(session, 0, 1) == 0);

  EXPECT(tcSessionRun,
         !tcSessionRun(NULL, "eager", false, NULL, &error) &&
             failed(&error, "session: expected an object, got NULL"));
  EXPECT(tcSessionRun,
         !tcSessionRun(session, NULL, false, NULL, &error) &&
             failed(&error, "schedule: expected an object, got NULL"));
  EXPECT(tcSessionRun, !tcSessionRun(NULL, NULL, true, NULL, NULL));
  const uint64_t address = 0;
  EXPECT(tcSessionLaunch,
         !tcSessionLaunch(NULL, &address, NULL, &error) &&
             failed(&error, "session: expected an object, got NULL"));
  EXPECT(tcSessionLaunch,
         !tcSessionLaunch(session, NULL, NULL, &error) &&
             failed(&error, "addresses: expected an object, got NULL"));
  EXPECT(tcSessionLaunch, !tcSessionLaunch(session, NULL, NULL, NULL));

  TcRun *run = tcSessionRun(session, "eager", true, NULL, &error);
  if (!tcRunOk(run))
    exit(1);
  CALL(tcRunDestroy, NULL);
  EXPECT(tcRunOk, !tcRunOk(NULL));
  EXPECT(tcRunBuffer, !tcRunBuffer(NULL, 0) && tcRunBuffer(run, 0) &&
                          !tcRunBuffer(run, 1) && !tcRunBuffer(run, SIZE_MAX));
  EXPECT(tcRunWarpInstructions, tcRunWarpInstructions(NULL) == 0);
  EXPECT(tcRunSeconds, tcRunSeconds(NULL) == 0);
  EXPECT(tcRunOutput, !tcRunOutput(NULL));
  EXPECT(tcRunTimeline, !tcRunTimeline(NULL));
  EXPECT(tcRunNumReports, tcRunNumReports(NULL) == 0);
  for (int i = 0; i < 2; ++i) {
    const TcRun *which = i ? run : NULL;
    EXPECT(tcRunReportKind, !tcRunReportKind(which, 0));
    EXPECT(tcRunReportMessage, !tcRunReportMessage(which, 0));
    EXPECT(tcRunReportHistory, !tcRunReportHistory(which, 0));
    EXPECT(tcRunReportNumLines, tcRunReportNumLines(which, 0) == 0);
    EXPECT(tcRunReportLine, tcRunReportLine(which, 0, 0) == 0);
  }

  EXPECT(tcSessionCheck,
         !tcSessionCheck(NULL, run, &error) &&
             failed(&error, "session: expected an object, got NULL"));
  EXPECT(tcSessionCheck,
         !tcSessionCheck(session, NULL, &error) &&
             failed(&error, "run: expected an object, got NULL"));
  EXPECT(tcSessionDifferences, !tcSessionDifferences(NULL, run, run));
  EXPECT(tcSessionDifferences, !*tcSessionDifferences(session, NULL, run) &&
                                   !*tcSessionDifferences(session, run, NULL));
  TcSession *other = create(kTwoBuffers, NULL, &error);
  EXPECT(tcSessionCheck, other && !tcSessionCheck(other, run, &error) &&
                             failed(&error, "expected a run of this session"));
  EXPECT(tcSessionDifferences, !strcmp(tcSessionDifferences(other, run, run),
                                       "expected runs of this session\n"));
  tcSessionDestroy(other);

  TcCheck *check = tcSessionCheck(session, run, &error);
  if (!check)
    exit(1);
  CALL(tcCheckDestroy, NULL);
  EXPECT(tcCheckNumProblems, tcCheckNumProblems(NULL) == 0);
  for (int i = 0; i < 2; ++i) {
    const TcCheck *which = i ? check : NULL;
    EXPECT(tcCheckFormula, !tcCheckFormula(which, 0));
    EXPECT(tcCheckObstacle, !tcCheckObstacle(which, 0));
    EXPECT(tcCheckNumElements, tcCheckNumElements(which, 0) == 0);
    EXPECT(tcCheckNumMismatches, tcCheckNumMismatches(which, 0) == 0);
    EXPECT(tcCheckMaxError, tcCheckMaxError(which, 0) == 0);
    EXPECT(tcCheckMaxRatio, tcCheckMaxRatio(which, 0) == 0);
  }
  tcCheckDestroy(check);
  tcRunDestroy(run);
  tcSessionDestroy(session);
}

static void misuseBundle(void) {
  TcError *error = NULL;
  size_t kernel = 7, length = 7;
  EXPECT(tcBundleOpen, !tcBundleOpen(NULL, NULL));
  EXPECT(tcBundleOpen,
         !tcBundleOpen(NULL, &error) &&
             failed(&error, "path: expected an object, got NULL"));
  EXPECT(tcBundleOpen, !tcBundleOpen("/nowhere.tcb", &error) &&
                           failed(&error, "/nowhere.tcb: cannot open: No such "
                                          "file or directory"));
  CALL(tcBundleDestroy, NULL);
  EXPECT(tcBundleNumKernels, tcBundleNumKernels(NULL) == 0);
  EXPECT(tcBundleFind,
         !tcBundleFind(NULL, "f", "sm_90a", &kernel, &error) && kernel == 7 &&
             failed(&error, "bundle: expected an object, got NULL"));
  EXPECT(tcBundleName, !tcBundleName(NULL, 0));
  EXPECT(tcBundleChip, !tcBundleChip(NULL, 0));
  EXPECT(tcBundleFunction, !tcBundleFunction(NULL, 0));
  EXPECT(tcBundleSizes, !tcBundleSizes(NULL, 0));
  EXPECT(tcBundleCode, !tcBundleCode(NULL, 0, &length) && length == 0);
  EXPECT(tcBundleDescription, !tcBundleDescription(NULL, 0, NULL));
}

int main(void) {
  EXPECT(tcErrorMessage, !*tcErrorMessage(NULL));
  EXPECT(tcErrorLine, tcErrorLine(NULL) == 0);
  CALL(tcErrorDestroy, NULL);
  EXPECT(tcSchedule, !tcSchedule(SIZE_MAX));
  CALL(tcProgressDestroy, NULL);
  EXPECT(tcProgressInstructions, tcProgressInstructions(NULL) == 0);
  EXPECT(tcProgressCtasDone, tcProgressCtasDone(NULL) == 0);
  CALL(tcProgressStop, NULL);
  misuseBundle();
  misuseOptions();
  misuseCreate();
  misuseDescription();
  misuseSession();
  printf("done\n");
  return 0;
}
