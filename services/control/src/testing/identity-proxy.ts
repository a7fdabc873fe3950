import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What happens to a request: it passes, gets 500, or gets no answer. */
export type Fate = 'pass' | 'fail' | 'hang'

/** A proxy between control and the identity server. It can fail requests, and records them. */
export interface IdentityProxy {
  readonly url: string
  /** The address behind the proxy: `control.identity.url`, known once control has started. */
  target: string
  /** Decides about each request; `call` is for instance `POST /token`. */
  before(call: string): Fate
  /** Awaited before each answer is passed on. */
  after(call: string): Promise<void>
  /** All calls since the start, in order. */
  readonly calls: string[]
  close(): Promise<void>
}

export async function startIdentityProxy(): Promise<IdentityProxy> {
  const server = createServer((request, response) => {
    // The server is closing, so it is unavailable for control.
    pass(request, response).catch(() => response.destroy())
  })

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const call = `${request.method} ${request.url!.replace(/^\/auth\/v1/, '').replace(/\?.*/, '')}`
    proxy.calls.push(call)
    const fate = proxy.before(call)
    if (fate === 'hang') return
    if (fate === 'fail') return void response.writeHead(500, { 'content-type': 'application/json' }).end('{}')
    const { host: _host, connection: _connection, 'content-length': _length, ...headers } = request.headers
    const answer = await fetch(proxy.target + request.url, {
      method: request.method,
      redirect: 'manual',
      headers: headers as Record<string, string>,
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) })
    })
    const body = Buffer.from(await answer.arrayBuffer())
    await proxy.after(call)
    const {
      'content-length': _old,
      'transfer-encoding': _te,
      connection: _c,
      ...passed
    } = Object.fromEntries(answer.headers)
    response.writeHead(answer.status, passed).end(body)
  }
  // PGlite may stop this process for longer than the usual 5 s: a connection that ended meanwhile would fail control's next call.
  server.keepAliveTimeout = 600_000
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const proxy: IdentityProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    target: '',
    before: () => 'pass',
    after: async () => {},
    calls: [],
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    }
  }
  return proxy
}
