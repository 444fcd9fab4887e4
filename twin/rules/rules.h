// Every rule of the machine: its id (the word in findings, docs and tests), whether the kernel can
// go on after breaking it, and its sentence. docs/twin.md has an entry for each.
#ifndef NORMGRAD_TWIN_RULES_RULES_H_
#define NORMGRAD_TWIN_RULES_RULES_H_

namespace normgrad::twin {

// A fatal rule is one after which the machine has no defined state: silicon would hang or fault.
#define NORMGRAD_RULES(X)                                                                          \
  /* memory */                                                                                     \
  X(kUbBounds, "ub-out-of-bounds", true, "an operand reaches past its UB buffer")                  \
  X(kGmBounds, "gm-out-of-bounds", true, "a transfer reaches outside its GM tensor")               \
  X(kUbUninit, "ub-uninitialised-read", false, "UB is read before anything was written there")     \
  X(kGmUninit, "gm-uninitialised-read", false, "GM is read before anything was written there")     \
  X(kGmInput, "gm-input-written", false, "a transfer writes into an input of the operator")        \
  X(kDataCache, "data-cache-not-cleaned", false,                                                   \
    "a scalar store to GM still sits in the data cache")                                           \
  X(kAtomicLeft, "atomic-left-on", false, "the atomic mode is still on at the end of the kernel")  \
  X(kControlLeft, "control-left-changed", false,                                                   \
    "the control register is not restored at the end of the kernel")                               \
  X(kControlValue, "control-value", false,                                                         \
    "a value does not fit into the bits of the control register")                                  \
  X(kAtomicDtype, "atomic-dtype", false, "a copy's element type is not the atomic mode's")         \
  X(kUbOverflow, "ub-overflow", true, "the buffers of a pipe need more UB than there is")          \
  X(kTensorFreed, "tensor-not-owned", false, "a tensor is used while its queue owns the buffer")   \
  /* parameters of a call */                                                                       \
  X(kOverlap, "operand-overlap", false, "source and destination overlap in a way the API forbids") \
  X(kPosition, "operand-position", false, "an operand's TPosition is not one that the API takes")  \
  X(kUbAlign, "ub-alignment", false, "an operand does not start where its API demands")            \
  X(kCopyLength, "copy-length", false, "a transfer's length is not what its API can move")         \
  X(kCopyLimit, "copy-limit", false,                                                               \
    "a transfer's block count, length or padding is out of range")                                 \
  X(kRepeatLimit, "repeat-limit", false, "the repeat count is out of range")                       \
  X(kMaskLimit, "mask-limit", false, "the mask names no lane, or lanes that do not exist")         \
  X(kRoundMode, "round-mode", false, "Cast has no such rounding between these types")              \
  X(kSelectMode, "select-mode", false, "the call has no such mode for these operands")             \
  X(kStrideLimit, "stride-limit", false, "a stride is out of range")                               \
  X(kBroadcastShape, "broadcast-shape", false, "Broadcast does not take these shapes")             \
  X(kFillLate, "fill-after-init-buffer", false, "Fill is called after InitBuffer")                 \
  X(kApiMissing, "api-missing", true, "this architecture does not have the call")                  \
  /* queues */                                                                                     \
  X(kQueueNoFree, "queue-no-free-buffer", true,                                                    \
    "AllocTensor would wait for ever: no buffer is free")                                          \
  X(kQueueEmpty, "queue-empty", true, "DeQue would wait for ever: nothing was enqueued")           \
  X(kQueueDepth, "queue-depth", false, "more tensors are enqueued than the queue's depth")         \
  X(kQueueState, "queue-state", false, "a tensor is handed to a queue in the wrong state")         \
  X(kQueueLeak, "queue-leak", false, "a tensor was never given back with FreeTensor")              \
  X(kBufferCount, "buffer-count", false, "a pipe or a queue has more buffers than event ids")      \
  /* order */                                                                                      \
  X(kRacePipes, "race-between-pipes", false,                                                       \
    "two pipes touch the same bytes and nothing orders them")                                      \
  X(kRaceInPipe, "race-within-pipe", false,                                                        \
    "an instruction depends on one of its pipe without a barrier")                                 \
  X(kRaceCores, "race-between-cores", false,                                                       \
    "two cores touch the same GM bytes and nothing orders them")                                   \
  X(kRaceInFunction, "race-within-vector-function", false,                                         \
    "a vector function depends on its own loads and stores without LocalMemBar")                   \
  /* registers */                                                                                  \
  X(kVectorFunction, "vector-function", true,                                                      \
    "a call stands on the wrong side of a vector function's border")                               \
  X(kRegUndefined, "register-undefined", false, "a register is used that holds nothing defined")   \
  X(kMaskType, "mask-type", false, "a mask was made for elements of another width")                \
  X(kUnaligned, "unaligned-register", false,                                                       \
    "an unaligned register was not prepared, or not stored at the end")                            \
  /* flags and cores */                                                                            \
  X(kFlagNotSet, "flag-not-set", true, "WaitFlag would wait for ever: the flag was never set")     \
  X(kFlagSetTwice, "flag-set-twice", false, "a flag is set again before it was waited for")        \
  X(kFlagLeftSet, "flag-left-set", false, "a flag is still set at the end of the kernel")          \
  X(kFlagId, "flag-id", true, "an event id does not exist on this chip or is reserved")            \
  X(kSyncAllMissing, "sync-all-missing", true,                                                     \
    "some cores wait in SyncAll, the others have ended")                                           \
  X(kSyncWorkspace, "sync-workspace", false,                                                       \
    "a soft SyncAll finds a workspace that is too small or not zero")                              \
  X(kCrossFlagNever, "cross-flag-never-set", true, "CrossCoreWaitFlag would wait for ever")        \
  X(kCrossFlagLeft, "cross-flag-left-set", false,                                                  \
    "a flag between cores was set and never waited for")                                           \
  X(kCrossFlagId, "cross-flag-id", true, "a flag id between cores does not exist")                 \
  X(kSyncAllKernelType, "sync-all-kernel-type", false, "a hard SyncAll needs the mix kernel type") \
  /* launch */                                                                                     \
  X(kTilingKey, "tiling-key-without-kernel", false,                                                \
    "no branch of the kernel names the tiling key")                                                \
  X(kTilingSize, "tiling-size", true, "host and kernel disagree on the size of the tiling data")

enum class Rule {
#define NORMGRAD_RULE(name, id, fatal, sentence) name,
  NORMGRAD_RULES(NORMGRAD_RULE)
#undef NORMGRAD_RULE
};

struct RuleFacts {
  const char* id;
  bool fatal;
  const char* sentence;
};

const RuleFacts& FactsOf(Rule rule);

}  // namespace normgrad::twin

#endif  // NORMGRAD_TWIN_RULES_RULES_H_
