/** Decides whether a finished request gets a line in the log. @param code error code; null for success */
export type LogsRequest = (status: number, code: string | null) => boolean

/**
 * Logs every failure, and a share of the successful requests.
 *
 * @param share `LOG_REQUESTS`, from 0 to 1
 * @param random draws from [0, 1)
 */
export function sampleRequests(share: number, random: () => number = Math.random): LogsRequest {
  if (share >= 1) return () => true
  return (status, code) => status >= 400 || code !== null || random() < share
}
