import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { testsAll } from '@tollgate/sandbox/property-runs.ts'
import t from 'tap'
import type { CallTimeouts } from '../upstream-pool.ts'
import { Http1Pool } from './http1-pool.ts'

const timeouts: CallTimeouts = { connect: 5000, firstByte: 5000, betweenChunks: 5000 }
const answerOf = (body: string) => `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`

/** How long after its answer an upstream sends a second, unexpected answer; a number is milliseconds. */
type Delay = 'in the same packet' | 'a turn later' | number

/** Starts an upstream that answers each request with its body, and then sends a second answer. */
async function startFaultyUpstream(delay: Delay) {
  const open = new Set<Socket>()
  let unexpected = 0
  const server = createServer((socket) => {
    open.add(socket)
    socket.on('error', () => {})
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      const head = text.indexOf('\r\n\r\n') + 4
      if (head < 4 || text.length < head + Number(/content-length: (\d+)/.exec(text)![1])) return
      const body = text.slice(head)
      text = ''
      const second = answerOf(`unexpected ${body}`)
      if (delay === 'in the same packet') {
        unexpected++
        socket.write(answerOf(body) + second)
        return
      }
      socket.write(answerOf(body))
      const send = () => {
        if (socket.destroyed) return
        unexpected++
        socket.write(second)
      }
      if (delay === 'a turn later') setImmediate(send)
      else void setTimeout(delay).then(send)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    unexpectedAnswers: () => unexpected,
    close() {
      for (const socket of open) socket.destroy()
      server.close()
    }
  }
}

/** Far longer than the delays, because this process may be late. */
const restMs = 300

/** Requests with a pause let connections rest for longer than the longest delay. */
const requests = testsAll ? 720 : 180
const cases: ReadonlyArray<{ delay: Delay; requests: number; pauseMs: number }> = [
  { delay: 'in the same packet', requests, pauseMs: 0 },
  { delay: 'a turn later', requests, pauseMs: 0 },
  { delay: 1, requests, pauseMs: 0 },
  { delay: 5, requests: 90, pauseMs: 120 }
]

for (const { delay, requests, pauseMs } of cases) {
  t.test(
    `an answer that arrives on an idle connection reaches no client: ${typeof delay === 'number' ? `sent after ${delay} ms` : `sent ${delay}`}`,
    async () => {
      const upstream = await startFaultyUpstream(delay)
      const pool = new Http1Pool({ url: upstream.url, headers: {}, timeouts, restMs })
      let calls = 0
      let crossed = 0
      const call = (body: string) =>
        new Promise<string>((resolve, reject) => {
          let received = ''
          pool.dispatch(
            { path: '/', requestId: 'req_1', trace: null, fields: [], body: Buffer.from(body) },
            {
              onRequestStart() {},
              onResponseStart() {},
              onResponseData(_, bytes) {
                received += bytes.toString('latin1')
              },
              onResponseEnd: () => resolve(received),
              onResponseError: (_, error) => reject(error)
            }
          )
        })
      const clients = Array.from({ length: 12 }, async () => {
        while (calls < requests) {
          const body = `request ${++calls}`
          if ((await call(body)) !== body) crossed++
          if (pauseMs > 0) await setTimeout(pauseMs)
        }
      })
      await Promise.all(clients)
      assert.equal(crossed, 0)
      assert.ok(upstream.unexpectedAnswers() > requests / 2)
      await pool.destroy()
      upstream.close()
    }
  )
}
