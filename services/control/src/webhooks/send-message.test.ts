import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { type Test, test } from 'tap'
import { readNetwork } from './addresses.ts'
import { createSendMessage, resultOf, type SenderOptions } from './send-message.ts'
import { startReceiver } from './testing/start-receiver.ts'

const never = new AbortController().signal
const generous = { connect: 30_000, total: 30_000, rest: 30_000 }
const loopback = [readNetwork('127.0.0.1/32')!]
const unasked = async () => assert.fail('no name server is asked')

const sender = (options: Partial<SenderOptions> = {}) => {
  const send = createSendMessage({ allowedNetworks: loopback, findAddresses: unasked, timeouts: generous, ...options })
  return (url: string, stopping = never) => send(new URL(url), { 'webhook-id': 'one' }, '{"a":1}', stopping)
}

/** A receiver below HTTP. @param onRequest called when some of a request has arrived */
async function startRaw(t: Test, onRequest: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined))
    socket.once('data', () => onRequest(socket))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

test('a message is posted with its headers, over its own connection, and any 2xx is a success', async (t) => {
  const receiver = await startReceiver()
  t.after(() => receiver.close())
  assert.deepEqual(await sender()(`${receiver.url}?a=b`), { outcome: 'delivered', status: 204, error: null })
  const [message] = receiver.received
  assert.deepEqual([message!.path, message!.body, message!.headers.connection], ['/hook?a=b', '{"a":1}', 'close'])
})

test('statuses mean what the specification says', async () => {
  const outcomes = [200, 204, 299, 301, 308, 400, 410, 429, 500, 503].map((status) => resultOf(status).outcome)
  assert.deepEqual(outcomes, [
    ...['delivered', 'delivered', 'delivered', 'redirected', 'redirected'],
    ...['error_status', 'gone', 'error_status', 'error_status', 'error_status']
  ])
})

test('a redirect is not followed', async (t) => {
  const [receiver, target] = [await startReceiver(), await startReceiver()]
  t.after(() => Promise.all([receiver.close(), target.close()]))
  receiver.answer((response) => response.writeHead(307, { location: target.url }).end())
  assert.equal((await sender()(receiver.url)).outcome, 'redirected')
  assert.equal(target.received.length, 0)
})

test('an answer without an end is left after its status, and one without a head after the time', async (t) => {
  const receiver = await startReceiver()
  t.after(() => receiver.close())
  receiver.answer((response) => {
    response.writeHead(200)
    const more = () => response.writable && response.write(Buffer.alloc(65_536)) && setImmediate(more)
    response.on('drain', more)
    more()
  })
  assert.equal((await sender()(receiver.url)).outcome, 'delivered')
  receiver.answer((response) => response.writeHead(200).flushHeaders())
  const impatient = { ...generous, rest: 50 }
  assert.equal((await sender({ timeouts: impatient })(receiver.url)).outcome, 'delivered')

  const silent = await startRaw(t, () => undefined)
  const trickling = await startRaw(t, (socket) => {
    socket.write('HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nx-slow: ')
    const timer = setInterval(() => socket.write('x'), 10)
    socket.on('close', () => clearInterval(timer))
  })
  for (const url of [silent, trickling]) {
    const { outcome, error } = await sender({ timeouts: { ...generous, total: 200 } })(url)
    assert.deepEqual([outcome, error], ['timeout', 'The receiver did not answer within 0.2 seconds.'])
  }
})

test('heads without an end, other protocols and broken connections are failures with words of our own', async (t) => {
  const secret = 'text-of-the-receiver'
  const answers: Array<[(socket: Socket) => void, string]> = [
    [(socket) => socket.write(`HTTP/1.1 200 OK\r\nx: ${secret.repeat(2000)}\r\n\r\n`), 'bad_answer'],
    [(socket) => socket.write(`SSH-2.0-${secret}\r\n`), 'bad_answer'],
    [(socket) => socket.write(`HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n`), 'bad_answer'],
    [(socket) => socket.destroy(), 'unreachable']
  ]
  for (const [behave, expected] of answers) {
    const { outcome, error } = await sender()(await startRaw(t, behave))
    assert.equal(outcome, expected)
    assert.ok(error !== null && !error.includes(secret))
  }
  const flooding = await startRaw(t, (socket) => {
    const more = () => {
      while (socket.writable && socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100)));
    }
    socket.on('drain', more)
    more()
  })
  assert.equal((await sender()(flooding)).outcome, 'bad_answer')
  const closed = await startReceiver()
  await closed.close()
  assert.deepEqual(await sender()(closed.url), {
    outcome: 'unreachable',
    status: null,
    error: 'The receiver refused the connection.'
  })
  const plain = await startRaw(t, (socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'))
  assert.match((await sender()(plain.replace('http:', 'https:'))).error!, /TLS failed/)
})

test('an address is judged on what its name leads to, at each message, and that address is called', async (t) => {
  const receiver = await startReceiver()
  t.after(() => receiver.close())
  const { port } = new URL(receiver.url)
  // The second name server answers another address for the same name.
  const answers = [['127.0.0.1'], ['127.0.0.2'], ['10.0.0.1', '::1'], ['127.0.0.2', '127.0.0.1'], []]
  let lookups = 0
  const send = sender({ findAddresses: async () => answers[lookups++]! })
  const outcomes: string[] = []
  for (const _ of answers) outcomes.push((await send(`http://receiver.test:${port}/`)).outcome)
  assert.deepEqual(outcomes, ['delivered', 'refused_address', 'refused_address', 'delivered', 'unreachable'])
  assert.equal(lookups, answers.length, 'once for each message')
  assert.deepEqual(
    receiver.received.map(({ headers }) => headers.host),
    [`receiver.test:${port}`, `receiver.test:${port}`]
  )
})

test('addresses in URLs are judged, too, and plain http goes to listed networks only', async (t) => {
  const receiver = await startReceiver()
  t.after(() => receiver.close())
  const { port } = new URL(receiver.url)
  for (const host of ['127.0.0.1', '[::ffff:127.0.0.1]', '0.0.0.0', '169.254.169.254', '2130706433']) {
    assert.equal((await sender({ allowedNetworks: [] })(`http://${host}:${port}/`)).outcome, 'refused_address', host)
  }
  assert.equal((await sender()('http://1.1.1.1/')).outcome, 'refused_address')
  assert.equal(receiver.received.length, 0)
})

test('a name server that does not answer, or fails, is a failure', async (t) => {
  // The timeout alone does not keep this process running.
  await startRaw(t, () => undefined)
  const silent = sender({ findAddresses: () => new Promise(() => {}), timeouts: { ...generous, total: 50 } })
  assert.equal((await silent('https://receiver.test/')).outcome, 'timeout')
  const failing = sender({ findAddresses: () => Promise.reject(Object.assign(new Error(), { code: 'ESERVFAIL' })) })
  assert.equal((await failing('https://receiver.test/')).error, 'The name of the host was not found.')
})

test('a call ends with the reason when control stops', async (t) => {
  const stopping = new AbortController()
  const url = await startRaw(t, () => stopping.abort(new Error('stopping')))
  await assert.rejects(sender()(url, stopping.signal), /stopping/)
})
