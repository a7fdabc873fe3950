import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import { test } from 'tap'

function start(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [workspaceFile('packages/cli/src/start/run-start.ts'), ...args], {
    encoding: 'utf8'
  })
}

test('npm start -- --help explains the command, and starts nothing', async () => {
  const { status, stdout } = start('--help')
  assert.equal(status, 0)
  assert.match(stdout, /^npm start\n[\s\S]*\.env\.example[\s\S]*GATEWAY_PORT/)
  assert.doesNotMatch(stdout, /Starting/)
  assert.equal(start('-h').stdout, stdout)
})

test('npm start refuses an argument that it does not know, and starts nothing', async () => {
  const { status, stdout, stderr } = start('--port=80')
  assert.deepEqual([status, stdout], [1, ''])
  assert.match(stderr, /Unknown argument: --port=80/)
})
