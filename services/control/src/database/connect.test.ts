import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import postgres from 'postgres'
import { test } from 'tap'
import { openSocket } from './connect.ts'

interface Tap {
  after(run: () => void): void
}

/** Starts a server that gives each connection to `answer`. @returns its port */
async function listen(t: Tap, answer: (socket: Socket) => void): Promise<number> {
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => {})
    answer(socket)
  })
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

test('a query fails when the server hangs up without an answer', async (t) => {
  const port = await listen(t, (socket) => socket.end())
  const sql = postgres(`postgres://user@127.0.0.1:${port}/database`, { socket: openSocket, max: 1 } as object)
  await assert.rejects(sql`select 1`, { code: 'ECONNRESET' })
  await sql.end({ timeout: 1 })
})

// The driver reads the name from a member of the socket: see docs/library-internals.md.
test('TLS names the host of the URL, so that the name of the server can be checked', async (t) => {
  const hello = Promise.withResolvers<Buffer>()
  const port = await listen(t, (socket) => {
    // The driver asks for TLS, gets a yes, and sends its ClientHello.
    socket.once('data', () => {
      socket.once('data', hello.resolve)
      socket.write('S')
    })
  })
  const sql = postgres(`postgres://user@localhost:${port}/database`, {
    socket: openSocket,
    ssl: 'require',
    max: 1
  } as object)
  const query = sql`select 1`.catch((error: Error) => error)
  assert.ok((await hello.promise).includes('localhost'))
  await sql.end({ timeout: 0 })
  assert.ok((await query) instanceof Error)
})
