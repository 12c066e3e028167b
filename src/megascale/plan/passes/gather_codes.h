#ifndef MEGASCALE_PLAN_PASSES_GATHER_CODES_H_
#define MEGASCALE_PLAN_PASSES_GATHER_CODES_H_

#include "megascale/graph/program.h"

// The pass that lets the ranks of a group, such as tensor ranks, gather 8-bit codes instead of rows that each
// of them would round.
namespace megascale::plan {

// Replaces an all_gather of bfloat16 rows whose result is only rounded (quantise_products.h) by
//   matrix_amax       the largest value of this rank's rows
//   all_gather        of these values, 4 bytes a rank
//   quantise          this rank's rows, with the scale of all of them
//   all_gather        of the codes: half of the bytes
//   transpose_codes   where a product reads the transpose, before the first such product
// Scale and codes are those of the gathered matrix, so the bits of a training do not change. Each rank
// rounds its own rows only, and keeps their codes for the backward in place of the rows.
//
// In layers with transfers to experts other work already runs beside these gathers (order_layers()), and
// computation would have to wait for the exchange of the largest values. These layers keep their gathers.
//
// Must run right behind quantise_products().
void gather_codes(graph::Program& program);

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_PASSES_GATHER_CODES_H_
