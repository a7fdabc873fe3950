/** For how much longer than a request may last what it may cost is reserved: for its settlement. */
const settlementMs = 60_000

/** @returns how long a hold lasts, ms: longer than any request may */
export const holdMsOf = (longestRequestMs: number): number => longestRequestMs + settlementMs
