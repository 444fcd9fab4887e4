/* What a client of the acl interface includes. */
#ifndef NORMGRAD_TWIN_ACL_ACL_H_
#define NORMGRAD_TWIN_ACL_ACL_H_

#include "acl/acl_base.h"
#include "acl/acl_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclError aclInit(const char* configPath);
ACL_FUNC_VISIBILITY aclError aclFinalize(void);

/* The sentence of this thread's last failed call, "" if there is none; the next call of this
   function forgets it. */
ACL_FUNC_VISIBILITY const char* aclGetRecentErrMsg(void);

#ifdef __cplusplus
}
#endif

#endif /* NORMGRAD_TWIN_ACL_ACL_H_ */
