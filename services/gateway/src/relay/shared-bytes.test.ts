import { once } from 'node:events'
import t from 'tap'
import { chatOf, post } from '../testing/client.ts'
import { startFakeUpstream } from '../testing/fake-upstream.ts'
import { startGateway } from '../testing/start-gateway.ts'

/** Every answer in pieces of these lengths: parts of events, events that are written at once, and long ones. */
const pieces = [1, 90, 4000, 9000, 70_000, 20, 200_000, 500]

t.test('answers are never mixed, although all connections are read into the same bytes', async (t) => {
  const upstream = await startFakeUpstream()
  const gateway = await startGateway(upstream.url)
  const { secret } = await gateway.seedKey()
  const all = 24
  const begun: Array<() => void> = []
  upstream.answer(async ({ response, body }) => {
    const { user: letter, seed } = JSON.parse(body) as { user: string; seed: number }
    const [status, type] = kinds[seed % kinds.length]!
    response.writeHead(status, { 'content-type': type })
    response.flushHeaders()
    // All of them write in turn, so that each is read between two reads of another.
    await new Promise<void>((resolve) => {
      begun.push(resolve)
      if (begun.length === all) for (const begin of begun) begin()
    })
    for (const piece of seed % kinds.length === 2 ? refusal(letter) : written(letter, type)) {
      if (!response.write(piece)) await once(response, 'drain')
      await new Promise(setImmediate)
    }
    response.end()
  })
  const calls = Array.from({ length: all }, async (_, seed) => {
    const letter = String.fromCharCode(97 + seed)
    const [status, type] = kinds[seed % kinds.length]!
    const answer = await post(
      gateway,
      secret,
      '/chat/completions',
      chatOf('small', { user: letter, seed, stream: type === 'text/event-stream' })
    )
    t.equal(answer.status, status)
    if (status === 200) {
      const got: Buffer[] = []
      for await (const part of answer.body!) {
        got.push(Buffer.from(part))
        await new Promise((resolve) => setTimeout(resolve, 1))
      }
      t.ok(Buffer.concat(got).toString() === written(letter, type).join(''), `${letter}: ${type}`)
    } else {
      t.equal(((await answer.json()) as { error: { message: string } }).error.message, letter.repeat(9000))
    }
  })
  await Promise.all(calls)
  await gateway.close()
  await upstream.close()
})

const kinds = [
  [200, 'application/json'],
  [200, 'text/event-stream'],
  [400, 'application/json']
] as const

function written(letter: string, type: string): string[] {
  if (type === 'application/json') return pieces.map((length) => letter.repeat(length))
  // Pieces and events end at different places.
  return pieces.map((length, index) => `${letter.repeat(length)}"}\n\ndata: {"${index}":"`).concat('"}\n\n')
}

function refusal(letter: string): string[] {
  return ['{"error":{"message":"', ...Array.from({ length: 90 }, () => letter.repeat(100)), '"}}']
}
