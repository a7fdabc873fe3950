import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import t from 'tap'

const program = `
  import { createLogOutput } from ${JSON.stringify(new URL('./log-output.ts', import.meta.url))}
  const output = createLogOutput()
  for (let line = 0; line < 3000; line++) output.write(line + ' grüße 🎉\\n')
  output.write('x'.repeat(100_000) + '\\n')
  output.write('last\\n')
  process.on('exit', () => output.end())
`

// The log output gives bytes to pino, whose types allow only texts: see docs/library-internals.md.
t.test('every line is written in order and complete, long lines and the last ones too', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit']
  })
  const [written, [code]] = await Promise.all([text(child.stdout), once(child, 'close')])
  assert.equal(code, 0)
  const lines = Array.from({ length: 3000 }, (_, line) => `${line} grüße 🎉\n`)
  assert.ok(written === `${lines.join('')}${'x'.repeat(100_000)}\nlast\n`, `${written.length} characters`)
})
