# The lit suite: the folders mirror lib/, test/Integration runs kernels on the
# emulator. Tests use tc-opt, tc-compile, tc-run, FileCheck, not, split-file.
import os
import shutil

import lit.formats

config.name = "tc"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.test_source_root = os.path.dirname(__file__)
config.excludes = ["FrontEnds", "Inputs", "Models", "Roles", "Chained", "RuleMutation", "lit.cfg.py", "lit.site.cfg.py"]

tools = os.path.join(config.tc_binary_dir, "bin")
path = [tools, config.llvm_tools_dir, os.environ.get("PATH", "")]
config.environment["PATH"] = os.pathsep.join(path)
# A variable that leaks from one CHECK-LABEL block into the next hides bugs.
config.environment["FILECHECK_OPTS"] = "--enable-var-scope --dump-input-filter=error"
for name in ("CUDA_HOME", "TC_PTXAS", "HOME", "ASAN_OPTIONS", "LSAN_OPTIONS", "UBSAN_OPTIONS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

# The back end of test/lib, if tc-opt has it.
if config.tc_test_lib:
    config.available_features.add("test-lib")
# A sanitized build has no CUDA runtime, and so no tc-emulate. CMake decides: a
# build that lacks the file fails instead of leaving the tests out.
if config.tc_emulate:
    config.available_features.add("tc-emulate")
# For what takes minutes there and shows a sanitizer nothing that another line does not.
if config.tc_sanitized:
    config.available_features.add("sanitized")

# The mlir-opt of LLVM, with the plugin. It has no sanitizer.
mlir_opt = os.path.join(config.llvm_tools_dir, "mlir-opt")
plugin = os.path.join(config.tc_binary_dir, "lib", "TCPlugin.so")
if os.path.exists(mlir_opt) and not config.tc_sanitized:
    config.available_features.add("mlir-opt")
config.substitutions.append(("%mlir_opt", f"{mlir_opt} --load-pass-plugin={plugin} --load-dialect-plugin={plugin}"))

# Corpora compare many texts and take long; check-tc runs them, scripts/test as stages of their own.
if lit_config.params.get("corpora"):
    config.available_features.add("corpora")

config.substitutions.append(("%python", config.python or "python3"))
config.substitutions.append(("%tc_source", config.tc_source_dir))
config.substitutions.append(("%tc_build", config.tc_binary_dir))
config.substitutions.append(("%mlir_lib", config.llvm_lib_dir))
config.substitutions.append(("%cxx", config.cxx))

# The assembler that TC_PTXAS names is that of tests that call one by its name, too.
if os.environ.get("TC_PTXAS"):
    folder = os.path.join(config.tc_binary_dir, "test", "ptxas")
    os.makedirs(folder, exist_ok=True)
    link = os.path.join(folder, "ptxas")
    if os.path.lexists(link):
        os.remove(link)
    os.symlink(os.path.abspath(os.environ["TC_PTXAS"]), link)
    config.environment["PATH"] = os.pathsep.join([folder, config.environment["PATH"]])
cuda = os.path.join(os.environ["CUDA_HOME"], "bin") if "CUDA_HOME" in os.environ else None
for tool in ("ptxas", "nvcc"):
    if shutil.which(tool) or (cuda and shutil.which(tool, path=cuda)):
        config.available_features.add(tool)
