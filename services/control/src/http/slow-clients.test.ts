import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'tap'
import { startControl } from '../testing/start-control.ts'

const openTo = (url: string): Socket => connect(Number(new URL(url).port), '127.0.0.1').on('error', () => {})
const received = (socket: Socket): Promise<string> => text(socket.setEncoding('utf8'))
const slowPost =
  'POST /api/auth/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{'

test('clients that send slowly are refused in time', async (t) => {
  const control = await startControl({ arrival: { headersTimeoutMs: 200, requestTimeoutMs: 400 } })
  t.after(() => control.close())

  for (const [what, begin] of [
    ['a connection without a request', ''],
    ['half a head', 'GET /livez HTTP/1.1\r\nhost: x\r\n'],
    ['half a body', slowPost]
  ] as const) {
    await t.test(what, async () => {
      const socket = openTo(control.url)
      socket.write(begin)
      assert.match(await received(socket), /^HTTP\/1\.1 408 .*"code":"request_timeout"/s)
    })
  }

  await t.test('a body that trickles in', async () => {
    const socket = openTo(control.url)
    socket.write(slowPost)
    const trickle = setInterval(() => socket.write(' '), 50)
    const answer = await received(socket)
    clearInterval(trickle)
    assert.match(answer, /^HTTP\/1\.1 408 /)
  })
})

test('a body that has not arrived when time is up is the client’s fault, not the database’s', async (t) => {
  const control = await startControl({ requestTimeoutMs: 300 })
  t.after(() => control.close())
  const socket = openTo(control.url)
  socket.write(slowPost)
  const [answer] = (await once(socket.setEncoding('utf8'), 'data')) as [string]
  socket.destroy()
  assert.match(answer, /^HTTP\/1\.1 408 .*"code":"request_timeout"/s)
})

test('connections beyond the maximum are closed at once, and later there is room again', async (t) => {
  const control = await startControl({ maxConnections: 8 })
  t.after(() => control.close())
  const sockets = Array.from({ length: 30 }, () => openTo(control.url))
  const closed = new Set<Socket>()
  for (const socket of sockets) socket.once('close', () => closed.add(socket)).resume()
  while (closed.size < 22) await new Promise(setImmediate)
  for (const socket of sockets) socket.destroy()
  await Promise.all(sockets.map((socket) => closed.has(socket) || once(socket, 'close')))
  let answer = ''
  while (!answer.startsWith('HTTP/1.1 200 ')) {
    const socket = openTo(control.url)
    socket.write('GET /livez HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
    answer = await received(socket)
  }
})
