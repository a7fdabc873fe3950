import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { freePort } from '@tollgate/sandbox/free-port.ts'
import { type Test, test } from 'tap'
import { anotherFreePort, checkPorts, choosePorts, defaultPorts, neededPorts } from './ports.ts'
import { SystemError } from './system-error.ts'

async function takePort(t: Test, host: string): Promise<number> {
  const server = createServer().listen(0, host)
  await once(server, 'listening')
  t.after(() => server.close())
  return (server.address() as AddressInfo).port
}

test('the error names every taken port with its variable, and no free port', async (t) => {
  const [one, two] = [await takePort(t, '127.0.0.1'), await takePort(t, '127.0.0.1')]
  const free = await anotherFreePort(new Set([one, two]))
  const check = checkPorts([
    ['CONTROL_PORT', one],
    ['GATEWAY_PORT', free],
    ['SANDBOX_REDIS_PORT', two]
  ])
  await assert.rejects(check, (error) => {
    assert.ok(error instanceof SystemError)
    assert.match(error.message, new RegExp(`Port ${one} \\(CONTROL_PORT\\) is in use`))
    assert.match(error.message, new RegExp(`Port ${two} \\(SANDBOX_REDIS_PORT\\) is in use`))
    assert.doesNotMatch(error.message, /GATEWAY_PORT/)
    return true
  })
  await checkPorts([['GATEWAY_PORT', free]])
})

test('the error shows how to set the very port that is taken, and no other', async (t) => {
  const [port, free] = [await takePort(t, '127.0.0.1'), await freePort()]
  const check = checkPorts([
    ['CONTROL_PORT', free],
    ['SANDBOX_SMTP_PORT', port]
  ])
  await assert.rejects(check, new RegExp(`such as: SANDBOX_SMTP_PORT=${Math.max(port, free) + 1} npm start$`))
})

test('a port taken only on IPv6 counts, because localhost may resolve to IPv6', async (t) => {
  const port = await takePort(t, '::1').catch(() => null)
  if (port === null) return t.pass('needs IPv6', { skip: 'this machine has no ::1' })
  await assert.rejects(checkPorts([['CONTROL_PORT', port]]), /CONTROL_PORT/)
})

test('the error about a port used twice names both variables', async () => {
  const port = await anotherFreePort(new Set())
  await assert.rejects(
    checkPorts([
      ['CONTROL_PORT', port],
      ['GATEWAY_PORT', port]
    ]),
    new RegExp(`Port ${port} is set twice: by CONTROL_PORT and by GATEWAY_PORT`)
  )
})

test('the ports of a real part need not be free', async () => {
  const names = (embedded: Parameters<typeof neededPorts>[1]) =>
    neededPorts(defaultPorts, embedded).map(([variable]) => variable)
  const services = ['CONTROL_PORT', 'CONTROL_ADMIN_PORT', 'GATEWAY_PORT', 'GATEWAY_ADMIN_PORT']
  assert.deepEqual(names(new Set()), services)
  assert.deepEqual(names(new Set(['identity', 'postgres', 'redis', 'models'])), [
    ...services,
    'SANDBOX_IDENTITY_PORT',
    'SANDBOX_MAILBOX_PORT',
    'SANDBOX_SMTP_PORT',
    'SANDBOX_REDIS_PORT',
    'SANDBOX_MODELS_PORT'
  ])
})

test('chosen ports are free and different', async () => {
  const ports = await choosePorts()
  assert.equal(new Set(Object.values(ports)).size, Object.keys(defaultPorts).length)
  await checkPorts(neededPorts(ports, new Set(['identity', 'postgres', 'redis', 'models'])))
})
