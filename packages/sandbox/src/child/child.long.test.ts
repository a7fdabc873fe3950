import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { test } from 'tap'
import { startChild } from './child.ts'
import { listProcesses } from './list-processes.ts'

const quiet = { cwd: '/', stopSignal: 'SIGTERM', temporaryDirectory: null } as const

test('stop sends the stop signal, and lets the program end by itself', async () => {
  const child = await startChild({
    ...quiet,
    command: '/bin/sh',
    args: ['-c', 'trap "echo put away; exit 7" TERM; echo started; while :; do sleep 0.05; done']
  })
  await untilOutput(child.output, 'started')
  await child.stop()
  assert.deepEqual(await child.ended, { code: 7, signal: null })
  assert.equal(child.output(), 'started\nput away')
  assert.equal(child.isRunning(), false)
})

test('a program that does not stop before its timeout is killed', async () => {
  const child = await startChild({
    ...quiet,
    stopTimeoutMs: 100,
    command: '/bin/sh',
    args: ['-c', 'trap "" TERM; echo started; while :; do sleep 0.05; done']
  })
  await untilOutput(child.output, 'started')
  await child.stop()
  assert.deepEqual(await child.ended, { code: null, signal: 'SIGKILL' })
})

test('a missing program is an error at once', async () => {
  await assert.rejects(startChild({ ...quiet, command: '/nonexistent/program', args: [] }), { code: 'ENOENT' })
})

test('only the last lines of the output are kept', async () => {
  const child = await startChild({
    ...quiet,
    command: '/bin/sh',
    args: ['-c', 'i=0; while [ $i -lt 100 ]; do i=$((i + 1)); echo "line $i"; done; printf end']
  })
  await child.ended
  const lines = child.output().split('\n')
  assert.equal(lines[0], 'line 61')
  assert.deepEqual(lines.slice(-2), ['line 100', 'end'])
})

// In both cases the starting process cannot stop the child any more.
for (const [how, end] of [
  ['exits', 'process.exit(0)'],
  ['is killed', 'process.kill(process.pid, "SIGKILL")']
] as const) {
  test(`when the starting process ${how}, the child ends and its directory is removed`, async (t) => {
    const directory = t.testdir({ temporary: { file: 'x' } })
    const program = `
      import { startChild } from ${JSON.stringify(new URL('./child.ts', import.meta.url).href)}
      const child = await startChild({
        command: '/bin/sleep', args: ['600'], cwd: '/', stopSignal: 'SIGTERM',
        temporaryDirectory: ${JSON.stringify(`${directory}/temporary`)}
      })
      console.log(child.pid)
      process.stdin.once('data', () => ${end})
    `
    const parent = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['pipe', 'pipe', 'inherit']
    })
    t.after(() => parent.kill('SIGKILL'))
    const [pid] = (await once(createInterface(parent.stdout), 'line')) as [string]
    assert.ok(isAlive(pid))
    parent.stdin.write('end\n')
    await once(parent, 'exit')
    while (isAlive(pid) || existsSync(`${directory}/temporary`)) await new Promise((resolve) => setTimeout(resolve, 20))
    assert.ok(existsSync(directory))
  })
}

test('the watcher of a child ends with the child', async () => {
  const child = await startChild({ ...quiet, command: '/bin/sleep', args: ['600'] })
  const watchers = () => listProcesses().filter(({ command }) => command.endsWith(` sh ${child.pid} TERM`))
  while (watchers().length === 0) await new Promise((resolve) => setTimeout(resolve, 20))
  await child.kill('SIGKILL')
  while (watchers().length > 0) await new Promise((resolve) => setTimeout(resolve, 20))
})

async function untilOutput(output: () => string, text: string): Promise<void> {
  while (!output().includes(text)) await new Promise((resolve) => setTimeout(resolve, 5))
}

/** Whether the process runs. A zombie does not count. */
const isAlive = (pid: string) => listProcesses().some((running) => running.pid === Number(pid))
