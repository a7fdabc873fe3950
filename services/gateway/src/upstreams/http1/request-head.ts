/** Whose requests these are, and what each of them carries. */
export type RequestFields = {
  /** As the `host` field has it. */
  readonly host: string
  /** What precedes an endpoint's path: `/v1`. */
  readonly pathPrefix: string
  /** What follows an endpoint's path: `?api-version=2024-10-21`, or nothing. May hold a key: never log it. */
  readonly query: string
  /** Names and values, alternating. Hold the credential. */
  readonly headers: readonly string[]
}

/** What a path and a field may have; above all, no end of a line. */
const safe = /^[\t\x20-\x7e]*$/

/** The heads of the requests to one upstream: what is the same in all of an endpoint is put together once. */
export class RequestHeads {
  readonly #fields: RequestFields
  readonly #beginnings = new Map<string, string>()

  constructor(fields: RequestFields) {
    this.#fields = fields
  }

  /** @throws Error if the upstream's fields or the path could not stand in a head */
  of(path: string, requestId: string, bodyBytes: number): string {
    const beginning = this.#beginnings.get(path) ?? this.#prepare(path)
    return `${beginning}${requestId}\r\ncontent-length: ${bodyBytes}\r\n\r\n`
  }

  #prepare(path: string): string {
    const { host, pathPrefix, query, headers } = this.#fields
    const lines = [`POST ${pathPrefix}${path}${query} HTTP/1.1`, `host: ${host}`, 'connection: keep-alive']
    for (let at = 0; at < headers.length; at += 2) lines.push(`${headers[at]}: ${headers[at + 1]}`)
    // Not said which: it may be the credential.
    if (!lines.every((line) => safe.test(line))) throw new Error('a field of the request could end its line')
    const beginning = `${lines.join('\r\n')}\r\nx-request-id: `
    this.#beginnings.set(path, beginning)
    return beginning
  }
}
