import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What becomes of a request: it passes, gets 500, or no answer at all. */
export type Fate = 'pass' | 'fail' | 'hang'

/** Stands between control and the identity server, to let it be away, or to look at what is asked of it. */
export type IdentityProxy = {
  readonly url: string
  /** Where requests go: `control.identity.url`, known once control has started. */
  target: string
  /** Decides on each request; `call` is for instance `POST /token`. */
  before(call: string): Fate
  /** Awaited before an answer is passed on. */
  after(call: string): Promise<void>
  /** Every call since the start, in order. */
  readonly calls: string[]
  close(): Promise<void>
}

export async function startIdentityProxy(): Promise<IdentityProxy> {
  const server = createServer((request, response) => {
    // A server that is closing: for control it is away.
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
