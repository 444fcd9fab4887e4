#include "twin/acl/launch.h"

#include <dlfcn.h>
#include <signal.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "acl/acl_base.h"
#include "twin/acl/process.h"
#include "twin/acl/program.h"

namespace normgrad::acl {
namespace {

// A launch runs about 20 M elements/s with all checks on two cores; 1 M/s leaves room for slow
// computers and busy ones, and a hang is still cut within the minute.
constexpr double kTimeoutBaseS = 30.0;
constexpr double kTimeoutElemsPerS = 1.0e6;

std::string FromEnvironment(const char* name, const std::string& otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : otherwise;
}

struct Kernel {
  std::string runner;
  std::string unit;
};

// The name of the cache's folder with this library: it tells the sources that it was made from.
std::string OwnFolder() {
  Dl_info info = {};
  if (dladdr(reinterpret_cast<void*>(&OwnFolder), &info) == 0) return "";
  const std::string path = info.dli_fname;
  char* resolved = realpath(path.substr(0, path.find_last_of('/')).c_str(), nullptr);
  const std::string folder = resolved != nullptr ? resolved : "";
  std::free(resolved);
  return folder.substr(folder.find_last_of('/') + 1);
}

// Who knows where kernels are, and compiles one that is missing, is the harness.
Kernel AskHarness(const std::vector<std::string>& unit) {
  std::vector<std::string> command = {FromEnvironment("NORMGRAD_PYTHON", "python3"), "-m",
                                      "normgrad.prebuild", "--unit", OwnFolder()};
  command.insert(command.end(), unit.begin(), unit.end());
  const Ended ended = RunProgram(command, {}, -1);
  std::istringstream lines(ended.said);
  Kernel kernel;
  if (ended.status == 0 && std::getline(lines, kernel.runner) && std::getline(lines, kernel.unit)) {
    return kernel;
  }
  std::string said = ended.errors.substr(0, ended.errors.find_last_not_of('\n') + 1);
  said = said.substr(said.find_last_of('\n') + 1);  // the last line is the reason
  throw std::runtime_error("no kernel of " + unit[0] + " for arch " + unit[1] + ": " + command[0] +
                           " -m normgrad.prebuild said: " + said +
                           " (NORMGRAD_PYTHON names the Python that has normgrad)");
}

// Dtypes of dy, of gamma (without it, of the sums) and, where they are free, of the statistics, or
// of the scale and of dx.
std::vector<std::string> UnitOf(const KernelStep& step) {
  const Problem& problem = step.problem;
  const bool has_gamma = problem.gamma_dtype != DType::kUndefined;
  std::vector<std::string> unit = {step.op, std::to_string(step.soc->chip->arch),
                                   NameOf(problem.dtype),
                                   NameOf(has_gamma ? problem.gamma_dtype : problem.sums_dtype)};
  if (problem.has_mean != 0) unit.push_back(NameOf(problem.stats_dtype));
  if (problem.is_quantised != 0) {
    unit.push_back(NameOf(problem.scale_dtype));
    unit.push_back(NameOf(problem.dx_dtype));
  }
  return unit;
}

const Kernel& FindKernel(const std::vector<std::string>& unit) {
  static std::mutex mutex;
  static auto* known = new std::map<std::vector<std::string>, Kernel>();
  const std::lock_guard<std::mutex> lock(mutex);
  const auto found = known->find(unit);
  if (found != known->end()) return found->second;
  return known->emplace(unit, AskHarness(unit)).first->second;
}

// The value of a field of the report's first finding.
std::string Field(const std::string& report, size_t from, const std::string& name) {
  const std::string mark = "\"" + name + "\": ";
  const size_t at = report.find(mark, from);
  if (at == std::string::npos) return "";
  size_t begin = at + mark.size();
  if (report[begin] != '"') return report.substr(begin, report.find_first_of(",}", begin) - begin);
  std::string text;
  for (++begin; begin < report.size() && report[begin] != '"'; ++begin) {
    if (report[begin] == '\\') ++begin;
    text += report[begin];
  }
  return text;
}

// Of the last launch in which a rule was broken: the unit, and the report in the next line.
std::mutex rule_report_mutex;
std::string& RuleReport() {
  static auto* report = new std::string();
  return *report;
}

Answer JudgeReport(const std::string& op, const std::string& unit, const std::string& report) {
  const size_t findings = report.find("\"findings\": [");
  if (findings == std::string::npos) {
    return Refuse(ACL_ERROR_RT_AICORE_EXCEPTION, op + ": the launch ended without a report");
  }
  if (report.compare(findings, 14, "\"findings\": []") == 0) return Answer{};
  {
    const std::lock_guard<std::mutex> lock(rule_report_mutex);
    RuleReport() = unit + "\n" + report;
  }
  return Refuse(ACL_ERROR_RT_AICORE_EXCEPTION,
                "the kernel " + op + " breaks the rule " + Field(report, findings, "rule") +
                    " at " + Field(report, findings, "file") + ":" +
                    Field(report, findings, "line") + ": " + Field(report, findings, "message") +
                    "; `normgrad run` shows all of such a case");
}

class LaunchFile {
 public:
  LaunchFile(const KernelStep& step, const Kernel& kernel) {
    const unsigned threads = std::max(1u, std::thread::hardware_concurrency());
    tiling_.Write(step.plan.tiling, step.plan.tiling_bytes);
    lines_ << "unit " << kernel.unit << "\nsoc " << step.soc->name << "\ncores " << step.plan.cores
           << "\nub_bytes " << step.plan.ub_limit_bytes << "\ntiling_key " << step.plan.tiling_key
           << "\ntiling " << tiling_.path() << "\nworkspace " << step.plan.workspace_bytes
           << "\nreport " << report_.path() << "\ncheck "
           << FromEnvironment("NORMGRAD_CHECK", "all") << "\nsync strict\ncycles off\nthreads "
           << FromEnvironment("NORMGRAD_THREADS", std::to_string(threads)) << "\n";
  }

