import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'tap'

const excluded = '_TAPJS_PROCESSINFO_EXCLUDE_'
/** A script that prints the number of files that tap has recorded in its process. */
const program = `
  import 'data:text/javascript,'
  import 'node:fs'
  await import(${JSON.stringify(new URL('./processes.ts', import.meta.url))})
  console.log(globalThis[Symbol.for('@tapjs/processinfo.ProcessInfoNodeData')]?.files.length ?? 0)
`

function countFiles(exclude: string): string {
  const { stdout } = spawnSync(process.execPath, [...process.execArgv, '--input-type=module', '--eval', program], {
    env: { ...process.env, [excluded]: exclude },
    encoding: 'utf8'
  })
  return stdout
}

// tap's variable is private, see docs/library-internals.md. Without it, tests are only slower.
test('tap does not record the modules that a test loads', async () => {
  assert.equal(countFiles(process.env[excluded] ?? ''), '0\n')
  assert.notEqual(countFiles(''), '0\n', 'without the variable it does')
})
