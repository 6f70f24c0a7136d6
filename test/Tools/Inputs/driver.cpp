// A CUDA driver with a GPU of the compute capability in CAPABILITY, "9.0"; with
// none where that is empty.
#include <cstdio>
#include <cstdlib>

static int major, minor;
extern "C" int cuInit(unsigned) {
  const char *text = std::getenv("CAPABILITY");
  return text && std::sscanf(text, "%d.%d", &major, &minor) == 2 ? 0 : 100;
}
extern "C" int cuDeviceGet(int *device, int ordinal) {
  return *device = ordinal;
}
extern "C" int cuDeviceGetAttribute(int *value, int attribute, int) {
  *value = attribute == 75 ? major : attribute == 76 ? minor : -1;
  return 0;
}
extern "C" int cuGetErrorName(int, const char **text) {
  *text = "CUDA_ERROR_NO_DEVICE";
  return 0;
}
extern "C" int cuGetErrorString(int, const char **text) {
  *text = "no CUDA-capable device is detected";
  return 0;
}
