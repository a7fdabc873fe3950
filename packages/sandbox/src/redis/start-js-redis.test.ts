import { once } from 'node:events'
import { connect } from 'node:net'
import { Redis } from 'ioredis'
import t from 'tap'
import { freePort } from '../free-port.ts'
import { startJsRedis } from './start-js-redis.ts'

t.test('the commands in an HTTP request, which any web page can send, are not run', async (t) => {
  const redis = await startJsRedis(await freePort(), {})
  t.teardown(() => redis.stop())
  const client = new Redis(redis.url)
  t.teardown(() => client.disconnect())
  await client.set('kept', '1')
  const lines = 'FLUSHALL\r\nSET stolen 1\r\n'
  for (const text of [
    `POST / HTTP/1.1\r\nHost: 127.0.0.1:${redis.port}\r\nContent-Length: ${lines.length}\r\n\r\n${lines}`,
    lines,
    `\r\n${lines}`
  ]) {
    const socket = connect(redis.port, '127.0.0.1').resume()
    socket.on('error', () => undefined)
    socket.write(text)
    await once(socket, 'close')
    t.same(await client.keys('*'), ['kept'])
  }
})
