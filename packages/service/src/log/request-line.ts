/** What the request lines of both services share. */

/** Characters of a client's address in a line. A trusted proxy may send any text. */
export const maxAddressLength = 64

/** Rounds to a tenth of a millisecond. */
export const roundMs = (ms: number): number => Math.round(ms * 10) / 10
