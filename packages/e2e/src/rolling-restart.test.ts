import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { findProgram } from '@tollgate/sandbox/find-program.ts'
import { freePort } from '@tollgate/sandbox/free-port.ts'
import { need } from '@tollgate/sandbox/need.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import t from 'tap'
import { Person } from './person.ts'
import { startTestSystem, type TestSystem } from './start-test-system.ts'

const shipped = workspaceFile('deploy/nginx/tollgate.conf')
const nginx = findProgram(['nginx'])

/** Starts nginx before the gateways, with the shipped configuration. */
async function startNginx(directory: string, system: TestSystem): Promise<{ url: string; child: ChildProcess }> {
  const port = await freePort()
  const [first, second] = system.addresses.gateways.map((gateway) => new URL(gateway).host)
  const server = readFileSync(shipped, 'utf8')
    .replace('127.0.0.1:8080', first!)
    .replace('127.0.0.1:8081', second!)
    .replace('127.0.0.1:8000', `127.0.0.1:${port}`)
  writeFileSync(join(directory, 'tollgate.conf'), server)
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${directory}/${name};`
  )
  writeFileSync(
    join(directory, 'nginx.conf'),
    `daemon off; pid ${directory}/nginx.pid; worker_processes 1; error_log stderr warn; events {}
     http { access_log off; ${paths.join(' ')} include ${directory}/tollgate.conf; }`
  )
  const child = spawn(nginx!, ['-p', directory, '-c', join(directory, 'nginx.conf'), '-e', 'stderr'], {
    stdio: 'inherit'
  })
  const url = `http://127.0.0.1:${port}`
  for (;;) {
    if (child.exitCode !== null) throw new Error('nginx did not start')
    if (
      await fetch(`${url}/v1/openapi.json`).then(
        (answer) => answer.ok,
        () => false
      )
    )
      return { url, child }
  }
}

t.test('a rolling restart of two gateways behind nginx loses no request', async (t) => {
  if (!need(t, 'nginx', nginx)) return
  const system = await startTestSystem(t, { gateways: 2 })
  const ada = await new Person(system, 'ada').join('enterprise')
  const { value } = (await ada.createKey('rolling')).body.key
  const { url, child } = await startNginx(t.testdir(), system)
  t.teardown(async () => {
    child.kill('SIGQUIT')
    await once(child, 'close')
  })

  const failures: string[] = []
  let served = 0
  let isOver = false
  const asking = Array.from({ length: 8 }, async (_, worker) => {
    for (let request = 0; !isOver; request++) {
      const stream = (worker + request) % 2 === 0
      try {
        const answer = await fetch(`${url}/v1/chat/completions`, {
          method: 'POST',
          headers: { authorization: `Bearer ${value}`, 'content-type': 'application/json' },
          body: JSON.stringify({ model: 'gpt-4o-mini', stream, messages: [{ role: 'user', content: 'Say 20 words.' }] })
        })
        const text = await answer.text()
        const isWhole = stream
          ? text.endsWith('data: [DONE]\n\n') && !text.includes('"error"')
          : JSON.parse(text).choices.length === 1
        if (!answer.ok || !isWhole) failures.push(`${answer.status} ${text.slice(-200)}`)
        else served++
      } catch (error) {
        failures.push(String((error as Error).cause ?? error))
      }
    }
  })
  for (const gateway of ['gateway', 'gateway-2', 'gateway', 'gateway-2']) {
    const before = served
    await system.part(gateway).restart()
    while (served < before + 50 && failures.length === 0) await delay(10)
  }
  isOver = true
  await Promise.all(asking)
  t.comment(`${served} requests served during four restarts`)
  assert.deepEqual(failures, [])
  assert.ok(served > 200)
})
