/** Ids of clients and proxies: UUIDs, ULIDs, trace ids. Needs no escapes in JSON. */
const plainId = /^[\w.:/+=@-]{1,128}$/

/**
 * Reads a client's own `x-request-id`, for the log only. Answers have our id.
 *
 * @param header the header's value
 * @returns null if it is absent, too long, or has unusual characters
 */
export function readClientRequestId(header: unknown): string | null {
  return typeof header === 'string' && plainId.test(header) ? header : null
}
