import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { Command, Redis } from 'ioredis'
import { type Test, test } from 'tap'
import { gatherBytes, gatherWrites } from '../wire/gather-writes.ts'

// These tests fail when the private parts of ioredis change that docs/library-internals.md lists.

/** Starts a server that answers only the first command, and connects a client to it. */
async function connectTo(t: Test, options: { socketTimeout?: number } = {}) {
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => {})
    socket.once('data', () => socket.write('%0\r\n'))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const client = new Redis({
    host: '127.0.0.1',
    port,
    enableReadyCheck: false,
    disableClientInfo: true,
    maxRetriesPerRequest: 0,
    retryStrategy: null,
    ...options
  })
  t.after(() => {
    client.disconnect()
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  await once(client, 'ready')
  return { client, socket: sockets[0]! }
}

test('commands of one turn are encoded once, and sent with one write of the stream', async (t) => {
  const { client } = await connectTo(t)
  client.on('error', () => {})
  const { stream } = client
  const writes: unknown[] = []
  const write = stream.write.bind(stream) as (chunk: string | Uint8Array, encoding?: BufferEncoding) => boolean
  stream.write = ((chunk: string | Uint8Array, encoding?: BufferEncoding) => {
    writes.push(chunk)
    return write(chunk, encoding)
  }) as typeof stream.write
  gatherWrites(stream)
  const targets: object[] = []
  class Known extends Command {
    override toWritable(to: object): string {
      targets.push(to)
      gatherBytes(to, '*1\r\n$4\r\nPING\r\n')
      return ''
    }
  }
  for (const _ of [1, 2, 3]) Promise.resolve(client.sendCommand(new Known('ping', []))).catch(() => {})
  client.ping().catch(() => {})
  await new Promise(setImmediate)
  assert.equal(targets.length, 3)
  assert.ok(targets.every((to) => to === stream))
  assert.deepEqual(writes, [`${'*1\r\n$4\r\nPING\r\n'.repeat(3)}*1\r\n$4\r\nping\r\n`])
})

test('ioredis closes a silent connection with `destroy` of the stream and the expected message', async (t) => {
  const { client } = await connectTo(t, { socketTimeout: 50 })
  const { stream } = client
  const failed = once(client, 'error')
  let reason: Error | undefined
  const destroy = stream.destroy.bind(stream)
  stream.destroy = (error?: Error) => {
    reason = error
    return destroy(error)
  }
  client.ping().catch(() => {})
  await failed
  assert.match(reason?.message ?? '', /^Socket timeout/)
})

test('an error of a command has the command with its arguments as a member that can be deleted', async (t) => {
  const { client, socket } = await connectTo(t)
  socket.on('data', () => socket.write('-ERR no\r\n'))
  const error = (await client.set('a', 's3cret').catch((error: Error) => error)) as Error & { command?: unknown }
  assert.partialDeepStrictEqual(error.command, { name: 'set', args: ['a', 's3cret'] })
  delete error.command
  assert.doesNotMatch(JSON.stringify({ ...error, message: error.message }), /s3cret/)
})
