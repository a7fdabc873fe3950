/** How much longer than its request a hold lasts, ms: time for the settlement. */
const settlementMs = 60_000

/** @returns how long a hold lasts, ms: longer than any request */
export const holdMsOf = (longestRequestMs: number): number => longestRequestMs + settlementMs
