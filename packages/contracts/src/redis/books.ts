/** What an account has settled and reserved in a month, nanodollars. */
export type Spend = {
  /** yyyymm, UTC */
  month: number
  settled: number
  reserved: number
}

/** Reads the spend of an account or of a key from its field of the books: see scripts/parts/books.lua. */
export function readSpendField(packed: Buffer): Spend {
  const [month, settled, reserved] = [0, 1, 2].map((index) => packed.readDoubleLE(8 * index)) as [
    number,
    number,
    number
  ]
  return { month, settled, reserved }
}
