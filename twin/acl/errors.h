// What a failed call leaves behind: a code for the program and one sentence for its author.
#ifndef NORMGRAD_TWIN_ACL_ERRORS_H_
#define NORMGRAD_TWIN_ACL_ERRORS_H_

#include <string>

#include "acl/acl_base.h"
#include "tiling/answer.h"

namespace normgrad::acl {

// Keeps the sentence for this thread's aclGetRecentErrMsg and returns the code.
aclError Fail(aclError code, const std::string& sentence);

inline aclError Report(const Answer& answer) {
  return answer.ok() ? ACL_SUCCESS : Fail(answer.code, answer.sentence);
}

// The thread's last sentence, which is forgotten; valid until the next call on this thread.
const char* TakeRecent();

}  // namespace normgrad::acl

#endif  // NORMGRAD_TWIN_ACL_ERRORS_H_
