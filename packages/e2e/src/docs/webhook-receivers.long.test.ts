import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { freePort } from '@tollgate/sandbox/free-port.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import type { Test } from 'tap'
import t from 'tap'
import { Person } from '../person.ts'
import { sharedSystem, type TestSystem } from '../start-test-system.ts'

type Headers = Record<string, string>
interface Created {
  endpoint: { id: string }
  secret: string
}

let system: TestSystem
let owner: Person
t.before(async () => {
  system = await sharedSystem()
  owner = await new Person(system, 'owner').join('pro')
})

t.test('the receiver of the docs and that of the dashboard take what Tollgate sends, and nothing forged', async (t) => {
  const page = (await owner.call<string>('GET', '/api/docs/webhooks.md')).body
  for (const [name, text] of [
    ['docs/webhooks.md', docsText()] as const,
    ['the page in the dashboard', page] as const
  ]) {
    const [program = ''] = codeIn(text).filter((code) => code.includes('createServer'))
    const port = await freePort()
    const created = await createEndpoint(`http://127.0.0.1:${port}/`)
    const lines = await startReceiver(t, { program, port, secret: created.secret })
    const printed = once(lines, 'line')
    await sendTestEvent(created)
    const [line] = (await printed) as [string]
    assert.match(line, /^\S+ webhook\.test$/, name)
    const forged = await fetch(`http://127.0.0.1:${port}/`, {
      method: 'POST',
      headers: {
        'webhook-id': '1',
        'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
        'webhook-signature': 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4='
      },
      body: '{"type":"key.revoked"}'
    })
    assert.equal(forged.status, 400, name)
    assert.equal(await deliveryState(created), 'delivered', name)
  }
})

t.test(
  'the function of the docs accepts a signed message, and refuses a changed, an old and an unsigned one',
  async (t) => {
    const [code = ''] = codeIn(docsText()).filter((code) => code.includes('isFromTollgate'))
    const file = join(t.testdir(), 'by-hand.mjs')
    writeFileSync(file, code)
    const { isFromTollgate } = (await import(pathToFileURL(file).href)) as {
      isFromTollgate(secret: string, headers: Headers, body: string): boolean
    }
    const port = await freePort()
    const created = await createEndpoint(`http://127.0.0.1:${port}/`)
    // It prints what arrives, and accepts everything.
    const program = `import { createServer } from 'node:http'
    createServer(async (request, response) => {
      let body = ''
      for await (const part of request.setEncoding('utf8')) body += part
      if (request.method === 'POST') console.log(JSON.stringify({ headers: request.headers, body }))
      response.end()
    }).listen(process.env.PORT)`
    const lines = await startReceiver(t, { program, port, secret: created.secret })
    await sendTestEvent(created)
    const [line] = (await once(lines, 'line')) as [string]
    const { headers, body } = JSON.parse(line) as { headers: Headers; body: string }
    const judge = (changed: Headers, text = body) => isFromTollgate(created.secret, { ...headers, ...changed }, text)
    assert.equal(judge({}), true)
    assert.equal(judge({}, body.replace('webhook.test', 'key.revoked')), false)
    assert.equal(judge({ 'webhook-id': 'other' }), false)
    assert.equal(judge({ 'webhook-timestamp': String(Number(headers['webhook-timestamp']) - 301) }), false)
    assert.equal(judge({ 'webhook-signature': '' }), false)
    assert.equal(isFromTollgate(created.secret, {}, body), false)
  }
)

const docsText = () => readFileSync(workspaceFile('docs/webhooks.md'), 'utf8')
const codeIn = (text: string) => [...text.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code]) => code!)

async function createEndpoint(url: string): Promise<Created> {
  const { status, body } = await owner.call<Created>('POST', '/api/webhooks', { url, event_types: ['key.revoked'] })
  assert.equal(status, 201, JSON.stringify(body))
  return body
}

async function sendTestEvent({ endpoint }: Created): Promise<void> {
  const { status, body } = await owner.call('POST', `/api/webhooks/${endpoint.id}/test`)
  assert.ok(status < 300, JSON.stringify(body))
}

/** The state of the only delivery, once the receiver has answered. */
async function deliveryState({ endpoint }: Created): Promise<string> {
  for (;;) {
    const { body } = await owner.call<{ deliveries: Array<{ status: string; attempts: unknown[] }> }>(
      'GET',
      `/api/webhooks/${endpoint.id}/deliveries`
    )
    const [delivery] = body.deliveries
    if (delivery !== undefined && delivery.status !== 'pending') return delivery.status
    await delay(50)
  }
}

/** Runs a program of the docs as its reader would. @returns its lines */
async function startReceiver(t: Test, { program, port, secret }: { program: string; port: number; secret: string }) {
  const file = join(t.testdir({}), `receiver-${port}.mjs`)
  // It lies where the library is not installed.
  writeFileSync(file, program.replace("'standardwebhooks'", `'${import.meta.resolve('standardwebhooks')}'`))
  const child = spawn(process.execPath, [file], {
    env: { PATH: process.env.PATH, PORT: String(port), WEBHOOK_SECRET: secret },
    stdio: ['ignore', 'pipe', 'inherit']
  })
  t.teardown(async () => {
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  })
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the receiver ended with ${child.exitCode}`)
    const answer = await fetch(`http://127.0.0.1:${port}/`).catch(() => null)
    if (answer !== null) break
    await delay(50)
  }
  return createInterface(child.stdout)
}
