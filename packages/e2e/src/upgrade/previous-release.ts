import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { workspaceFile } from '@tollgate/service/workspace.ts'

const run = promisify(execFile)

/** The release before this one. Change it with each release. */
export const previousRelease = { version: '0.3.0', commit: 'aa2628525ca627b26781ad218b2b1796b34819c3' }
const pnpm = 'pnpm@12.21.0'

export interface PreviousRelease {
  /** Programs of the services. */
  readonly control: string
  readonly gateway: string
  remove(): void
}

/** Why the release cannot run here. */
export interface Missing {
  readonly missing: string
}

/**
 * Takes the previous release from the history of this repository, and installs the dependencies of its services as its own lock
 * file names them.
 */
export async function installPreviousRelease(): Promise<PreviousRelease | Missing> {
  const { version, commit } = previousRelease
  const git = (...args: string[]) => run('git', ['-C', workspaceFile('.'), ...args])
  const isThere = await git('cat-file', '-e', `${commit}^{commit}`).then(
    () => true,
    () => false
  )
  if (!isThere) return { missing: `release ${version} (commit ${commit.slice(0, 8)}) in the history of this directory` }
  const directory = mkdtempSync(join(tmpdir(), `tollgate-${version}-`))
  const remove = () => rmSync(directory, { recursive: true, force: true })
  try {
    const archive = `${directory}.tar`
    await git('archive', `--output=${archive}`, commit)
    await run('tar', ['-xf', archive, '-C', directory])
    rmSync(archive)
    const services = ['control', 'gateway'].flatMap((name) => ['--filter', `@tollgate/${name}...`])
    const options = ['--frozen-lockfile', '--prefer-offline', '--prod', '--ignore-scripts']
    await run('npx', ['--yes', pnpm, 'install', ...options, ...services], { cwd: directory })
  } catch (error) {
    remove()
    return { missing: `release ${version} with its dependencies: ${(error as Error).message.split('\n')[0]}` }
  }
  const main = (service: string) => join(directory, 'services', service, 'src/main.ts')
  return { control: main('control'), gateway: main('gateway'), remove }
}
