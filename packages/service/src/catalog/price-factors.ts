/** An exact factor: a decimal number as a fraction. */
export interface Fraction {
  numerator: bigint
  denominator: bigint
}

/** The factors of the prompt's and the output's prices. */
export interface Factor {
  input: Fraction
  output: Fraction
}

/** @param times of all prices, or of each side */
export function toFactor(times: number | { input?: number; output?: number }): Factor {
  if (typeof times === 'number') return { input: toFraction(times), output: toFraction(times) }
  return { input: toFraction(times.input ?? 1), output: toFraction(times.output ?? 1) }
}

/** The fraction that a decimal number is written as: 1.1 is 11/10, and not the nearest binary number. */
function toFraction(decimal: number): Fraction {
  const [, whole = '', decimals = '', exponent = '0'] = /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(decimal))!
  const power = Number(exponent) - decimals.length
  const digits = BigInt(whole + decimals)
  return power < 0
    ? { numerator: digits, denominator: 10n ** BigInt(-power) }
    : { numerator: digits * 10n ** BigInt(power), denominator: 1n }
}

/** Multiplies a price with factors, and rounds the product up to whole picodollars. */
export function multiplyUp(picos: number, factors: readonly Fraction[]): number {
  let [numerator, denominator] = [BigInt(picos), 1n]
  for (const factor of factors) {
    numerator *= factor.numerator
    denominator *= factor.denominator
  }
  return Number((numerator + denominator - 1n) / denominator)
}
