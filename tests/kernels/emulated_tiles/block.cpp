// The kernel of the matrix unit, compiled for the stand-in's tiles. It takes the place of the one in
// the library: the linker prefers what a program brings itself.
#include "kernels/emulated_tiles/tiles.h"

// The kernel comes after the header that replaces the instructions.
#include "megascale/kernels/cpu/matrix_unit/block.cpp"
