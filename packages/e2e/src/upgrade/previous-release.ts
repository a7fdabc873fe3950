import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { workspaceFile } from '@tollgate/service/workspace.ts'

const run = promisify(execFile)

/** The release before this one. Change it with each release. */
export const previousRelease = { version: '0.2.0', commit: '5ead4fa75d2322aff2feacf87db4f933d1063e37' }
const pnpm = 'pnpm@12.21.0'

export interface PreviousRelease {
  /** Programs of the services. */
  readonly control: string
  readonly gateway: string
  readonly catalogFile: string
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
  const control = join(directory, 'control.mjs')
  writeFileSync(control, withAdminPort(main('control')))
  const gateway = join(directory, 'gateway.mjs')
  writeFileSync(gateway, withOwnUpstreams(main('gateway'), join(directory, 'deploy/upstreams.yaml')))
  return { control, gateway, catalogFile: join(directory, 'deploy/catalog.yaml'), remove }
}

/** A gateway of release 0.2.0 does not know all members of the file that the system gives to gateways. */
const withOwnUpstreams = (main: string, file: string): string => `
process.env.UPSTREAMS_FILE = ${JSON.stringify(file)}
await import(${JSON.stringify(main)})
`

/** Control of release 0.2.0 has its probes only on its own port. This serves them on the admin port, too. */
const withAdminPort = (main: string): string => `
import { createServer } from 'node:http'
const { CONTROL_ADMIN_PORT, CONTROL_PORT } = process.env
if (CONTROL_ADMIN_PORT) {
  createServer(async (request, response) => {
    const answer = await fetch('http://127.0.0.1:' + CONTROL_PORT + request.url).catch(() => null)
    response.writeHead(answer?.status ?? 503).end(await answer?.text())
  }).listen(CONTROL_ADMIN_PORT, '127.0.0.1').unref()
}
await import(${JSON.stringify(pathToFileURL(main).href)})
`
