// acl: streams and events.
#include <memory>
#include <string>

#include "acl/acl.h"
#include "twin/acl/errors.h"
#include "twin/acl/runtime.h"

using normgrad::Answer;
using normgrad::Refuse;
using normgrad::acl::Context;
using normgrad::acl::Event;
using normgrad::acl::Fail;
using normgrad::acl::Report;
using normgrad::acl::Runtime;
using normgrad::acl::Stream;
using normgrad::acl::Task;

namespace {

aclError CreateStream(const char* call, aclrtStream* stream) {
  if (stream == nullptr) {
    return Fail(ACL_ERROR_INVALID_PARAM, std::string(call) + " was given a null stream");
  }
  std::shared_ptr<Context> context;
  const Answer answer = Runtime::Get().Current(call, &context);
  if (!answer.ok()) return Report(answer);
  *stream = Runtime::Get().streams.Add(std::make_shared<Stream>(context.get()));
  return ACL_SUCCESS;
}

Answer FindEvent(const char* call, aclrtEvent handle, std::shared_ptr<Event>* event) {
  std::string why;
  *event = Runtime::Get().events.Find(handle, &why);
  return *event != nullptr ? Answer{}
                           : Refuse(ACL_ERROR_RT_INVALID_HANDLE, std::string(call) + ": " + why);
}

Answer NotRecorded(const char* call) {
  return Refuse(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID,
                std::string(call) + " of an event that was never recorded: call aclrtRecordEvent");
}

}  // namespace

extern "C" {

aclError aclrtCreateStream(aclrtStream* stream) {
  return CreateStream("aclrtCreateStream", stream);
}

aclError aclrtCreateStreamWithConfig(aclrtStream* stream, uint32_t /*priority*/,
                                     uint32_t /*flag*/) {
  return CreateStream("aclrtCreateStreamWithConfig", stream);
}

aclError aclrtDestroyStream(aclrtStream stream) {
  std::shared_ptr<Context> context;
  Answer answer = Runtime::Get().Current("aclrtDestroyStream", &context);
  if (!answer.ok()) return Report(answer);
  std::string why;
  const std::shared_ptr<Stream> gone = Runtime::Get().streams.Remove(stream, &why);
  if (gone == nullptr) return Fail(ACL_ERROR_RT_INVALID_HANDLE, "aclrtDestroyStream: " + why);
  answer = gone->Synchronize(-1);
  gone->End();
  return Report(answer);
}

aclError aclrtDestroyStreamForce(aclrtStream stream) { return aclrtDestroyStream(stream); }

aclError aclrtSynchronizeStream(aclrtStream stream) {
  return aclrtSynchronizeStreamWithTimeout(stream, -1);
}

aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout) {
  std::shared_ptr<Stream> found;
  Answer answer = Runtime::Get().FindStream("aclrtSynchronizeStream", stream, &found);
  if (answer.ok()) answer = found->Synchronize(timeout);
  return Report(answer);
}

aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus* status) {
  if (status == nullptr) {
    return Fail(ACL_ERROR_INVALID_PARAM, "aclrtStreamQuery was given a null status");
  }
  std::shared_ptr<Stream> found;
  const Answer answer = Runtime::Get().FindStream("aclrtStreamQuery", stream, &found);
  if (answer.ok()) {
    *status = found->idle() ? ACL_STREAM_STATUS_COMPLETE : ACL_STREAM_STATUS_NOT_READY;
  }
  return Report(answer);
}

// What is waited for is the record that was the last one at this time.
aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event) {
  std::shared_ptr<Event> found;
  std::shared_ptr<Stream> waits;
  Answer answer = FindEvent("aclrtStreamWaitEvent", event, &found);
  if (answer.ok()) answer = Runtime::Get().FindStream("aclrtStreamWaitEvent", stream, &waits);
  if (!answer.ok()) return Report(answer);
  const std::shared_ptr<Event::Mark> mark = found->mark();
  if (mark == nullptr) return ACL_SUCCESS;
  waits->Enqueue(Task{[mark] {
                        mark->Wait(-1);
                        return Answer{};
                      },
                      {},
                      true});
  return ACL_SUCCESS;
}

aclError aclrtCreateEvent(aclrtEvent* event) { return aclrtCreateEventWithFlag(event, 0); }

