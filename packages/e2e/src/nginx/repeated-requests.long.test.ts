import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { findProgram } from '@tollgate/sandbox/find-program.ts'
import { freePort } from '@tollgate/sandbox/free-port.ts'
import { need } from '@tollgate/sandbox/need.ts'
import t, { type Test } from 'tap'
import { startShippedNginx } from './start-shipped-nginx.ts'

const program = findProgram(['nginx'])
const count = 20

/** A server in the place of a gateway. */
interface StandIn {
  readonly host: string
  /** The bodies that arrived. */
  readonly bodies: string[]
}

/** @param answer what follows once the body has arrived */
async function standIn(t: Test, answer: RequestListener): Promise<StandIn> {
  const bodies: string[] = []
  const server = createServer(async (request, response) => {
    bodies.push(await text(request))
    answer(request, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, bodies }
}

const serve: RequestListener = (_request, response) => void response.end('{}')
const die: RequestListener = (request) => void request.socket.destroy()
const drain: RequestListener = (_request, response) => {
  response.writeHead(503, { 'content-type': 'application/json' }).end('{"error":{"code":"draining"}}')
}

/** Sends requests at the same time, each with its own body. @returns how often each outcome occurred */
async function send(url: string, method: 'GET' | 'POST'): Promise<Record<string, number>> {
  const outcomes: Record<string, number> = {}
  const ask = async (_: unknown, index: number) => {
    const body = method === 'POST' ? { body: `${index}`.padEnd(100_000) } : {}
    const answer = await fetch(`${url}/v1/x`, { method, ...body })
    const { error } = (await answer.json()) as { error?: { code: string } }
    const outcome = error === undefined ? `${answer.status}` : `${answer.status} ${error.code}`
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
  }
  await Promise.all(Array.from({ length: count }, ask))
  return outcomes
}

t.test('what the shipped nginx sends to the next gateway', async (t) => {
  if (!need(t, 'nginx', program)) return
  const start = (t: Test, one: string, other: string) => startShippedNginx(t, program!, [one, other])

  t.test('a POST whose gateway dies after it got the request is not sent again', async (t) => {
    const [dying, healthy] = [await standIn(t, die), await standIn(t, serve)]
    const outcomes = await send(await start(t, dying.host, healthy.host), 'POST')
    const bodies = [...dying.bodies, ...healthy.bodies]
    assert.equal(new Set(bodies).size, count)
    assert.equal(bodies.length, count, 'each request reached one gateway')
    assert.ok(dying.bodies.length > 0)
    assert.deepEqual(outcomes, { '200': healthy.bodies.length, '503 gateway_unreachable': dying.bodies.length })
  })

  t.test('nor is a POST on a kept connection that the gateway closes', async (t) => {
    let isClosing = false
    const closing = await standIn(t, (request, response) => (isClosing ? die : serve)(request, response))
    const url = await start(t, closing.host, closing.host)
    assert.deepEqual(await send(url, 'POST'), { '200': count })
    isClosing = true
    assert.deepEqual(await send(url, 'POST'), { '503 gateway_unreachable': count })
    assert.equal(closing.bodies.length, 2 * count)
  })

  t.test('a POST to a gateway that refuses the connection reaches the other one', async (t) => {
    const healthy = await standIn(t, serve)
    const url = await start(t, `127.0.0.1:${await freePort()}`, healthy.host)
    assert.deepEqual(await send(url, 'POST'), { '200': count })
    assert.equal(new Set(healthy.bodies).size, count)
    assert.equal(healthy.bodies.length, count)
  })

  t.test('a POST that a stopping gateway refuses with 503 reaches the other one', async (t) => {
    const [draining, healthy] = [await standIn(t, drain), await standIn(t, serve)]
    assert.deepEqual(await send(await start(t, draining.host, healthy.host), 'POST'), { '200': count })
    assert.ok(draining.bodies.length > 0)
    assert.equal(healthy.bodies.length, count)
  })

  t.test('if the other gateway refuses the connection, the client gets a 503 that it may retry', async (t) => {
    const draining = await standIn(t, drain)
    const outcomes = await send(await start(t, draining.host, `127.0.0.1:${await freePort()}`), 'POST')
    assert.deepEqual(outcomes, { '503 draining': count })
  })

  t.test('a GET whose gateway dies reaches the other one', async (t) => {
    const [dying, healthy] = [await standIn(t, die), await standIn(t, serve)]
    assert.deepEqual(await send(await start(t, dying.host, healthy.host), 'GET'), { '200': count })
    assert.ok(dying.bodies.length > 0)
  })
})
