/**
 * About the cheapest correct proxy in Node: undici's `dispatch` with one handler per request, on a bare `node:http`
 * server. It parses nothing. It shows how much of the bare proxy's cost comes from Fastify and `undici.request()`.
 *
 * Arguments: port to listen on, port of the upstream.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type Dispatcher, Pool } from 'undici'
import { portArguments } from './program.ts'

const { port, upstreamPort } = portArguments()
const upstream = new Pool(`http://127.0.0.1:${upstreamPort}`)
const headers = ['content-type', 'application/json', 'authorization', 'Bearer the-upstreams-key']

class Relay implements Dispatcher.DispatchHandler {
  readonly #response: ServerResponse
  #controller: Dispatcher.DispatchController | null = null

  constructor(response: ServerResponse) {
    this.#response = response
    response.on('close', () => {
      if (!response.writableFinished) this.#controller?.abort(new Error('the client has left'))
    })
    response.on('drain', () => this.#controller?.resume())
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#response.destroyed) controller.abort(new Error('the client has left'))
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, answer: Record<string, unknown>): void {
    const head: Record<string, string> = { 'content-type': String(answer['content-type']) }
    if (answer['content-length'] !== undefined) head['content-length'] = String(answer['content-length'])
    this.#response.writeHead(status, head)
  }

  onResponseData(controller: Dispatcher.DispatchController, bytes: Buffer): void {
    if (!this.#response.write(bytes)) controller.pause()
  }

  onResponseEnd(): void {
    this.#response.end()
  }

  onResponseError(): void {
    if (this.#response.headersSent) this.#response.destroy()
    else this.#response.writeHead(502).end()
  }
}

async function relay(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part)
  upstream.dispatch(
    { method: 'POST', path: '/v1/chat/completions', headers, body: Buffer.concat(parts) },
    new Relay(response)
  )
}

const server = createServer((request, response) => {
  relay(request, response).catch(() => response.destroy()) // The client left within its request.
})

server.listen({ host: '127.0.0.1', port, backlog: 4096 })
