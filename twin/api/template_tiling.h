// Kernels whose entry is a template over tiling choices list the choices in macros. CANN's build
// reads them in a pass of its own, and makes one kernel of each; to the compiler they are nothing.
#ifndef NORMGRAD_TWIN_API_TEMPLATE_TILING_H_
#define NORMGRAD_TWIN_API_TEMPLATE_TILING_H_

#define ASCENDC_TPL_ARGS_DECL(...)
#define ASCENDC_TPL_ARGS_SEL(...)
#define ASCENDC_TPL_SEL(...)

#endif  // NORMGRAD_TWIN_API_TEMPLATE_TILING_H_
