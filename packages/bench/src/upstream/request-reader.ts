import { type BenchApi, benchPaths } from '../load/requests.ts'

const apis = Object.keys(benchPaths) as BenchApi[]

/** The parts of a request that the upstream reads. */
export interface ReceivedRequest {
  api: BenchApi
  isStream: boolean
  includesUsage: boolean
}

/**
 * Splits the bytes of one connection into requests. It searches the body for two members instead of parsing it, because the
 * bench writes the bodies itself, without spaces.
 */
export class RequestReader {
  #pending: Buffer = Buffer.alloc(0)

  /**
   * Takes the next bytes.
   *
   * @returns the requests that are complete now, usually one
   * @throws on a body without `Content-Length`
   */
  push(bytes: Buffer): ReceivedRequest[] {
    let rest = this.#pending.length === 0 ? bytes : Buffer.concat([this.#pending, bytes])
    const requests: ReceivedRequest[] = []
    while (rest.length > 0) {
      const headEnd = rest.indexOf('\r\n\r\n', 0, 'latin1')
      if (headEnd === -1) break
      const length = /\r\ncontent-length: *(\d+)/i.exec(rest.toString('latin1', 0, headEnd))?.[1]
      if (length === undefined) throw new Error('a request without Content-Length')
      const end = headEnd + 4 + Number(length)
      if (rest.length < end) break
      const body = rest.toString('latin1', headEnd + 4, end)
      const line = rest.toString('latin1', 0, rest.indexOf('\r\n', 0, 'latin1'))
      requests.push({
        api: apis.find((api) => line.includes(benchPaths[api])) ?? 'chat',
        isStream: body.includes('"stream":true'),
        includesUsage: body.includes('"include_usage":true')
      })
      rest = rest.subarray(end)
    }
    this.#pending = rest
    return requests
  }
}
