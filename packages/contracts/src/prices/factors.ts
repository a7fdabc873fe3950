/** An exact factor: a decimal number as a fraction. */
export interface Fraction {
  readonly numerator: bigint
  readonly denominator: bigint
}

/** The fraction that a decimal number is written as: 1.1 is 11/10, and not the nearest binary number. */
export function toFraction(decimal: number): Fraction {
  const [, whole = '', decimals = '', exponent = '0'] = /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(decimal))!
  const power = Number(exponent) - decimals.length
  const digits = BigInt(whole + decimals)
  return power < 0
    ? { numerator: digits, denominator: 10n ** BigInt(-power) }
    : { numerator: digits * 10n ** BigInt(power), denominator: 1n }
}

/** Multiplies a price with factors, and rounds the product up to a whole number of its unit. */
export function multiplyUp(price: number, factors: readonly Fraction[]): number {
  let [numerator, denominator] = [BigInt(price), 1n]
  for (const factor of factors) {
    numerator *= factor.numerator
    denominator *= factor.denominator
  }
  return Number((numerator + denominator - 1n) / denominator)
}
