import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { type Test, test } from 'tap'
import { freePort } from '../free-port.ts'
import { nodeVariables } from '../node-variables.ts'
import { startReceiver } from './events/test-receiver.ts'
import { newStripe, testProducts } from './test-account.ts'

const program = fileURLToPath(new URL('main.ts', import.meta.url))

async function prepare(t: Test) {
  const directory = await mkdtemp(join(tmpdir(), 'tollgate-payments-'))
  t.teardown(() => rm(directory, { recursive: true, force: true }))
  const port = await freePort()
  const env: Record<string, string> = {
    SANDBOX_PAYMENTS_PORT: String(port),
    TOLLGATE_DATA_DIR: directory,
    STRIPE_SECRET_KEY: 'sk_test_main'
  }
  return { env, port, directory, url: `http://127.0.0.1:${port}` }
}

function run(t: Test, env: Record<string, string>): ChildProcess {
  const child = spawn(process.execPath, [program], {
    env: { ...nodeVariables(), ...env },
    stdio: ['ignore', 'pipe', 'pipe']
  })
  t.teardown(() => child.kill('SIGKILL'))
  return child
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('no standard output')
  const [line] = await once(child.stdout, 'data')
  return String(line)
}

/** Runs a program that fails at its start, and returns its output. */
async function failure(t: Test, env: Record<string, string>) {
  const child = run(t, env)
  if (child.stderr === null) throw new Error('no standard error')
  const [message, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
  return { code, message }
}

test('it prints when it is ready, stops on SIGTERM, and after SIGKILL keeps its data and sends pending webhooks', async (t) => {
  const { env, port, url, directory } = await prepare(t)
  const receiver = await startReceiver(t)
  receiver.answerWith((index) => (index === 0 ? null : 200))
  const file = join(directory, 'products.json')
  await writeFile(file, JSON.stringify(testProducts))
  const configured = {
    ...env,
    SANDBOX_PAYMENTS_PRODUCTS: file,
    SANDBOX_PAYMENTS_WEBHOOK_URL: receiver.url,
    STRIPE_WEBHOOK_SECRET: 'whsec_new, whsec_old'
  }
  const stripe = newStripe(port, 'sk_test_main')
  for (const [round, signal] of (['SIGKILL', 'SIGTERM'] as const).entries()) {
    const child = run(t, configured)
    assert.equal(await firstLine(child), `sandbox payments are ready at ${url}\n`)
    assert.equal((await stripe.prices.list()).data.length, 3)
    await stripe.customers.create({ name: `round ${round}` })
    assert.equal((await stripe.customers.list()).data.length, round + 1, 'the customers of earlier runs exist')
    // The first webhook is never answered; the next process sends it again.
    await receiver.arrived(round === 0 ? 1 : 3)
    const ended = once(child, 'exit')
    child.kill(signal)
    assert.deepEqual(await ended, signal === 'SIGKILL' ? [null, 'SIGKILL'] : [0, null], signal)
  }
  const [first] = receiver.received
  if (first === undefined) throw new Error('nothing arrived')
  assert.ok(receiver.verify(first, 'whsec_new') && receiver.verify(first, 'whsec_old'))
  assert.equal(receiver.received.filter(({ eventId }) => eventId === first.eventId).length, 2)
})

test('the error about a taken port names its variable', async (t) => {
  const { env, port } = await prepare(t)
  const other = createServer().listen(port, '127.0.0.1')
  await once(other, 'listening')
  t.teardown(() => new Promise((resolve) => other.close(resolve)))
  const taken = await failure(t, env)
  assert.equal(taken.code, 1)
  assert.ok(taken.message.includes(`Port ${port} (SANDBOX_PAYMENTS_PORT) is in use`))
})
