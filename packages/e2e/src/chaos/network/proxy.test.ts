import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import t from 'tap'
import { type NetworkProxy, startProxy } from './proxy.ts'

/** Answers each line with itself. */
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

/** Unlike `once`, also of a connection that is reset. */
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

  t.test('passes what comes, and the end of it', async (t) => {
    const client = openClient(proxy)
    t.equal(await echo(client, 'one'), 'one')
    client.end()
    await once(client, 'end')
  })

  t.test('delays, without losing or reordering anything', async (t) => {
    const client = openClient(proxy)
    t.equal(await echo(client, 'first'), 'first')
    proxy.weather({ delayMs: 50 })
    const startedAt = performance.now()
    t.equal(await echo(client, 'second'), 'second')
    t.ok(performance.now() - startedAt >= 99, 'there and back')
    proxy.restore()
    client.destroy()
  })

  t.test('drops in silence, and brings what was dropped when the network is back', async (t) => {
    const client = openClient(proxy)
    t.equal(await echo(client, 'before'), 'before')
    proxy.drop()
    const later = openClient(proxy)
    await once(later, 'connect')
    const answers = Promise.all([echo(client, 'one'), echo(later, 'two')])
    t.equal(await Promise.race([answers, new Promise((resolve) => setTimeout(resolve, 100, 'silence'))]), 'silence')
    proxy.restore()
    t.same(await answers, ['one', 'two'])
    client.destroy()
    later.destroy()
  })

  t.test('drops only what is meant', async (t) => {
    const [meant, other] = [openClient(proxy), openClient(proxy)]
    t.equal(await echo(meant, 'subscribe'), 'subscribe')
    t.equal(await echo(other, 'get'), 'get')
    proxy.drop((sent) => sent.includes('subscribe'))
    const silent = echo(meant, 'lost')
    t.equal(await echo(other, 'passes'), 'passes')
    proxy.restore()
    t.equal(await silent, 'lost')
    meant.destroy()
    other.destroy()
  })

  t.test('cuts: connections are reset, also new ones', async (t) => {
    const client = openClient(proxy)
    t.equal(await echo(client, 'before'), 'before')
    proxy.cut()
    await closed(client)
    const later = openClient(proxy)
    await closed(later)
    proxy.restore()
    const after = openClient(proxy)
    t.equal(await echo(after, 'after'), 'after')
    after.destroy()
  })

  t.test('half open: the server has seen the end, and the client has not', async (t) => {
    server.sockets.length = 0
    const client = openClient(proxy)
    t.equal(await echo(client, 'before'), 'before')
    proxy.halfOpen()
    await closed(server.sockets[0]!)
    client.write('into the void')
    t.equal(client.destroyed, false)
    client.destroy()
  })

  t.test('holds what matches before it passes', async (t) => {
    const client = openClient(proxy)
    t.equal(await echo(client, 'before'), 'before')
    const held = proxy.hold((bytes) => bytes.includes('secret'))
    t.equal(await echo(client, 'passes'), 'passes')
    const answer = echo(client, 'the secret word')
    await held
    t.equal(await Promise.race([answer, new Promise((resolve) => setTimeout(resolve, 50, 'held'))]), 'held')
    proxy.restore()
    t.equal(await answer, 'the secret word')
    client.destroy()
  })
})

t.test('of several servers one that refuses is passed over', async (t) => {
  const [server, gone] = [await startEcho(), await startEcho()]
  await gone.close()
  const proxy = await startProxy(server.port, gone.port)
  t.teardown(async () => {
    await proxy.close()
    await server.close()
  })
  for (const text of ['one', 'two', 'three']) {
    const client = openClient(proxy)
    t.equal(await echo(client, text), text)
    client.destroy()
  }
})
