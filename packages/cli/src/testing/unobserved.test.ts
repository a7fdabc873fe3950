import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'tap'

const excluded = '_TAPJS_PROCESSINFO_EXCLUDE_'
/** Prints how many files tap has written down in its process. */
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

// It is a variable of tap's own, see docs/grips.md. If tap no longer obeyed it, tests would only be slower.
test('tap does not write down which modules a test loads', async () => {
  assert.equal(countFiles(process.env[excluded] ?? ''), '0\n')
  assert.notEqual(countFiles(''), '0\n', 'it would, without the variable')
})
