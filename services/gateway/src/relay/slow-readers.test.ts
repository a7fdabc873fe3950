import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import t from 'tap'
import { SlowReaders } from './slow-readers.ts'

t.test('the connection of a client that reads nothing is closed, whichever of its answers waits', async () => {
  for (const requests of [1, 2]) {
    const slowReaders = new SlowReaders(100)
    const responses: ServerResponse[] = []
    const server = createServer((_request, response) => {
      if (responses.push(response) < requests) return
      // More than the socket buffers of both sides hold.
      response.write(Buffer.alloc(50_000_000))
      slowReaders.watch(response)
      if (requests > 1) responses[0]!.end()
    })
    server.listen(0, '127.0.0.1')
    const [[connection], client] = await Promise.all([
      once(server, 'connection'),
      once(server, 'listening').then(() => {
        const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').pause()
        return socket.on('error', () => {})
      })
    ])
    client.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(requests))
    await once(connection, 'close')
    assert.ok(connection.destroyed, `answer ${requests}`)
    client.destroy()
    server.close()
  }
})
