import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, request } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A provider that accepts several credentials at once, as Supabase, Stripe and model providers do. */
export interface CredentialProxy {
  readonly url: string
  /** Accepts one more credential, in place of this one of the server behind. */
  accept(credential: string, real: string): void
  /** Accepts it no more: requests get 401. */
  retire(credential: string): void
  /** How many requests carried the credential. */
  uses(credential: string): number
  close(): Promise<void>
}

/** Starts a proxy before a server on this machine that accepts only one credential of each kind. */
export async function startCredentialProxy(target: () => string): Promise<CredentialProxy> {
  const accepted = new Map<string, string>()
  const retired = new Set<string>()
  const uses = new Map<string, number>()
  const server = createServer((incoming, response) => {
    const credentials = credentialsIn(incoming.headers)
    for (const credential of credentials) uses.set(credential, (uses.get(credential) ?? 0) + 1)
    if (credentials.some((credential) => retired.has(credential))) {
      incoming.resume()
      response
        .writeHead(401, { 'content-type': 'application/json' })
        .end('{"error":{"message":"a retired credential"}}')
      return
    }
    const headers = { ...incoming.headers }
    for (const name of ['apikey', 'authorization'] as const) {
      const [, scheme = '', credential = ''] = /^(Bearer )?(.*)$/.exec(String(headers[name] ?? '')) ?? []
      const real = accepted.get(credential)
      if (real !== undefined) headers[name] = scheme + real
    }
    const sent = request(new URL(incoming.url ?? '/', target()), { method: incoming.method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    sent.on('error', () => response.destroy())
    response.on('close', () => sent.destroy())
    incoming.pipe(sent)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    accept: (credential, real) => void accepted.set(credential, real),
    retire: (credential) => void retired.add(credential),
    uses: (credential) => uses.get(credential) ?? 0,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    }
  }
}

const credentialsIn = ({ apikey, authorization }: IncomingHttpHeaders): string[] => [
  ...new Set(
    [apikey, authorization].flatMap((value) => (value === undefined ? [] : [String(value).replace(/^Bearer /, '')]))
  )
]
