import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { test } from 'tap'
import { stopListening } from './draining.ts'

const request = 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\nconnection: close\r\n\r\n'

/** Sends one request. @returns the status, or the error code */
async function ask(port: number): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.setEncoding('utf8').write(request)
  let answer = ''
  try {
    for await (const part of socket) answer += part
  } catch (error) {
    return (error as NodeJS.ErrnoException).code!
  }
  return answer.slice(9, 12)
}

async function start(host: string): Promise<Server> {
  const server = createServer((_request, response) => response.end()).listen({ host, port: 0, reusePort: true })
  await once(server, 'listening')
  return server
}

test('a server that stops listening answers every connection that was made before', async () => {
  const seen = new Map<string, number>()
  for (let round = 0; round < 8; round++) {
    const server = await start('127.0.0.1')
    const { port } = server.address() as AddressInfo
    const outcomes: Array<Promise<string>> = []
    let isOver = false
    const asking = (async () => {
      while (!isOver) {
        for (let count = 0; count < 5; count++) outcomes.push(ask(port))
        await outcomes.at(-1)
      }
    })()
    const closed = once(server, 'close')
    while (outcomes.length < 20) await outcomes.at(-1)
    await stopListening(server)
    await closed
    isOver = true
    await asking
    for (const outcome of await Promise.all(outcomes)) seen.set(outcome, (seen.get(outcome) ?? 0) + 1)
  }
  assert.deepEqual([...seen.keys()].sort(), ['200', 'ECONNREFUSED'], JSON.stringify([...seen]))
})

test('servers that share a port, or listen on all addresses, or take no more connections, stop', async () => {
  for (const host of ['0.0.0.0', '::', '::1']) {
    const server = await start(host)
    const { port } = server.address() as AddressInfo
    const beside = createServer().listen({ host, port, reusePort: true })
    await once(beside, 'listening')
    await stopListening(server)
    assert.equal(server.listening, false)
    assert.equal(beside.listening, true)
    beside.maxConnections = 0
    await stopListening(beside)
    assert.equal(beside.listening, false)
    await stopListening(beside)
  }
})
