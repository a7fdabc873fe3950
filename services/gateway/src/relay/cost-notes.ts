import { formatNanos } from '@tollgate/contracts/money/usd.ts'

/** The header with the cost of a request: its name and value. */
export const costFields = (nanos: number): readonly string[] => ['x-tollgate-cost', formatNanos(nanos)]

/** The header of an answer that costs nothing. */
export const freeFields: readonly string[] = costFields(0)

/** The last line of a stream whose client asked for its cost: a comment, which clients of event streams skip (WHATWG HTML, 9.2.6). */
export const costComment = (nanos: number): string => `: x-tollgate-cost ${formatNanos(nanos)}\n\n`
