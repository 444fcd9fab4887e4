// normgrad-twin LAUNCHFILE: runs one kernel launch in this process and writes its report. The file
// has one "key value..." per line:
//   unit PATH | soc NAME | cores N | ub_bytes N | tiling_key N | tiling PATH | check all|fast|off
//   sync strict|autosync | cycles on|off | seed N | threads N | workspace BYTES [ZEROED_BYTES]
//   report PATH | trace PATH
//   cores_run CORE...           the others only come to meetings; without this line all run
// and, in the order of the kernel's arguments, one of
//   tensor NAME in|out|null BYTES PATH
//   sparse NAME in|out BYTES    zeros, of which no page exists until it is written
// the latter with any number of
//   slice BEGIN BYTES PATH      what an input has there, or where that part of an output goes
// Exit 0: the report is written, findings or not. Exit 3: a sentence on stderr says why not.
// SIGTERM: lines on stderr say where the launch is (machine/hang.h).
#include <dlfcn.h>
#include <signal.h>
#include <sys/prctl.h>
#include <time.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "tiling/chip.h"
#include "twin/machine/hang.h"
#include "twin/machine/launch.h"
#include "twin/machine/report.h"

namespace normgrad::twin {
namespace {

constexpr int kCannotRun = 3;

struct Slice {
  uint64_t begin;
  uint64_t bytes;
  std::string path;
};

struct TensorSpec {
  std::string name;
  std::string role;
  uint64_t bytes;
  std::string path;
  bool sparse;
  std::vector<Slice> slices;
};

struct LaunchFile {
  LaunchOptions options;
  std::string unit;
  std::string tiling;
  std::string report;
  std::string trace;  // empty: none is asked for
  uint64_t workspace_bytes = 0;
  uint64_t workspace_zeroed_bytes = 0;
  std::vector<TensorSpec> tensors;
};

CheckLevel ParseCheck(const std::string& word) {
  if (word == "all") return CheckLevel::kAll;
  if (word == "fast") return CheckLevel::kFast;
  if (word == "off") return CheckLevel::kOff;
  throw std::runtime_error("check is '" + word + "'; allowed: all, fast, off");
}

SyncMode ParseSync(const std::string& word) {
  if (word == "strict") return SyncMode::kStrict;
  if (word == "autosync") return SyncMode::kAutosync;
  throw std::runtime_error("sync is '" + word + "'; allowed: strict, autosync");
}

CycleMode ParseCycles(const std::string& word) {
  if (word == "on") return CycleMode::kOn;
  if (word == "off") return CycleMode::kOff;
  throw std::runtime_error("cycles is '" + word + "'; allowed: on, off");
}

void ParseLine(const std::string& line, LaunchFile& file) {
  std::istringstream words(line);
  std::string key;
  if (!(words >> key)) return;
  const auto path = [&words] {
    std::string rest;
    std::getline(words >> std::ws, rest);
    return rest;
  };
  const auto number = [&] {
    uint64_t value = 0;
    if (!(words >> value)) throw std::runtime_error("'" + line + "': a number is missing");
    return value;
  };
  if (key == "unit") {
    file.unit = path();
  } else if (key == "soc") {
    const std::string name = path();
    file.options.soc = FindSoc(name.c_str());
    if (file.options.soc == nullptr) throw std::runtime_error("unknown soc '" + name + "'");
  } else if (key == "cores") {
    file.options.cores = static_cast<uint32_t>(number());
  } else if (key == "ub_bytes") {
    file.options.ub_bytes = static_cast<uint32_t>(number());
  } else if (key == "tiling_key") {
    file.options.tiling_key = number();
  } else if (key == "tiling") {
    file.tiling = path();
  } else if (key == "check") {
    file.options.check = ParseCheck(path());
  } else if (key == "sync") {
    file.options.sync = ParseSync(path());
  } else if (key == "cycles") {
    file.options.cycles = ParseCycles(path());
  } else if (key == "seed") {
    file.options.seed = number();
  } else if (key == "threads") {
    file.options.host_threads = static_cast<uint32_t>(number());
  } else if (key == "workspace") {
    file.workspace_bytes = number();
    // What the host zeroes before the launch: a soft SyncAll counts there.
    if (!(words >> file.workspace_zeroed_bytes)) file.workspace_zeroed_bytes = 0;
  } else if (key == "trace") {
    file.trace = path();
    file.options.cycles = CycleMode::kTrace;
  } else if (key == "report") {
    file.report = path();
  } else if (key == "cores_run") {
    for (uint32_t core = 0; words >> core;) file.options.cores_run.push_back(core);
  } else if (key == "tensor" || key == "sparse") {
    TensorSpec tensor;
    if (!(words >> tensor.name >> tensor.role >> tensor.bytes)) {
      throw std::runtime_error("'" + line + "': expected " + key + " NAME in|out|null BYTES");
    }
    tensor.path = path();
    tensor.sparse = key == "sparse";
    file.tensors.push_back(tensor);
  } else if (key == "slice") {
    if (file.tensors.empty() || !file.tensors.back().sparse) {
      throw std::runtime_error("'" + line + "': a slice belongs to the sparse tensor before it");
    }
    const uint64_t begin = number();
    const uint64_t bytes = number();
    file.tensors.back().slices.push_back({begin, bytes, path()});
  } else {
    throw std::runtime_error("unknown key '" + key + "' in the launch file");
  }
}

LaunchFile Parse(const char* path) {
  std::ifstream stream(path);
  if (!stream) throw std::runtime_error(std::string("can't read ") + path);
  LaunchFile file;
  for (std::string line; std::getline(stream, line);) ParseLine(line, file);
  if (!file.options.cores_run.empty()) file.options.cycles = CycleMode::kOff;
  const LaunchOptions& options = file.options;
  if (options.soc == nullptr || file.unit.empty() || file.report.empty()) {
    throw std::runtime_error("the launch file needs soc, unit and report");
  }
  if (options.cores < 1 || options.cores > options.soc->cores) {
    throw std::runtime_error("cores is " + std::to_string(options.cores) + "; " +
                             options.soc->name + " has 1 to " + std::to_string(options.soc->cores));
  }
  for (const uint32_t core : options.cores_run) {
    if (core < options.cores) continue;
    throw std::runtime_error("cores_run names core " + std::to_string(core) + "; the launch has " +
                             std::to_string(options.cores));
  }
  if (options.ub_bytes < 1 || options.ub_bytes > options.soc->chip->ub_bytes) {
    throw std::runtime_error("ub_bytes is " + std::to_string(options.ub_bytes) + "; " +
                             options.soc->name + " has " +
                             std::to_string(options.soc->chip->ub_bytes));
  }
  return file;
}

std::vector<char> ReadAll(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw std::runtime_error("can't read " + path);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

KernelEntry LoadUnit(const std::string& path, uint32_t arch) {
  void* unit = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (unit == nullptr) throw std::runtime_error(std::string("can't load the unit: ") + dlerror());
  void* entry = dlsym(unit, "normgrad_unit_launch");
  const auto* unit_arch = static_cast<const unsigned*>(dlsym(unit, "normgrad_unit_arch"));
  if (entry == nullptr || unit_arch == nullptr) {
    throw std::runtime_error(path + " is no build unit of normgrad");
  }
  if (*unit_arch != arch) {
    throw std::runtime_error("the unit is built for arch " + std::to_string(*unit_arch) +
                             ", the soc has arch " + std::to_string(arch));
  }
  return reinterpret_cast<KernelEntry>(entry);
}

// A slice and the bytes of its file change places: read into an input, written from an output.
void Exchange(const Slice& slice, uint8_t* base, bool read) {
  auto* bytes = reinterpret_cast<char*>(base + slice.begin);
  const auto count = static_cast<std::streamsize>(slice.bytes);
  std::fstream stream(slice.path, std::ios::binary | (read ? std::ios::in : std::ios::out));
  if (read) {
    stream.read(bytes, count);
  } else {
    stream.write(bytes, count).flush();
  }
  if (!stream) {
    throw std::runtime_error(std::string("can't ") + (read ? "read " : "write ") +
                             std::to_string(slice.bytes) + " bytes of " + slice.path);
  }
}

uint8_t* MapSparse(Gm& gm, const TensorSpec& tensor) {
  if (tensor.role != "in" && tensor.role != "out") {
    throw std::runtime_error("sparse tensor " + tensor.name + " has the role '" + tensor.role +
                             "'; allowed: in, out");
  }
  const bool in = tensor.role == "in";
  std::vector<GmRange> ranges;
  for (const Slice& slice : tensor.slices) {
    ranges.push_back({slice.begin, slice.begin + slice.bytes});
  }
  uint8_t* base = gm.MapSparse(tensor.name, in ? GmRole::kIn : GmRole::kOut, tensor.bytes, ranges);
  for (const Slice& slice : tensor.slices) {
    if (in) Exchange(slice, base, true);
  }
  return base;
}

uint8_t* MapTensor(Gm& gm, const TensorSpec& tensor) {
  if (tensor.sparse) return MapSparse(gm, tensor);
  if (tensor.role == "null") return nullptr;
  if (tensor.role == "in") return gm.Map(tensor.name, GmRole::kIn, tensor.bytes, tensor.path);
  if (tensor.role == "out") return gm.Map(tensor.name, GmRole::kOut, tensor.bytes, tensor.path);
  throw std::runtime_error("tensor " + tensor.name + " has the role '" + tensor.role +
                           "'; allowed: in, out, null");
}

// Of all threads of this process.
double CpuSeconds() {
  timespec now = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

void Run(const char* path) {
  const LaunchFile file = Parse(path);
  const KernelEntry entry = LoadUnit(file.unit, file.options.soc->chip->arch);
  Launch launch(file.options);
  std::vector<uint8_t*> args;
  for (const TensorSpec& tensor : file.tensors) args.push_back(MapTensor(launch.gm(), tensor));
  uint8_t* workspace = launch.gm().Allocate("workspace", GmRole::kScratch, file.workspace_bytes);
  launch.gm().Zero(workspace, file.workspace_zeroed_bytes);
  args.push_back(workspace);
  const std::vector<char> tiling = file.tiling.empty() ? std::vector<char>() : ReadAll(file.tiling);
  uint8_t* tiling_gm = launch.gm().Allocate("tiling", GmRole::kScratch, tiling.size());
  if (!tiling.empty()) std::memcpy(tiling_gm, tiling.data(), tiling.size());
  launch.set_tiling(tiling_gm, tiling.size());
  args.push_back(tiling_gm);

  TellPlaceWhenCutOff(reinterpret_cast<const void*>(entry));
  const auto start = std::chrono::steady_clock::now();
  const double cpu_start = CpuSeconds();
  launch.Run(entry, args);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  const double cpu = CpuSeconds() - cpu_start;

  for (size_t i = 0; i < file.tensors.size(); ++i) {
    if (file.tensors[i].role != "out") continue;
    for (const Slice& slice : file.tensors[i].slices) Exchange(slice, args[i], false);
  }

  std::ofstream report(file.report);
  report << ReportJson(launch, wall.count(), cpu);
  report.close();
  if (!report) throw std::runtime_error("can't write the report " + file.report);
  const bool timed = launch.finished() && file.options.cycles == CycleMode::kTrace;
  if (timed && !LaunchTime(*file.options.soc, launch.core_times()).WriteTrace(file.trace)) {
    throw std::runtime_error("can't write the trace " + file.trace);
  }
}

}  // namespace
}  // namespace normgrad::twin

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: normgrad-twin LAUNCHFILE\n");
    return normgrad::twin::kCannotRun;
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // a caller that is killed can end nobody any more
  try {
    normgrad::twin::Run(argv[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return normgrad::twin::kCannotRun;
  }
  return 0;
}
