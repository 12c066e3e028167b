"""What PyTorch's programs in this folder need: a fast BLAS. Debian's python3-torch alone brings the reference BLAS, with about
1.5 GFLOP/s: a step that takes half a minute then takes more than ten."""
import sys
import time


def require_fast_blas(torch, threads):
    """Returns the rate of a product of square matrices in FLOP/s; ends the program if the BLAS is the reference."""
    n = 1024
    a, b = torch.randn(n, n), torch.randn(n, n)
    seconds = []
    for _ in range(4):
        begin = time.perf_counter()
        a @ b
        seconds.append(time.perf_counter() - begin)
    rate = 2 * n**3 / min(seconds)
    if rate < 10e9 * threads:
        sys.exit(f"expected a fast BLAS, found {rate / 1e9:.1f} GFLOP/s in a matrix product: install libopenblas0-openmp")
    return rate
