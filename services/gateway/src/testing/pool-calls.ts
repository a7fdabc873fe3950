import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createServer as createSecureServer } from 'node:tls'
import { fileURLToPath } from 'node:url'
import type {
  AnswerHandler,
  CallController,
  CallError,
  CallTimeouts,
  UpstreamPool,
  UpstreamPoolOptions
} from '../upstreams/upstream-pool.ts'

const pem = readFileSync(fileURLToPath(new URL('./localhost.pem', import.meta.url)))
/** Longer than a test lasts. */
export const patient: CallTimeouts = { connect: 5000, firstByte: 5000, betweenChunks: 5000 }
/** The bytes of an answer with this body. */
export const json = (body: string, fields = '') =>
  `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n${fields}\r\n${body}`

/** A received request, and its connection. */
export interface Request {
  text: string
  socket: Socket
  connection: number
}

export interface PoolTestOptions {
  timeouts?: Partial<CallTimeouts>
  secure?: boolean
  /** Whether the pool trusts the certificate of a secure server. */
  trusted?: boolean
  restMs?: number
}

/** Starts a server that calls `answer` for each whole request, and a pool for it. Both close with the test. */
export async function startPool<Pool extends UpstreamPool>(
  t: Tap,
  open: (options: UpstreamPoolOptions) => Pool,
  answer: (request: Request) => void,
  options: PoolTestOptions = {}
) {
  const { timeouts, secure = false, trusted = true, restMs = 0 } = options
  const sockets: Socket[] = []
  const onConnection = (socket: Socket) => {
    const connection = sockets.push(socket) - 1
    let text = ''
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      const head = text.indexOf('\r\n\r\n') + 4
      if (head < 4 || text.length < head + Number(/content-length: (\d+)/.exec(text)![1])) return
      const whole = text
      text = ''
      answer({ text: whole, socket, connection })
    })
  }
  const server: Server = secure ? createSecureServer({ key: pem, cert: pem }, onConnection) : createServer(onConnection)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const pool = open({
    url: new URL(`${secure ? 'https://localhost' : 'http://127.0.0.1'}:${port}/v1/`),
    headers: { authorization: 'Bearer s3cret' },
    timeouts: { ...patient, ...timeouts },
    ca: secure && trusted ? pem.toString() : undefined,
    restMs
  })
  t.teardown(async () => {
    await pool.destroy()
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { pool, sockets, server }
}
interface Tap {
  teardown(run: () => Promise<void>): void
}

export interface Told {
  status: number
  body: string
  error: CallError | null
  controller: CallController
}

/** Makes a call. @returns the result of its handler's events. Throws if an event follows the last one. */
export async function call(
  pool: UpstreamPool,
  body: string | Buffer = '{}',
  hooks: { onStart?: (controller: CallController) => void; onData?: (controller: CallController) => void } = {}
): Promise<Told> {
  let ends = 0
  let started: CallController | null = null
  const told = { status: 0, body: '', error: null } as unknown as Told
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const handler: AnswerHandler = {
    onRequestStart(controller) {
      told.controller = started = controller
      hooks.onStart?.(controller)
    },
    onResponseStart(controller, status) {
      if (controller !== started || ends > 0) reject(new Error('the answer started after its end, or for another call'))
      told.status = status
    },
    onResponseData(controller, bytes) {
      if (ends > 0) reject(new Error('bytes arrived after the end'))
      told.body += bytes.toString('latin1')
      hooks.onData?.(controller)
    },
    onResponseEnd() {
      if (++ends > 1) reject(new Error('the answer ended twice'))
      resolve()
    },
    onResponseError(controller, error) {
      if (++ends > 1 || controller !== started) reject(new Error('an error followed the end, or was for another call'))
      told.error = error as CallError
      resolve()
    }
  }
  pool.dispatch(
    { path: '/chat/completions', requestId: 'req_7', trace: null, fields: [], body: Buffer.from(body) },
    handler
  )
  await promise
  await new Promise(setImmediate)
  return told
}
