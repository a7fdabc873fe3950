import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'tap'
import { listProcesses } from './list-processes.ts'

test('a running process is listed with its parent and command, a zombie is not', async (t) => {
  // The shell replaces itself with a program that never reaps its child.
  const script = 'sleep 600 & echo $!; exec sleep 601'
  const parent = spawn('/bin/sh', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore'] })
  t.after(() => parent.kill('SIGKILL'))
  const [line] = (await once(parent.stdout.setEncoding('utf8'), 'data')) as [string]
  const child = Number(line)
  const find = (pid: number | undefined) => listProcesses().find((listed) => listed.pid === pid)
  while (find(parent.pid)?.command !== 'sleep 601') await new Promise((resolve) => setTimeout(resolve, 5))
  assert.deepEqual(find(parent.pid), { pid: parent.pid, parent: process.pid, command: 'sleep 601' })
  while (find(child)?.command !== 'sleep 600') await new Promise((resolve) => setTimeout(resolve, 5))
  assert.equal(find(child)?.parent, parent.pid)

  process.kill(child, 'SIGKILL')
  while (find(child) !== undefined) await new Promise((resolve) => setTimeout(resolve, 5))
  assert.equal(process.kill(child, 0), true, 'the zombie still exists')
})
