//===- Audit.cpp - Puts the runtime in place of a static one ----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dynamic linker calls this library (LD_AUDIT, rtld-audit(7)) for every
// object that it loads. A search for libcuda.so.1 or libcudart.so.13 ends here,
// whatever RPATH says. An object that brings a CUDA runtime of its own, linked
// statically, has the runtime's calls in its symbol table: each of them is made
// a jump to ours before any of its code runs. CuTe DSL's library is stripped,
// but its exports lead to them.
//
// This is built for x86-64, as the programs of nvcc that it is made for.
//
//===----------------------------------------------------------------------===//

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace {

/// The file of an object, mapped.
class File {
public:
  explicit File(const char *path) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (fd >= 0 && !fstat(fd, &status) && status.st_size > 0) {
      void *mapped =
          mmap(nullptr, size_t(status.st_size), PROT_READ, MAP_PRIVATE, fd, 0);
      if (mapped != MAP_FAILED) {
        data = static_cast<const uint8_t *>(mapped);
        size = size_t(status.st_size);
      }
    }
    if (fd >= 0)
      close(fd);
  }
  ~File() {
    if (data)
      munmap(const_cast<uint8_t *>(data), size);
  }
  File(const File &) = delete;
  File &operator=(const File &) = delete;

  /// `count` objects at `offset`, or null if the file is shorter.
  template <class T>
  const T *at(uint64_t offset, uint64_t count = 1) const {
    return data && offset <= size && count <= (size - offset) / sizeof(T)
               ? reinterpret_cast<const T *>(data + offset)
               : nullptr;
  }

private:
  const uint8_t *data = nullptr;
  size_t size = 0;
};

struct Call {
  uint64_t value; ///< in the object, from its base
  uint64_t room;  ///< bytes up to the next function: its own, and padding
  std::string name;
};

constexpr uint64_t jumpBytes = 14;

} // namespace

/// Where our runtime is, in the program's namespace.
static link_map *ours = nullptr;
static std::vector<link_map *> pending;

/// The functions with one of the prefixes that a symbol table of `path`
/// defines.
static std::vector<Call> findCalls(const char *path, unsigned type,
                                   std::vector<std::string> prefixes) {
  std::vector<Call> calls;
  std::vector<uint64_t> starts; // of every function
  File file(path);
  const Elf64_Ehdr *header = file.at<Elf64_Ehdr>(0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) ||
      header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_machine != EM_X86_64)
    return calls;
  const Elf64_Shdr *sections =
      file.at<Elf64_Shdr>(header->e_shoff, header->e_shnum);
  for (unsigned i = 0; sections && i < header->e_shnum; ++i) {
    const Elf64_Shdr &table = sections[i];
    if (table.sh_type != type || table.sh_link >= header->e_shnum)
      continue;
    const Elf64_Shdr &strings = sections[table.sh_link];
    const uint64_t count = table.sh_size / sizeof(Elf64_Sym);
    const Elf64_Sym *symbols = file.at<Elf64_Sym>(table.sh_offset, count);
    const char *text = file.at<char>(strings.sh_offset, strings.sh_size);
    if (!symbols || !text)
      continue;
    for (uint64_t k = 0; k < count; ++k) {
      const Elf64_Sym &symbol = symbols[k];
      if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || !symbol.st_shndx ||
          symbol.st_name >= strings.sh_size)
        continue;
      starts.push_back(symbol.st_value);
      const char *name = text + symbol.st_name;
      for (const std::string &prefix : prefixes)
        if (!std::strncmp(name, prefix.c_str(), prefix.size()))
          calls.push_back({symbol.st_value, symbol.st_size, name});
    }
  }
  std::sort(starts.begin(), starts.end());
  for (Call &call : calls) {
    auto next = std::upper_bound(starts.begin(), starts.end(), call.value);
    if (next != starts.end())
      call.room = *next - call.value;
  }
  return calls;
}

/// The calls of a CUDA runtime that the symbol table of `path` defines.
static std::vector<Call> findCalls(const char *path) {
  return findCalls(path, SHT_SYMTAB, {"cuda", "__cuda"});
}

/// Where a call or a jump of five bytes at `code` goes, from the object's base.
static uint64_t targetOf(const uint8_t *code, uint64_t value) {
  int32_t distance;
  std::memcpy(&distance, code + 1, sizeof(distance));
  return value + 5 + uint64_t(int64_t(distance));
}

/// The calls of a stripped CUDA runtime behind the exports of an object: _cudaX
/// jumps to one, _cuX asks one for a call of the driver. Each is longer than a
/// jump.
static std::vector<Call> findForwarded(const link_map *map, const char *path) {
  std::vector<Call> calls;
  for (const Call &call : findCalls(path, SHT_DYNSYM, {"_cu"})) {
    const auto *code =
        reinterpret_cast<const uint8_t *>(map->l_addr + call.value);
    if (!call.name.compare(0, 5, "_cuda")) {
      // The library says Ex where the runtime says ExC.
      std::string name = call.name.substr(1);
      if (name == "cudaLaunchKernelEx")
        name += "C";
      if (code[0] == 0xe9) // jmp
        calls.push_back({targetOf(code, call.value), jumpBytes, name});
      continue;
    }
    // mov $version, %edx, the third argument, a few instructions before.
    uint64_t asked = 0;
    for (uint64_t at = 0; at + 5 <= call.room; ++at) {
      uint32_t value;
      std::memcpy(&value, code + at + 1, sizeof(value));
      if (code[at] == 0xba && value >= 11000 && value < 20000)
        asked = at;
      if (code[at] != 0xe8 || !asked || at - asked > 64) // call
        continue;
      calls.push_back({targetOf(code + at, call.value + at), jumpBytes,
                       "cudaGetDriverEntryPointByVersion"});
      break;
    }
  }
  return calls;
}

