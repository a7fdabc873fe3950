import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { accessSync, chmodSync, constants, cpSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import { test } from 'tap'

const cli = fileURLToPath(new URL('../../', import.meta.url))

/** "Installs" this Node, without the network, and talks as pnpm does. */
const npx = `#!/bin/sh
echo "Progress: resolved 1, done"
mkdir -p node_modules/.bin
ln -sf "$PWD/tools/real-node" node_modules/.bin/node
`

test('npx tollgate finds the program in a clone', async () => {
  const { bin } = JSON.parse(readFileSync(workspaceFile('package.json'), 'utf8'))
  accessSync(workspaceFile(bin.tollgate), constants.X_OK)
})

test('the first run installs, and prints only its result on standard output', async (t) => {
  const root = t.testdir({
    'package.json': '{"type":"module"}',
    'pnpm-lock.yaml': '',
    packages: {
      cli: { src: { tollgate: { 'run-tollgate.ts': 'console.log(JSON.stringify(process.argv.slice(2)))' } } }
    },
    tools: { npx }
  })
  cpSync(join(cli, 'bin'), join(root, 'packages/cli/bin'), { recursive: true })
  cpSync(join(cli, 'src/setup'), join(root, 'packages/cli/src/setup'), { recursive: true })
  chmodSync(join(root, 'tools/npx'), 0o755)
  symlinkSync(process.execPath, join(root, 'tools/real-node'))
  const env = { PATH: `${join(root, 'tools')}:/usr/bin:/bin` }
  const args = [join(root, 'packages/cli/bin/tollgate.mjs'), 'account', 'list', '--json']
  const runs = [0, 1].map(() => spawnSync(process.execPath, args, { cwd: root, env, encoding: 'utf8' }))
  for (const { stdout, status, stderr } of runs) {
    assert.equal(status, 0, stderr)
    assert.equal(stdout, '["account","list","--json"]\n')
  }
  assert.match(runs[0]!.stderr, /^Installing[\s\S]*Progress/)
  assert.equal(runs[1]!.stderr, '')
})
