import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import t from 'tap'
import { type NetworkProxy, startProxy } from './proxy.ts'

/** Starts a server that echoes what it receives. */
async function startEcho(): Promise<{ port: number; sockets: Socket[]; close: () => Promise<unknown> }> {
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => undefined)
    socket.pipe(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { port, sockets, close: () => new Promise((resolve) => server.close(resolve)) }
}

function openClient(proxy: NetworkProxy): Socket {
  const client = connect(proxy.port, '127.0.0.1')
  client.on('error', () => undefined)
  return client
}

/** Unlike `once`, also resolves when the connection is reset. */
const closed = (socket: Socket) => new Promise((resolve) => socket.once('close', resolve))

async function echo(client: Socket, text: string): Promise<string> {
  client.write(text)
  const [bytes] = (await once(client, 'data')) as [Buffer]
  return String(bytes)
}

t.test('a proxy', async (t) => {
  const server = await startEcho()
  const proxy = await startProxy(server.port)
  t.teardown(async () => {
    await proxy.close()
    await server.close()
  })

  t.test('passes bytes and the end of a connection', async () => {
    const client = openClient(proxy)
    assert.equal(await echo(client, 'one'), 'one')
    client.end()
    await once(client, 'end')
  })

  t.test('delays bytes without losing or reordering them', async () => {
    const client = openClient(proxy)
    assert.equal(await echo(client, 'first'), 'first')
    proxy.shape({ delayMs: 50 })
    const startedAt = performance.now()
    assert.equal(await echo(client, 'second'), 'second')
    assert.ok(performance.now() - startedAt >= 99, 'there and back')
    proxy.restore()
    client.destroy()
  })

  t.test('drops packets silently, and delivers them after restore', async () => {
    const client = openClient(proxy)
    assert.equal(await echo(client, 'before'), 'before')
    proxy.drop()
    const later = openClient(proxy)
    await once(later, 'connect')
    const answers = Promise.all([echo(client, 'one'), echo(later, 'two')])
    assert.equal(
      await Promise.race([answers, new Promise((resolve) => setTimeout(resolve, 100, 'silence'))]),
      'silence'
    )
    proxy.restore()
    assert.deepEqual(await answers, ['one', 'two'])
    client.destroy()
    later.destroy()
  })

  t.test('drops only the matching connections', async () => {
    const [matching, other] = [openClient(proxy), openClient(proxy)]
    assert.equal(await echo(matching, 'subscribe'), 'subscribe')
    assert.equal(await echo(other, 'get'), 'get')
    proxy.drop((sent) => sent.includes('subscribe'))
    const silent = echo(matching, 'lost')
    assert.equal(await echo(other, 'passes'), 'passes')
    proxy.restore()
    assert.equal(await silent, 'lost')
    matching.destroy()
    other.destroy()
  })

  t.test('resets present and new connections after a cut', async () => {
    const client = openClient(proxy)
    assert.equal(await echo(client, 'before'), 'before')
    proxy.cut()
    await closed(client)
    const later = openClient(proxy)
    await closed(later)
    proxy.restore()
    const after = openClient(proxy)
    assert.equal(await echo(after, 'after'), 'after')
    after.destroy()
  })

  t.test('half open: the server sees the connection end, the client does not', async () => {
    server.sockets.length = 0
    const client = openClient(proxy)
    assert.equal(await echo(client, 'before'), 'before')
    proxy.halfOpen()
    await closed(server.sockets[0]!)
    client.write('unheard')
    assert.equal(client.destroyed, false)
    client.destroy()
  })

  t.test('holds matching bytes before they pass', async () => {
    const client = openClient(proxy)
    assert.equal(await echo(client, 'before'), 'before')
    const hold = proxy.hold((bytes) => bytes.includes('secret'))
    assert.equal(await echo(client, 'passes'), 'passes')
    const answer = echo(client, 'the secret word')
    await hold
    assert.equal(await Promise.race([answer, new Promise((resolve) => setTimeout(resolve, 50, 'held'))]), 'held')
    proxy.restore()
    assert.equal(await answer, 'the secret word')
    client.destroy()
  })
})

t.test('with several servers, a server that refuses is skipped', async (t) => {
  const [server, refusing] = [await startEcho(), await startEcho()]
  await refusing.close()
  const proxy = await startProxy(server.port, refusing.port)
  t.teardown(async () => {
    await proxy.close()
    await server.close()
  })
  for (const text of ['one', 'two', 'three']) {
    const client = openClient(proxy)
    assert.equal(await echo(client, text), text)
    client.destroy()
  }
})