/// The address of `name` in our runtime, from its dynamic symbol table: dlsym
/// of this namespace does not see it.
static uint64_t findOurs(const std::vector<Call> &calls,
                         const std::string &name) {
  for (const Call &call : calls)
    if (call.name == name)
      return ours->l_addr + call.value;
  return 0;
}

/// jmp *0(%rip), and the address after it.
static bool writeJump(uint64_t at, uint64_t to) {
  const uint64_t page = uint64_t(sysconf(_SC_PAGESIZE));
  const uint64_t begin = at / page * page, end = at + jumpBytes;
  if (mprotect(reinterpret_cast<void *>(begin), end - begin,
               PROT_READ | PROT_WRITE | PROT_EXEC))
    return false;
  auto *code = reinterpret_cast<uint8_t *>(at);
  static const uint8_t jump[] = {0xff, 0x25, 0, 0, 0, 0};
  std::memcpy(code, jump, sizeof(jump));
  std::memcpy(code + sizeof(jump), &to, sizeof(to));
  return !mprotect(reinterpret_cast<void *>(begin), end - begin,
                   PROT_READ | PROT_EXEC);
}

/// Read when the first static runtime shows up.
static const std::vector<Call> &ownCalls() {
  static const std::vector<Call> own = findCalls(ours->l_name);
  return own;
}

/// Whether the object's strings for the dynamic linker have this name: they are
/// in memory, while its symbol table is in its file only.
static bool mentions(const link_map *map, const char *name) {
  // The linker adds the base to addresses, unless the section is read-only.
  auto address = [&](uint64_t value) {
    return value < map->l_addr ? value + map->l_addr : value;
  };
  const char *strings = nullptr;
  uint64_t size = 0;
  for (const Elf64_Dyn *entry = map->l_ld; entry && entry->d_tag != DT_NULL;
       ++entry)
    if (entry->d_tag == DT_STRTAB)
      strings = reinterpret_cast<const char *>(address(entry->d_un.d_ptr));
    else if (entry->d_tag == DT_STRSZ)
      size = entry->d_un.d_val;
  // With the zero byte after it; a longer name may end in it.
  return strings && memmem(strings, size, name, std::strlen(name) + 1);
}

static void redirect(link_map *map) {
  // A static runtime finds its driver by dlsym. Most objects do not.
  if (!mentions(map, "dlsym"))
    return;
  const char *path =
      map->l_name && *map->l_name ? map->l_name : "/proc/self/exe";
  std::vector<Call> calls = findCalls(path);
  bool isRuntime = false;
  for (const Call &call : calls)
    isRuntime |= call.name == "__cudaRegisterFatBinary";
  if (!isRuntime && mentions(map, "_cudaLibraryLoadData"))
    calls = findForwarded(map, path);
  // Objects that only have functions with such names are left alone.
  else if (!isRuntime)
    return;
  for (const Call &call : calls) {
    uint64_t to = findOurs(ownCalls(), call.name);
    if (!to)
      continue;
    if (call.room < jumpBytes || !writeJump(map->l_addr + call.value, to)) {
      std::fprintf(stderr,
                   "tc-emulate: %s: cannot redirect %s: rebuild with nvcc "
                   "-cudart shared\n",
                   path, call.name.c_str());
      _exit(2);
    }
  }
}

static bool endsWith(const char *text, const char *end) {
  const size_t length = std::strlen(text), tail = std::strlen(end);
  return length >= tail && !std::strcmp(text + length - tail, end);
}

/// The folder that tc-emulate names.
static const char *folder() { return std::getenv("TC_EMULATE_LIBRARIES"); }

extern "C" {

__attribute__((visibility("default"))) unsigned la_version(unsigned) {
  return LAV_CURRENT;
}

__attribute__((visibility("default"))) char *
la_objsearch(const char *name, uintptr_t *, unsigned) {
  for (const char *library : {"libcuda.so.1", "libcudart.so.13"}) {
    if (!folder() || !endsWith(name, library))
      continue;
    // Strings that are returned have to stay; there are two of them.
    static std::string paths[2];
    std::string &path = paths[library[7] == 'r'];
    path = std::string(folder()) + "/" + library;
    return const_cast<char *>(path.c_str());
  }
  return const_cast<char *>(name);
}

__attribute__((visibility("default"))) unsigned
la_objopen(link_map *map, Lmid_t space, uintptr_t *) {
  if (space == LM_ID_BASE) {
    const std::string own = std::string(folder() ? folder() : "") + "/";
    const char *name = map->l_name ? map->l_name : "";
    if (own + "libcudart.so.13" == name)
      ours = map;
    else if (own + "libcuda.so.1" != name)
      pending.push_back(map);
  }
  return 0; // no call of this object needs to be followed
}

/// All objects of this round are mapped, and none has run.
__attribute__((visibility("default"))) void la_activity(uintptr_t *,
                                                        unsigned flag) {
  if (flag != LA_ACT_CONSISTENT || !ours || pending.empty())
    return;
  std::vector<link_map *> maps;
  maps.swap(pending);
  for (link_map *map : maps)
    redirect(map);
}
}