aclError aclrtCreateEventWithFlag(aclrtEvent* event, uint32_t /*flag*/) {
  if (event == nullptr) {
    return Fail(ACL_ERROR_INVALID_PARAM, "aclrtCreateEvent was given a null event");
  }
  *event = Runtime::Get().events.Add(std::make_shared<Event>());
  return ACL_SUCCESS;
}

aclError aclrtCreateEventExWithFlag(aclrtEvent* event, uint32_t flag) {
  return aclrtCreateEventWithFlag(event, flag);
}

aclError aclrtDestroyEvent(aclrtEvent event) {
  std::string why;
  if (Runtime::Get().events.Remove(event, &why) != nullptr) return ACL_SUCCESS;
  return Fail(ACL_ERROR_RT_INVALID_HANDLE, "aclrtDestroyEvent: " + why);
}

aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream) {
  std::shared_ptr<Event> found;
  std::shared_ptr<Stream> records;
  Answer answer = FindEvent("aclrtRecordEvent", event, &found);
  if (answer.ok()) answer = Runtime::Get().FindStream("aclrtRecordEvent", stream, &records);
  if (!answer.ok()) return Report(answer);
  const std::shared_ptr<Event::Mark> mark = found->Renew();
  records->Enqueue(Task{[mark] {
                          mark->Reach();
                          return Answer{};
                        },
                        {},
                        true});
  return ACL_SUCCESS;
}

aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream) {
  std::shared_ptr<Event> found;
  std::shared_ptr<Stream> resets;
  Answer answer = FindEvent("aclrtResetEvent", event, &found);
  if (answer.ok()) answer = Runtime::Get().FindStream("aclrtResetEvent", stream, &resets);
  if (answer.ok()) {
    resets->Enqueue(Task{[found] {
                           found->Reset();
                           return Answer{};
                         },
                         {},
                         true});
  }
  return Report(answer);
}

aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus* status) {
  if (status == nullptr) {
    return Fail(ACL_ERROR_INVALID_PARAM, "aclrtQueryEventStatus was given a null status");
  }
  std::shared_ptr<Event> found;
  const Answer answer = FindEvent("aclrtQueryEventStatus", event, &found);
  if (answer.ok()) {
    const std::shared_ptr<Event::Mark> mark = found->mark();
    *status = mark == nullptr || mark->Reached() ? ACL_EVENT_RECORDED_STATUS_COMPLETE
                                                 : ACL_EVENT_RECORDED_STATUS_NOT_READY;
  }
  return Report(answer);
}

aclError aclrtSynchronizeEvent(aclrtEvent event) {
  return aclrtSynchronizeEventWithTimeout(event, -1);
}

aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout) {
  std::shared_ptr<Event> found;
  const Answer answer = FindEvent("aclrtSynchronizeEvent", event, &found);
  if (!answer.ok()) return Report(answer);
  const std::shared_ptr<Event::Mark> mark = found->mark();
  if (mark == nullptr) return Report(NotRecorded("aclrtSynchronizeEvent"));
  if (mark->Wait(timeout)) return ACL_SUCCESS;
  return Fail(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, "the event was not reached within " +
                                                   std::to_string(timeout) +
                                                   " ms: allow more, the twin is slower than a "
                                                   "chip");
}

// Time of this computer, not modelled time.
aclError aclrtEventElapsedTime(float* ms, aclrtEvent startEvent, aclrtEvent endEvent) {
  if (ms == nullptr) {
    return Fail(ACL_ERROR_INVALID_PARAM, "aclrtEventElapsedTime was given a null ms");
  }
  std::shared_ptr<Event> start;
  std::shared_ptr<Event> end;
  Answer answer = FindEvent("aclrtEventElapsedTime", startEvent, &start);
  if (answer.ok()) answer = FindEvent("aclrtEventElapsedTime", endEvent, &end);
  if (!answer.ok()) return Report(answer);
  const std::shared_ptr<Event::Mark> from = start->mark();
  const std::shared_ptr<Event::Mark> to = end->mark();
  if (from == nullptr || to == nullptr || !from->Reached() || !to->Reached()) {
    return Report(NotRecorded("aclrtEventElapsedTime"));
  }
  const std::chrono::duration<float, std::milli> between = to->when - from->when;
  *ms = between.count();
  if (*ms >= 0) return ACL_SUCCESS;
  return Fail(ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL,
              "aclrtEventElapsedTime: the end was recorded before the start; exchange them");
}

}  // extern "C"
