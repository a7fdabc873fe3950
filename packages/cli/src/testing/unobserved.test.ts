import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { test } from 'tap'

/** Prints each file of tap that is loaded after it. */
const printing = `data:text/javascript,${encodeURIComponent(`
  import module from 'node:module'
  module.registerHooks({
    load(url, context, nextLoad) {
      if (/@tapjs|async-hook-domain/.test(url)) process.stdout.write(url + '\\n')
      return nextLoad(url, context)
    }
  })`)}`
const unobserved = new URL('./unobserved.mjs', import.meta.url).href

/** The files of tap that a program loads, with tap's arguments and these modules before them. */
function filesOf(imports: string[], ...program: string[]): string {
  const { stdout } = spawnSync(process.execPath, [...process.execArgv, ...program], {
    env: {
      ...process.env,
      NODE_OPTIONS: [printing, ...imports].map((url) => `--import=${url}`).join(' '),
      TEST_FILES: 'none'
    },
    encoding: 'utf8'
  })
  return stdout
}

// The names of these files are private, see docs/library-internals.md. If they change, tests are only slower.
test('tap does not watch the modules that a test loads', async () => {
  const watching = /\/(?:mock|processinfo)\//
  assert.doesNotMatch(filesOf([unobserved], '--eval', ''), watching)
  assert.match(filesOf([], '--eval', ''), watching, 'without the first import it does')
})

test('tap does not follow the promises of a group', async () => {
  const following = /async-hook-domain/
  const group = fileURLToPath(new URL('./groups/unit.ts', import.meta.url))
  assert.doesNotMatch(filesOf([unobserved], group), following)
  assert.match(filesOf([], group), following, 'without the first import it does')
})
