import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { test } from 'tap'
import { freePort } from '../free-port.ts'
import { nodeVariables } from '../node-variables.ts'
import { readModelsConfig } from './config.ts'

const main = new URL('./main.ts', import.meta.url).pathname
const run = (env: Record<string, string>) =>
  spawn(process.execPath, [main], { env: { ...nodeVariables(), ...env }, stdio: ['ignore', 'pipe', 'pipe'] })

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`the program prints its URL when ready, and exits with 0 on ${signal} even during a request`, async (t) => {
    const port = await freePort()
    const program = run({ SANDBOX_MODELS_PORT: String(port), SANDBOX_MODELS_API_KEY: 'k' })
    t.after(() => program.kill('SIGKILL'))
    const [line] = (await once(createInterface(program.stdout), 'line')) as [string]
    assert.equal(line, `sandbox models are ready at http://127.0.0.1:${port}/v1`)
    const open = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer k' },
      body: JSON.stringify({ model: 'm+stall-after=1', stream: true, messages: [{ role: 'user', content: 'hi' }] })
    })
    assert.equal(open.status, 200)
    program.kill(signal)
    assert.deepEqual(await once(program, 'exit'), [0, null])
    await assert.rejects(open.text())
  })
}

test('the error about a taken port names its variable, in one line', async (t) => {
  const other = createServer()
  const port = await freePort()
  await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve))
  t.after(() => new Promise((resolve) => other.close(resolve)))
  const program = run({ SANDBOX_MODELS_PORT: String(port) })
  const [message, [code]] = await Promise.all([text(program.stderr), once(program, 'exit')])
  assert.equal(code, 1)
  assert.match(message, new RegExp(`^Port ${port} \\(SANDBOX_MODELS_PORT\\) is in use[^\\n]*\\n$`))
})

test('the program refuses to run in production', async () => {
  const program = run({ NODE_ENV: 'production' })
  const [message, [code]] = await Promise.all([text(program.stderr), once(program, 'exit')])
  assert.equal(code, 1)
  assert.match(message, /^NODE_ENV is "production"[^\n]*\n$/)
})

test('the configuration has defaults, and its errors name the variable', async () => {
  assert.deepEqual(readModelsConfig({}), { SANDBOX_MODELS_PORT: 4010, SANDBOX_MODELS_API_KEY: 'sandbox' })
  for (const port of ['x', '0', '65536', '4010.5']) {
    assert.throws(() => readModelsConfig({ SANDBOX_MODELS_PORT: port }), /SANDBOX_MODELS_PORT/)
  }
})
