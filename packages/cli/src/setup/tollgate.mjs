// @ts-check
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { isInstallationCurrent, workspaceNode } from './set-up.mjs'

const root = fileURLToPath(new URL('../../../../', import.meta.url))
const withSetup = fileURLToPath(new URL('../../bin/with-setup.mjs', import.meta.url))
const program = fileURLToPath(new URL('../tollgate/run-tollgate.ts', import.meta.url))

if (!isInstallationCurrent(root) || !existsSync(workspaceNode(root))) {
  // The installation's output goes to standard error: standard output is for the command's result, which may be JSON.
  const { status } = spawnSync(process.execPath, [withSetup, '--bin', 'node', '-e', ''], {
    stdio: ['inherit', 2, 2]
  })
  if (status !== 0) process.exit(status ?? 1)
}
process.argv.splice(2, 0, program)
await import('./with-setup.mjs')
