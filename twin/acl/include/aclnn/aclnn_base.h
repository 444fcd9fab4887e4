/* What a client of aclnn functions includes beside their own headers. */
#ifndef NORMGRAD_TWIN_ACL_ACLNN_BASE_H_
#define NORMGRAD_TWIN_ACL_ACLNN_BASE_H_

#include "aclnn/acl_meta.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnInit(const char* configPath);
ACL_FUNC_VISIBILITY aclnnStatus aclnnFinalize(void);

#ifdef __cplusplus
}
#endif

#endif /* NORMGRAD_TWIN_ACL_ACLNN_BASE_H_ */
