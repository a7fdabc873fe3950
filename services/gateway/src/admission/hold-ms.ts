/** Time for the settlement after the longest request, ms. */
const settlementMs = 60_000

/** @returns how long a hold lasts, ms: longer than any request */
export const holdMsOf = (maxRequestMs: number): number => maxRequestMs + settlementMs
