/// log, exp, pow and the normal quantile from + - * / and bit moves only: the same bits on every
/// machine. The C library's differ between CPUs by one unit in the last place (FMA selection).
#pragma once

namespace partsim {

/// Natural logarithm, x > 0 and finite. Within 2 ulp.
[[nodiscard]] double det_log(double x) noexcept;
/// e to the x, for x in [-700, 700]. Within 2 ulp.
[[nodiscard]] double det_exp(double x) noexcept;
/// x to the y, for x > 0, |y log x| <= 700. Relative error below 1e-13.
[[nodiscard]] double det_pow(double x, double y) noexcept;
/// log(1+x) / x, continuous through 0, for x > -1. Relative error below 1e-15.
[[nodiscard]] double det_log1p_over_x(double x) noexcept;
/// (exp(x)-1) / x, continuous through 0, for |x| <= 700. Relative error below 2e-15.
[[nodiscard]] double det_expm1_over_x(double x) noexcept;
/// Inverse of the standard normal distribution function, p in (0, 1); absolute error below 1e-9.
[[nodiscard]] double normal_quantile(double p) noexcept;

}  // namespace partsim
