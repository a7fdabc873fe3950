import { once } from 'node:events'
import { request } from 'node:http'

export interface BalancedAnswer {
  readonly status: number
  readonly text: string
}

export interface BalancedRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

const timeoutMs = 60_000

/**
 * Sends a request to the next server if one cannot be reached, breaks off before it answers, or answers 503. Each request has
 * its own connection.
 *
 * @param from the server to begin with
 * @returns the answer of the last server that answered
 * @throws Error if none answered, or if an answer broke off
 */
export async function balancedFetch(
  servers: readonly string[],
  from: number,
  wanted: BalancedRequest
): Promise<BalancedAnswer> {
  let last: BalancedAnswer | null = null
  let failure: unknown = null
  for (let tried = 0; tried < servers.length; tried++) {
    const response = await begin(servers[(from + tried) % servers.length]!, wanted).catch((error) => {
      failure = error
      return null
    })
    if (response === null) continue
    let text = ''
    response.setEncoding('utf8')
    for await (const part of response) text += part
    last = { status: response.statusCode ?? 0, text }
    if (last.status !== 503) return last
  }
  if (last === null) throw failure
  return last
}

async function begin(server: string, { method, path, headers, body }: BalancedRequest) {
  const sent = request(new URL(path, server), { method, headers, agent: false, timeout: timeoutMs })
  sent.on('timeout', () => sent.destroy(new Error(`no answer within ${timeoutMs} ms`)))
  sent.end(body)
  const [response] = (await once(sent, 'response')) as [import('node:http').IncomingMessage]
  return response
}