  void Add(const LaunchTensor& tensor) {
    files_.emplace_back();
    files_.back().Resize(tensor.bytes);
    if (tensor.role == "in") files_.back().Write(tensor.bytes_at, tensor.bytes);
    lines_ << "tensor " << tensor.name << " " << tensor.role << " " << tensor.bytes << " "
           << files_.back().path() << "\n";
  }

  Ended Run(const std::string& runner, double timeout_s) {
    const std::string text = lines_.str();
    launch_.Write(text.data(), text.size());
    std::vector<const MemoryFile*> open = {&launch_, &tiling_, &report_};
    for (const MemoryFile& file : files_) open.push_back(&file);
    return RunProgram({runner, launch_.path()}, open, timeout_s);
  }

  std::string report() const { return report_.Text(); }
  const MemoryFile& file(size_t tensor) const { return files_[tensor]; }

 private:
  std::ostringstream lines_;
  MemoryFile launch_;
  MemoryFile tiling_;
  MemoryFile report_;
  std::vector<MemoryFile> files_;
};

Answer Run(const KernelStep& step, const std::vector<LaunchTensor>& tensors) {
  const Kernel& kernel = FindKernel(UnitOf(step));
  LaunchFile launch(step, kernel);
  for (const LaunchTensor& tensor : tensors) launch.Add(tensor);
  const double elems =
      static_cast<double>(step.problem.rows) * static_cast<double>(step.problem.cols);
  const double timeout_s = kTimeoutBaseS + elems / kTimeoutElemsPerS;
  const Ended ended = launch.Run(kernel.runner, timeout_s);
  if (!ended.in_time) {
    return Refuse(ACL_ERROR_RT_AICORE_EXCEPTION,
                  "the kernel " + step.op + " was cut off after " +
                      std::to_string(static_cast<int>(timeout_s)) +
                      " s without an end: it hangs, or is very slow");
  }
  if (ended.status != 0) {
    const std::string how = ended.status < 0
                                ? std::string("by the signal ") + strsignal(-ended.status)
                                : "with code " + std::to_string(ended.status);
    return Refuse(ACL_ERROR_RT_AICORE_EXCEPTION,
                  "the kernel " + step.op + " ended its launch " + how + ": " + ended.errors);
  }
  const Answer answer = JudgeReport(step.op, kernel.unit, launch.report());
  if (!answer.ok()) return answer;
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i].role == "out") launch.file(i).Read(tensors[i].bytes_at, tensors[i].bytes);
  }
  return Answer{};
}

}  // namespace

Answer RunLaunch(const KernelStep& step, const std::vector<LaunchTensor>& tensors) {
  try {
    return Run(step, tensors);
  } catch (const std::exception& error) {
    return Refuse(ACL_ERROR_RT_AICORE_EXCEPTION, error.what());
  }
}

}  // namespace normgrad::acl

// For a client that shows more of a broken rule than the sentence: nothing of CANN's.
extern "C" ACL_FUNC_VISIBILITY const char* normgradRuleReport() {
  static thread_local std::string text;
  const std::lock_guard<std::mutex> lock(normgrad::acl::rule_report_mutex);
  text = normgrad::acl::RuleReport();
  return text.c_str();
}
