#ifndef MEGASCALE_KERNELS_HOST_DEVICE_H_
#define MEGASCALE_KERNELS_HOST_DEVICE_H_

// Marks a function of a header that the kernels of the CPU and those of CUDA devices both call. A function that is a
// constant expression needs no mark. Functions that call <cmath> are none in C++20, so they need it.
#ifdef __CUDACC__
#define MEGASCALE_HOST_DEVICE __host__ __device__
#else
#define MEGASCALE_HOST_DEVICE
#endif

#endif  // MEGASCALE_KERNELS_HOST_DEVICE_H_
