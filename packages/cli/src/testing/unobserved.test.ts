import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'tap'

/** Prints each file of tap that is loaded after it. */
const printing = `data:text/javascript,${encodeURIComponent(`
  import module from 'node:module'
  module.registerHooks({
    load(url, context, nextLoad) {
      if (url.includes('/@tapjs/')) process.stdout.write(url + '\\n')
      return nextLoad(url, context)
    }
  })`)}`

/** The files of tap that a program loads before it starts, with tap's arguments and these modules before them. */
function filesBefore(imports: string[]): string {
  const { stdout } = spawnSync(process.execPath, [...process.execArgv, '--eval', ''], {
    env: { ...process.env, NODE_OPTIONS: [printing, ...imports].map((url) => `--import=${url}`).join(' ') },
    encoding: 'utf8'
  })
  return stdout
}

// The names of these files are private, see docs/library-internals.md. If they change, tests are only slower.
test('tap does not watch the modules that a test loads', async () => {
  const watching = /\/(?:mock|processinfo)\//
  assert.doesNotMatch(filesBefore([new URL('./unobserved.mjs', import.meta.url).href]), watching)
  assert.match(filesBefore([]), watching, 'without the first import it does')
})
