import assert from 'node:assert/strict'
import { Agent, type Dispatcher, request } from 'undici'

/** An answer with status and headers. Its body may still be on its way. */
export interface SoakAnswer {
  status: number
  requestId: string
  body: Dispatcher.ResponseData['body']
}

/** The connections and the key that all clients of a soak share. */
export class SoakClient {
  readonly #url: string
  readonly #apiKey: string
  readonly #agent = new Agent({ connections: null, pipelining: 1 })

  constructor(url: string, apiKey: string) {
    this.#url = url
    this.#apiKey = apiKey
  }

  /**
   * Sends a request: a POST if it has a body. Every answer must have an `x-request-id`.
   *
   * @param body an object is sent as JSON, a string unchanged
   * @param options `address`: the client's address for `X-Forwarded-For`
   */
  async ask(
    path: string,
    body?: object | string,
    options: { apiKey?: string; address?: string; signal?: AbortSignal } = {}
  ): Promise<SoakAnswer> {
    const answer = await request(this.#url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        authorization: `Bearer ${options.apiKey ?? this.#apiKey}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(options.address === undefined ? {} : { 'x-forwarded-for': options.address })
      },
      body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
      dispatcher: this.#agent,
      ...(options.signal === undefined ? {} : { signal: options.signal })
    })
    const requestId = answer.headers['x-request-id']
    assert.match(String(requestId), /^req_/, 'x-request-id')
    return { status: answer.statusCode, requestId: String(requestId), body: answer.body }
  }

  /** Closes all connections. */
  async close(): Promise<void> {
    await this.#agent.destroy()
  }
}
