import assert from 'node:assert/strict'
import Fastify from 'fastify'
import { test } from 'tap'
import { listen } from './listen.ts'

test('an address at which a server cannot listen is named with its setting', async (t) => {
  const server = Fastify()
  t.teardown(() => server.close())
  const listenAt = (host: string) => listen(server, { host, port: 0, portVariable: 'GATEWAY_ADMIN_PORT' })
  // RFC 5737 and RFC 6761: no machine has this address, and no server knows this name.
  await assert.rejects(listenAt('192.0.2.1'), {
    message: 'This machine does not have the address 192.0.2.1. Correct GATEWAY_ADMIN_HOST.'
  })
  await assert.rejects(listenAt('host.invalid'), {
    message: 'The name host.invalid has no address. Correct GATEWAY_ADMIN_HOST.'
  })
})

test('a port that only an administrator may use is named with its setting', async () => {
  const refused = Object.assign(new Error('listen EACCES'), { code: 'EACCES' })
  const server = { listen: () => Promise.reject(refused) }
  await assert.rejects(listen(server, { host: '::', port: 443, portVariable: 'CONTROL_PORT' }), {
    message: 'This user may not listen on port 443 of ::. Set CONTROL_PORT to a port from 1024 on.',
    cause: refused
  })
})
